"""What is nearly used up is said before it is over, with the numbers a person would want."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.limits import near, reached
from bot.core.session import Session
from bot.core.steps import Terms

TERMS = Terms(
    agents=("a",), turns=10, seconds=3600, tokens=1_000, cents=500, hooks=0, may_reproduce=False,
    needs_red=True, agent_tests=False, publish=True, can_ask=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("session", "close", "over"),
    [
        (Session(turns=7, seconds=2879, tokens=799, cents=399.9), "", ""),
        (Session(turns=8), "8 of 10 turns", ""),
        (Session(seconds=2880), "2880 of 3600 seconds", ""),
        (Session(tokens=999, cents=400), "999 of 1000 tokens, $4.00 of $5.00", ""),
        (Session(turns=10, cents=450), "$4.50 of $5.00", "the limit of 10 turns was reached"),
        (Session(cents=512), "", "the limit of $5.00 was reached"),
        (Session(tokens=1_000), "", "the limit of 1000 tokens was reached"),
        (Session(seconds=3601), "", "the limit of 3600 seconds was reached"),
    ],
)
def test_how_much_is_used(session: Session, close: str, over: str) -> None:
    assert (near(session, TERMS), reached(session, TERMS)) == (close, over)


def test_no_tokens_and_no_money_is_no_limit_of_them() -> None:
    terms = replace(TERMS, tokens=0, cents=0)
    session = Session(tokens=10**9, cents=10**9)

    assert (near(session, terms), reached(session, terms)) == ("", "")
