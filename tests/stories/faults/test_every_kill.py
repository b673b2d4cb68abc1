"""jam is killed at every call of a session in turn, until a session makes no more calls."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from tests.stories.faults.ground import ONCE, ask, end_of, ground, held, killed_at

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
FEWEST = 15


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_every_call_everything_is_there_once(tmp_path: Path, when: str) -> None:
    with ground(tmp_path) as one:
        last = next(nth for nth in count(1) if not killed_at(one, nth, when))

    assert last > FEWEST


SLOW = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 2
- finish: true
"""
STEPS = ("judging the base, run 1", "turn 1", "turn 2", "adjudication, run 1", "published on")


@pytest.mark.parametrize("step", STEPS)
def test_ended_in_any_step_it_is_handed_over_in_time(tmp_path: Path, step: str) -> None:
    with ground(tmp_path, script=SLOW) as one:
        number = ask(one)
        one.until(lambda: step in one.log)
        assert one.stop() == 0  # within 25 seconds, or the wait fails
        one.start()
        end_of(one, number)
        assert held(one, number) == ONCE
