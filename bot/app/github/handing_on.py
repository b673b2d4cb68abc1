"""
Hands sessions on: rests that are over, and what was left by workers that are not heard of any more.

Every process does it, and it is done once: the docket lets one of them have it. The queue recovers
only what its own process began, so whatever a lost one had is queued anew, as the next run.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.app.github.needs import Docket, Line, Now
from bot.core.facts import State

QUEUE_AGAIN = timedelta(seconds=30)
AT_ONCE = 200


@dataclass(slots=True, kw_only=True)
class HandingOn:
    """``worker``: what this process is called, also before it was started anew. None: no other
    process works on the same docket."""

    docket: Docket
    line: Line
    now: Now
    worker: str | None
    _queued: datetime | None = None

    def let_go(self) -> None:
        """Before anything runs here: what ran here may be run again, at once."""
        self.docket.let_go(self.worker)

    def take_up(self) -> None:
        """At the start: whatever was queued is queued, and what ran here is run again."""
        for one in self.docket.in_state(State.QUEUED, State.RUNNING):
            self.line.put(one.session, run=one.run, repository=one.where.id)

    def round(self) -> None:
        now = self.now()
        for session in self.docket.due(now=now):
            self._put(session, self.docket.queue_again(session))
        for session in self.docket.lapsed():
            self._put(session, self.docket.take_over(session))
        if self._queued is None or abs(now - self._queued) >= QUEUE_AGAIN:
            self._queued = now
            self._queue()

    def _queue(self) -> None:
        """Whoever put a session on the docket may have died before it was in the queue."""
        for one in self.docket.in_state(State.QUEUED, limit=AT_ONCE):
            self.line.put(one.session, run=one.run, repository=one.where.id)

    def _put(self, session: str, run: int | None) -> None:
        listed = self.docket.get(session)
        if run is not None and listed is not None:
            self.line.put(session, run=run, repository=listed.where.id)
