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
    [("before", (1, 7, 12, 17, 22, 27)), ("after", (3, 9, 14, 19, 24, 29))],
    ids=["before", "after"],
)
def test_killed_inside_a_call_everything_is_there_once(
    tmp_path: Path, when: str, places: tuple[int, ...]
) -> None:
    with ground(tmp_path) as one:
        there = [killed_at(one, nth, when) for nth in places]

    assert sum(there) >= len(places) - 2, "a session makes fewer calls than it did"


SLOW = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 2
- finish: true
"""
STEPS = ("judging the base, run 1", "turn 1", "turn 2", "adjudication, run 1", "published on")


def test_ended_in_any_step_it_is_handed_over_in_time(tmp_path: Path) -> None:
    with ground(tmp_path, script=SLOW) as one:
        for step in STEPS:
            began = one.log.count(step)
            number = ask(one)
            one.until(lambda word=step, had=began: one.log.count(word) > had)
            assert one.stop() == 0  # within 25 seconds, or the wait fails
            one.start()
            end_of(one, number)
            assert held(one, number) == ONCE


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
