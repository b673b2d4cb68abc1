"""
Takes checkpoints off the forge when they have been there long enough, repository by repository.

What cannot be reached today is tried again tomorrow; where jam is not installed any more, nothing
of it is jam's to take away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Protocol

from bot.app.github.needs import Forges
from bot.core import expiry
from bot.core.docket import Listed
from bot.core.thread import Repository
from bot.errors import RequestError, TransientError
from bot.ports import Say

EVERY = timedelta(days=1)


class Ended(Protocol):
    def ended_in(self, *, before: datetime) -> Iterable[Repository]:
        """Where sessions ended before that."""
        ...

    def get(self, session: str) -> Listed | None: ...


@dataclass(slots=True, kw_only=True)
class Expiring:
    docket: Ended
    forges: Forges
    say: Say
    _looked: dict[int, datetime] = field(default_factory=dict)

    def round(self, now: datetime) -> None:
        for where in self.docket.ended_in(before=now - expiry.KEPT):
            looked = self._looked.get(where.id)
            if looked is None or abs(now - looked) >= EVERY:
                self._looked[where.id] = now
                self._clear(where, now)

    def _clear(self, where: Repository, now: datetime) -> None:
        try:
            forge = self.forges.of(where)
            refs = [one.name for one in forge.refs(expiry.CHECKPOINTS)]
            known = cache(self.docket.get)
            for ref in expiry.expired(refs, known, repository=where.id, now=now):
                forge.drop(ref)
                self.say(f"{ref} of {where.name} was kept for {expiry.KEPT.days} days, and is gone")
        except (TransientError, RequestError) as unheard:
            self.say(f"checkpoints of {where.name} could not be looked at: {unheard}")
