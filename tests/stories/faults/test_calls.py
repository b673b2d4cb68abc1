"""
A call to GitHub goes wrong in a session, once or for as long as it lasts: everything is there once,
and the person who asked is told an end. ``test_every_call`` does it with all of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.faults.calls import wrong
from tests.stories.faults.ground import ONCE, ground, held, suffer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SAMPLE = (
    ("git", "reset"),
    ("ref", "502 after"),
    ("pull request", "time-out after"),
    ("comment", "reset after"),
    ("permission", "504"),
)


def test_a_call_that_goes_wrong_once_makes_nothing_twice(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        for call, way in SAMPLE:
            number = suffer(one, wrong(call, way))
            assert held(one, number) == ONCE


def test_a_call_that_always_goes_wrong_is_gone_on_with_when_it_goes_right(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        number = suffer(one, wrong("ref", "reset after", times=None), ends_after_s=12)
        assert held(one, number) == ONCE
