"""Every way in which a call can go wrong, at every call that a session makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.faults.calls import CALLS, WAYS, wrong
from tests.stories.faults.ground import ONCE, ground, held, suffer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("way", WAYS)
def test_a_call_that_goes_wrong_once_makes_nothing_twice(tmp_path: Path, way: str) -> None:
    with ground(tmp_path) as one:
        for call in CALLS:
            number = suffer(one, wrong(call, way))
            assert held(one, number) == ONCE


@pytest.mark.parametrize("way", ["500", "reset after", "429"])
@pytest.mark.parametrize("call", ["pull request", "comment", "token"])
def test_a_call_that_always_goes_wrong_is_gone_on_with_when_it_goes_right(
    tmp_path: Path, call: str, way: str
) -> None:
    with ground(tmp_path) as one:
        number = suffer(one, wrong(call, way, times=None), ends_after_s=12)
        assert held(one, number) == ONCE
