"""
jam is killed at calls that it makes, before they did anything, and started again; what people find
is what they would have found.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.faults.ground import ground, killed_at

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize(("when", "places"), [("before", (1, 7, 12, 17, 22, 27))], ids=["before"])
def test_killed_inside_a_call_everything_is_there_once(
    tmp_path: Path, when: str, places: tuple[int, ...]
) -> None:
    with ground(tmp_path) as one:
        there = [killed_at(one, nth, when) for nth in places]

    assert sum(there) >= len(places) - 2, "a session makes fewer calls than it did"
