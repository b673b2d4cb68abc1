"""
What nobody sends a webhook for: sessions to hand on, deliveries that GitHub could not bring, and
what is kept no longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.app.github.expiring import Expiring
from bot.app.github.handing_on import HandingOn
from bot.app.github.needs import Now
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
    handing_on: HandingOn
    expiring: Expiring
    mailbox: Bodies
    app: Delivering
    now: Now
    say: Say
    _swept: datetime | None = None
    _asked: set[int] = field(default_factory=set)

    def round(self) -> int:
        self.handing_on.round()
        now = self.now()
        if self._swept is None or abs(now - self._swept) >= SWEEP_EVERY:
            self._swept = now
            self._sweep(now)
            self.expiring.round(now)
        return 0

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
