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
