"""The disk is full for a while: jam rests, says so when it can, and goes on."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

from tests.stories.faults.ground import ONCE, ask, end_of, ground, held
from tests.stories.github.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SLOW = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 1
- finish: true
"""
STEPS = ("judging the base, run 1", "turn 2")
FULL_S = 2.0


def may_write(one: World, size: int) -> None:
    """No file of jam's, or of what it starts from now on, grows beyond ``size``."""
    assert one.server is not None
    resource.prlimit(one.server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_disk_that_is_full_for_a_while_loses_nothing(tmp_path: Path) -> None:
    with ground(tmp_path, script=SLOW) as one:
        for step in STEPS:
            began = one.log.count(step)
            number = ask(one)
            one.until(lambda word=step, had=began: one.log.count(word) > had)
            may_write(one, 1024)
            time.sleep(FULL_S)
            may_write(one, resource.RLIM_INFINITY)
            end_of(one, number)
            assert held(one, number) == ONCE
