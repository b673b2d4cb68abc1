"""
From the inbox to a decision that was performed: every delivery comes to an end that can be read.

A delivery that cannot be dealt with now waits and lets the others pass; one that never can be is
settled with the reason. What a delivery means is decided in ``bot.core.trigger``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from bot.app.about import about
from bot.app.github.accept import Acceptance, Done
from bot.app.github.lookups import Lookups
from bot.app.github.needs import Docket, Forges, Mailbox, Now
from bot.core.decision import Forget
from bot.core.delivery import read_event
from bot.core.event import Event, InstallationChanged, RepositoriesChanged, Unwanted
from bot.core.facts import Facts, Own
from bot.core.mail import Waiting
from bot.core.thread import Repository
from bot.core.trigger import decide
from bot.errors import ForgeUnavailable, RequestError, TransientError

TRIES = 12
FIRST_S, LONGEST_S = 2.0, 900.0
BUG_TRIES = 3

Bug = Callable[[str, BaseException], None]
"""Told of what nobody expected, with the name of the delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    mailbox: Mailbox
    docket: Docket
    forges: Forges
    acceptance: Acceptance
    bots: frozenset[int]
    now: Now
    bug: Bug

    def round(self) -> int:
        """Deals with what is due. How many deliveries that were."""
        due = self.mailbox.waiting(now=self.now())
        for waiting in due:
            with about(delivery=waiting.id):
                self._deal_with(waiting)
        return len(due)

    def _deal_with(self, waiting: Waiting) -> None:
        try:
            done = self._handle(waiting)
        except TransientError as busy:
            self._later(waiting, busy)
        except RequestError as refused:
            self.mailbox.settle(waiting.id, outcome="refused", why=str(refused))
        except Exception as bug:  # noqa: BLE001  # one delivery's bug must not stop the others
            self.bug(waiting.id, bug)
            self._after_bug(waiting, bug)
        else:
            self.mailbox.settle(
                waiting.id, outcome=done.outcome, why=done.why, session=done.session
            )

    def _handle(self, waiting: Waiting) -> Done:
        event = read_event(waiting.event, waiting.body)
        if isinstance(event, Unwanted):
            return Done(outcome="ignored", why=event.why)
        if isinstance(event, InstallationChanged | RepositoriesChanged):
            return self._lifecycle(event, waiting)
        if event.where.installation is None:
            return Done(outcome="ignored", why="it did not come through an installation of jam's")
        return self._of_repository(event, event.where, waiting)

    def _of_repository(self, event: Event, where: Repository, waiting: Waiting) -> Done:
        forge = self.forges.of(where)
        lookups = Lookups(forge=forge, docket=self.docket, now=self.now())
        facts = Facts(own=forge.own, bots=self.bots)
        decision, _ = lookups.decide(event, facts, key=waiting.id)
        if isinstance(decision, Forget) and decision.where is None:
            return self.acceptance.forget(decision)
        return self.acceptance.perform(decision, event, forge)

    def _lifecycle(self, event: InstallationChanged | RepositoriesChanged, of: Waiting) -> Done:
        """Needs no forge, and often there is none any more."""
        decision = decide(event, Facts(own=Own(account=0)), key=of.id)
        if isinstance(decision, Forget):
            return self.acceptance.forget(decision)
        return Done(outcome="ignored", why=getattr(decision, "why", ""))

    def _later(self, waiting: Waiting, busy: TransientError) -> None:
        if waiting.tries + 1 >= TRIES:
            why = f"given up after {TRIES} tries: {busy}"
            self.mailbox.settle(waiting.id, outcome="given up", why=why)
            return
        asked = busy.retry_after if isinstance(busy, ForgeUnavailable) else 0.0
        wait = max(min(FIRST_S * 2**waiting.tries, LONGEST_S), asked)
        self.mailbox.later(waiting.id, at=self.now() + timedelta(seconds=wait), why=str(busy))

    def _after_bug(self, waiting: Waiting, bug: BaseException) -> None:
        said = f"a bug in jam ({type(bug).__name__})"
        if waiting.tries + 1 >= BUG_TRIES:
            self.mailbox.settle(waiting.id, outcome="bug", why=said)
            return
        self.mailbox.later(waiting.id, at=self.now() + timedelta(seconds=FIRST_S), why=said)
