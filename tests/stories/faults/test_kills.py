"""
jam is killed at calls that it makes, before they did anything and after they did, and started
again; what people find is what they would have found. ``test_every_kill`` does it at every one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.faults.ground import ONCE, ask, end_of, ground, held, hold, killed_at

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize(
    ("when", "places"),
    [("before", (7, 17, 27)), ("after", (3, 19))],
    ids=["before", "after"],
)
def test_killed_inside_a_call_everything_is_there_once(
    tmp_path: Path, when: str, places: tuple[int, ...]
) -> None:
    with ground(tmp_path) as one:
        there = [killed_at(one, nth, when) for nth in places]

    assert sum(there) >= len(places) - 1, "a session makes fewer calls than it did"


def test_twice_killed_in_the_same_call_it_still_ends(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        hold(one, 1, when="after", match="POST */pulls")
        number = ask(one)
        one.until(lambda: not one.hub.hub.faults.unused())
        one.kill()
        hold(one, 1, when="before", match="GET *")
        one.start()
        one.until(lambda: not one.hub.hub.faults.unused())
        one.kill()
        one.hub.hub.faults.clear()
        one.start()
        end_of(one, number)
        assert held(one, number) == ONCE
