"""How often a break has to fail a test that fails by chance, before the test has noticed it."""

from __future__ import annotations

import pytest

from bot.app.flaky.mend_mutate import BY_CHANCE, MOST_TIMES, times_of


@pytest.mark.parametrize(
    ("share", "times"), [(0.0, 2), (0.12, 2), (0.18, 3), (0.5, 6), (0.77, 15), (0.99, 15)]
)
def test_so_many_failures_are_no_chance(share: float, times: int) -> None:
    assert times_of(share) == times
    assert share**times <= BY_CHANCE or times == MOST_TIMES
