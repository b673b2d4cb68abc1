"""
The hub's idea of now. Everything that carries a time asks here, so that a test can make the hub's
clock wrong (``skew``) or hand in its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def system_now() -> datetime:
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """As GitHub writes it: whole seconds and a ``Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Clock:
    def __init__(self, now: Callable[[], datetime] = system_now) -> None:
        self._now = now
        self.skew = timedelta()

    def now(self) -> datetime:
        return self._now() + self.skew

    def stamp(self) -> str:
        return stamp(self.now())

    def seconds(self) -> int:
        return int(self.now().timestamp())
