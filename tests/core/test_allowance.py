"""What one call may cost where several sessions share a day's budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.allowance import granted


@pytest.mark.parametrize(
    ("wanted", "limit", "spent", "reserved", "cents"),
    [
        pytest.param(500, 0, 900, 0, 500, id="no limit"),
        pytest.param(500, 5_000, 0, 0, 500, id="more than enough is left"),
        pytest.param(500, 5_000, 4_700, 0, 300, id="nobody else spends: what is left, all of it"),
        pytest.param(500, 5_000, 4_990, 0, 10, id="however little"),
        pytest.param(500, 5_000, 5_000, 0, 0, id="nothing is left"),
        pytest.param(500, 5_000, 5_100, 0, 0, id="more than the limit was spent already"),
        pytest.param(500, 5_000, 4_000, 500, 500, id="others leave enough"),
        pytest.param(500, 5_000, 4_400, 500, 100, id="others leave a call"),
        pytest.param(500, 5_000, 4_401, 500, None, id="others leave little, and may give back"),
        pytest.param(500, 5_000, 4_500, 500, None, id="others hold all of it"),
        pytest.param(40, 5_000, 4_450, 500, 40, id="a session that has little left needs no more"),
        pytest.param(0, 5_000, 5_000, 500, None, id="nothing is wanted where nothing is left"),
    ],
)
def test_nobody_spends_what_was_promised_to_others(
    wanted: float, limit: float, spent: float, reserved: float, cents: float | None
) -> None:
    assert granted(wanted, limit=limit, spent=spent, reserved=reserved) == cents


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 900), st.floats(0, 1)), max_size=60),
    st.floats(1, 2_000),
)
def test_whatever_happens_the_limit_holds(
    calls: list[tuple[int, float, float]], limit: float
) -> None:
    """Each of four sessions settles what it had reserved when it wants to call again."""
    spent, held = 0.0, dict.fromkeys(range(4), 0.0)
    for who, wanted, part in calls:
        spent += held.pop(who) * part
        cents = granted(wanted, limit=limit, spent=spent, reserved=sum(held.values()))
        held[who] = cents or 0.0

        assert spent + sum(held.values()) <= limit + 1e-6
