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
        due = now if self.last is None else self._not_later(now, self.last) + APART_S
        if creates:
            due = max(due, self._room(PER_MINUTE, _MINUTE_S), self._room(PER_HOUR, _HOUR_S))
        return max(due - now, 0.0)

    def wrote(self, now: float, *, creates: bool) -> WritePace:
        """A clock that went back does not make earlier writes undone, nor hold the next ones up."""
        kept = tuple(min(at, now) for at in self.created if now - at < _HOUR_S)
        return WritePace((*kept, now) if creates else kept, now)

    def _room(self, limit: int, window_s: float) -> float:
        """When the window has room for one more."""
        if len(self.created) < limit:
            return float("-inf")
        return self.created[-limit] + window_s

    @staticmethod
    def _not_later(now: float, at: float) -> float:
        return min(now, at)
