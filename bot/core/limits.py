"""
What a session may use, and how much of it is used: told before it is over, and when it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.session import Session
from bot.core.steps import Terms

NEAR = 0.8


def reached(session: Session, terms: Terms) -> str:
    """Which limit is reached, with its number; or ''."""
    full = (most for used, limit, _, most in _limits(session, terms) if used >= limit)
    return next((f"the limit of {most} was reached" for most in full), "")


def near(session: Session, terms: Terms) -> str:
    """What of it is nearly used up, with numbers; or '' while there is room."""
    close = (
        f"{so_far} of {most}"
        for used, limit, so_far, most in _limits(session, terms)
        if NEAR * limit <= used < limit
    )
    return ", ".join(close)


def _limits(session: Session, terms: Terms) -> Iterator[tuple[float, float, str, str]]:
    """Used, the most, and both in words; no tokens or cents at all is no limit of them."""
    yield session.turns, terms.turns, f"{session.turns}", f"{terms.turns} turns"
    yield session.seconds, terms.seconds, f"{session.seconds:.0f}", f"{terms.seconds:g} seconds"
    if terms.tokens > 0:
        yield session.tokens, terms.tokens, f"{session.tokens}", f"{terms.tokens} tokens"
    if terms.cents > 0:
        yield session.cents, terms.cents, _dollars(session.cents), _dollars(terms.cents)


def _dollars(cents: float) -> str:
    return f"${cents / 100:.2f}"
