"""jam is killed at every call of a session in turn, until a session makes no more calls."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from tests.stories.faults.ground import ground, killed_at

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
FEWEST = 15


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_every_call_everything_is_there_once(tmp_path: Path, when: str) -> None:
    with ground(tmp_path) as one:
        last = next(nth for nth in count(1) if not killed_at(one, nth, when))

    assert last > FEWEST
