"""
jam is killed at calls that it makes, before they did anything and after they did, and started
again; what people find is what they would have found. ``test_every_kill`` does it at every one.
"""

from __future__ import annotations

import fcntl
import time
from pathlib import Path

import pytest

from tests.stories.faults.ground import ONCE, ask, end_of, ground, held, hold, killed_at, tidy
from tests.stories.github.world import World

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


def test_what_somebody_else_clears_away_is_left_to_them(tmp_path: Path) -> None:
    """Two who remove the same folder at once stumble over each other."""

    def worked_in(one: World) -> list[Path]:
        return [*(one.home / "state" / "sessions").glob("*/tree")]

    with ground(tmp_path) as one:
        number = ask(one)
        one.until(lambda: "published on" in one.log)
        lock = worked_in(one)[0].with_name("lock")
        with lock.open("ab") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)  # from the moment that the session lets go of it
            end_of(one, number)
            time.sleep(3)  # by then it would have been gone, had it not been left to us
            kept = worked_in(one)
        tidy(one)
        assert held(one, number) == ONCE

    assert len(kept) == 1
