"""
When the next write of an installation may go, so that GitHub never has to refuse one.

A value per installation: whoever writes asks ``wait_s``, waits, writes, and keeps what ``wrote``
returns; or, where several write and share the value, ``book``s a time that is nobody else's.
Windows slide, so no 60 seconds ever hold more than the limit, wherever they begin.
"""

from __future__ import annotations

from dataclasses import dataclass

APART_S = 1.0
PER_MINUTE = 80
PER_HOUR = 500
AHEAD_S = 60.0
"""Nobody books further ahead: whatever is, is of a clock that went back."""
_MINUTE_S, _HOUR_S = 60.0, 3600.0


@dataclass(frozen=True, slots=True)
class WritePace:
    """``created``: when content was created, in seconds of a clock that all writers share."""

    created: tuple[float, ...] = ()
    last: float | None = None

    def wait_s(self, now: float, *, creates: bool) -> float:
        """Seconds until a write may go; 0 for at once. ``creates``: a comment, a pull request, a
        commit: whatever counts as content."""
        return max(self._as_of(now).due(now, creates=creates) - now, 0.0)

    def book(self, now: float, *, creates: bool) -> tuple[float, WritePace]:
        """When the write is to go, now or later, and what to keep for those who come after."""
        past = self._as_of(now + AHEAD_S)
        at = max(past.due(now, creates=creates), now)
        kept = tuple(one for one in past.created if at - one < _HOUR_S)
        return at, WritePace((*kept, at) if creates else kept, at)

    def due(self, now: float, *, creates: bool) -> float:
        """The earliest moment by this past, which may be over."""
        due = now if self.last is None else self.last + APART_S
        if creates:
            minute = _room(self.created, PER_MINUTE, _MINUTE_S)
            due = max(due, minute, _room(self.created, PER_HOUR, _HOUR_S))
        return due

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
