"""
When the next write of an installation may go, so that GitHub never has to refuse one.

A value per installation: whoever writes asks ``wait_s``, waits, writes, and keeps what ``wrote``
returns. Windows slide, so no 60 seconds ever hold more than the limit, wherever they begin.
"""

from __future__ import annotations

from dataclasses import dataclass

APART_S = 1.0
PER_MINUTE = 80
PER_HOUR = 500
_MINUTE_S, _HOUR_S = 60.0, 3600.0


@dataclass(frozen=True, slots=True)
class WritePace:
    """``created``: when content was created, in seconds of a clock that all writers share."""

    created: tuple[float, ...] = ()
    last: float | None = None

    def wait_s(self, now: float, *, creates: bool) -> float:
        """Seconds until a write may go; 0 for at once. ``creates``: a comment, a pull request, a
        commit: whatever counts as content."""
        past = self._as_of(now)
        due = now if past.last is None else past.last + APART_S
        if creates:
            minute = _room(past.created, PER_MINUTE, _MINUTE_S)
            due = max(due, minute, _room(past.created, PER_HOUR, _HOUR_S))
        return max(due - now, 0.0)

    def wrote(self, now: float, *, creates: bool) -> WritePace:
        past = self._as_of(now)
        kept = tuple(at for at in past.created if now - at < _HOUR_S)
        return WritePace((*kept, now) if creates else kept, now)

    def _as_of(self, now: float) -> WritePace:
        """A clock that went back undoes no write, and holds up the next no longer than a window."""
        last = None if self.last is None else min(self.last, now)
        return WritePace(tuple(min(at, now) for at in self.created), last)


def _room(created: tuple[float, ...], limit: int, window_s: float) -> float:
    """When the window has room for one more."""
    return created[-limit] + window_s if len(created) >= limit else float("-inf")
