"""
A call to GitHub goes wrong in a session, once: everything is there once,
and the person who asked is told an end.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.faults.calls import wrong
from tests.stories.faults.ground import ONCE, ground, held, suffer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
SAMPLE = (
    ("token", "503"),
    ("token", "401"),
    ("git", "reset"),
    ("tree", "half a document"),
    ("commit", "time-out after"),
    ("ref", "502 after"),
    ("pulls", "a page"),
    ("pull request", "time-out after"),
    ("check", "202"),
    ("comment", "reset after"),
    ("edit", "secondary limit"),
    ("permission", "504"),
    ("label", "429 with a time"),
)


def test_a_call_that_goes_wrong_once_makes_nothing_twice(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        for call, way in SAMPLE:
            number = suffer(one, wrong(call, way))
            assert held(one, number) == ONCE
