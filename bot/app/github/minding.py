"""
What nobody sends a webhook for: rests that are over, workers that are gone, deliveries that GitHub
could not bring, and what is kept no longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.app.github.needs import Docket, Line, Now
from bot.core.facts import State
from bot.core.forge_values import DeliveryFacts
from bot.errors import RequestError, TransientError
from bot.ports import Say

SWEEP_EVERY = timedelta(minutes=5)
SWEEP_BACK = timedelta(days=3)
"""GitHub remembers deliveries for about as long."""
KEEP_BODIES = timedelta(days=7)


class Bodies(Protocol):
    def knows(self, id_: str) -> bool: ...

    def forget_bodies(self, *, before: datetime) -> int: ...


class Delivering(Protocol):
    """GitHub's list of what it sent to the App."""

    def deliveries(self, *, since: datetime) -> Sequence[DeliveryFacts]: ...

    def redeliver(self, delivery: int) -> None: ...


@dataclass(slots=True, kw_only=True)
class Minding:
    """``is_alone``: no other process works on the same docket."""

    docket: Docket
    line: Line
    mailbox: Bodies
    app: Delivering
    now: Now
    say: Say
    is_alone: bool
    _swept: datetime | None = None
    _asked: set[int] = field(default_factory=set)

    def take_up(self) -> None:
        """At the start: whatever was queued is queued, whatever ran is run again."""
        if self.is_alone:
            self.docket.let_go(now=self.now())
        for one in self.docket.in_state(State.QUEUED, State.RUNNING):
            self.line.put(one.session, run=one.run, repository=one.where.id)

    def round(self) -> int:
        now = self.now()
        for session in self.docket.due(now=now):
            self._put(session, self.docket.queue_again(session))
        for session in self.docket.lapsed(now=now):
            self._put(session, self.docket.take_over(session, now=now))
        if self._swept is None or abs(now - self._swept) >= SWEEP_EVERY:
            self._swept = now
            self._sweep(now)
        return 0

    def _put(self, session: str, run: int | None) -> None:
        listed = self.docket.get(session)
        if run is not None and listed is not None:
            self.line.put(session, run=run, repository=listed.where.id)

    def _sweep(self, now: datetime) -> None:
        self.mailbox.forget_bodies(before=now - KEEP_BODIES)
        try:
            for one in lost(self.app.deliveries(since=now - SWEEP_BACK)):
                if not self.mailbox.knows(one.guid) and one.id not in self._asked:
                    self.app.redeliver(one.id)
                    self._asked.add(one.id)
                    self.say(f"asked GitHub to bring {one.guid} again")
        except (TransientError, RequestError) as unheard:
            self.say(f"GitHub's list of deliveries could not be read: {unheard}")


def lost(found: Sequence[DeliveryFacts]) -> tuple[DeliveryFacts, ...]:
    """The newest attempt of each that never arrived."""
    arrived = {one.guid for one in found if one.arrived}
    newest: dict[str, DeliveryFacts] = {}
    for one in found:
        if one.guid not in arrived and (one.guid not in newest or one.id > newest[one.guid].id):
            newest[one.guid] = one
    return tuple(newest.values())
