"""
Which checkpoints on a forge have been kept long enough.

Only of sessions that ended: one that rests, or asks, may go on after any time. What the docket does
not know may be another jam's, so it stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from bot.core.docket import Listed
from bot.core.facts import State

KEPT = timedelta(days=30)
CHECKPOINTS = "refs/jam/checkpoints/"
_SESSION = re.compile(r"refs/jam/checkpoints/([^/]+)/[0-9]+")


def expired(
    refs: Iterable[str], known: Callable[[str], Listed | None], *, repository: int, now: datetime
) -> tuple[str, ...]:
    """``known``: a session's row by its name."""
    return tuple(ref for ref in refs if _is_over(_session(ref, known), repository, now))


def _session(ref: str, known: Callable[[str], Listed | None]) -> Listed | None:
    found = _SESSION.fullmatch(ref)
    return known(found[1]) if found else None


def _is_over(session: Listed | None, repository: int, now: datetime) -> bool:
    if session is None or session.where.id != repository or session.state is not State.ENDED:
        return False
    return session.ended_at is not None and now - session.ended_at >= KEPT
