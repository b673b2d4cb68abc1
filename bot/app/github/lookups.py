"""
Looks up the facts that a decision is missing, and no others.

Each is asked for when it is needed and at the time, by the API or in the docket. A question that
the forge does not answer is no fact: the delivery is tried again later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never

from bot.app.github import contracts
from bot.app.github.needs import Docket
from bot.core import trigger
from bot.core.decision import Decision, LookUp
from bot.core.event import (
    CheckAsked,
    CheckEnded,
    CheckKind,
    Commented,
    Dispatched,
    Event,
    Labelled,
    PullMoved,
    Reviewed,
    ThreadEnded,
    Unlabelled,
)
from bot.core.facts import Facts, Gone, Need, Standing
from bot.core.forge_values import OfRun, OfSuite
from bot.core.permission import Permission
from bot.core.thread import Account, Pull
from bot.forge_port import Forge

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookups:
    forge: Forge
    docket: Docket
    now: datetime

    def decide(self, event: Event, facts: Facts, *, key: str) -> tuple[Decision, Facts]:
        """Asks until nothing is missing. Each round brings a fact, so there is an end to it."""
        for _ in range(len(Need) + 1):
            decision = trigger.decide(event, facts, key=key)
            if not isinstance(decision, LookUp):
                return decision, facts
            for need in sorted(decision.needs):
                facts = self.learn(event, facts, need, decision.counted)
        raise AssertionError(f"{type(event).__name__} always wants to know more")

    def learn(  # noqa: C901  # one case per fact
        self, event: Event, facts: Facts, need: Need, counted: str
    ) -> Facts:
        match need:
            case Need.RULES:
                return replace(facts, rules=contracts.rules_of(self.forge))
            case Need.PERMISSION:
                return replace(facts, permission=self._permission(event, facts))
            case Need.STANDING:
                return replace(facts, standing=self._standing(event, counted))
            case Need.ATTEMPTS:
                return replace(facts, attempts=self.docket.attempts(counted))
            case Need.SPENT:
                return replace(facts, spent_cents=self._spent(event))
            case Need.PULL:
                return replace(facts, pull=self._pull(event))
            case Need.HEAD:
                return replace(facts, head=self._head(event))
            case Need.FAILING:
                return replace(facts, failing=self._failing(event))
            case _:
                assert_never(need)

    def _permission(self, event: Event, facts: Facts) -> Permission:
        """Of the lowest of those who caused it; jam itself and trusted bots are asked nothing."""
        people = [
            one for one in actors(event) if not facts.own.wrote(one) and not facts.trusts(one)
        ]
        return min((self.forge.permission(one) for one in people), default=Permission.NONE)

    def _standing(self, event: Event, counted: str) -> Standing:
        where = getattr(event, "where", None)
        return self.docket.standing(where.id if where else 0, number_of(event), counted=counted)

    def _spent(self, event: Event) -> int:
        where = getattr(event, "where", None)
        midnight = self.now.replace(hour=0, minute=0, second=0, microsecond=0)
        return self.docket.spent_cents(where.id if where else 0, since=midnight)

    def _pull(self, event: Event) -> Pull | Gone:
        found = self.forge.pull(number_of(event))
        return found.pull if found else Gone()

    def _head(self, event: Event) -> str:
        branch = event.head_branch if isinstance(event, CheckEnded) else None
        return (self.forge.ref(f"refs/heads/{branch}") if branch else None) or ""

    def _failing(self, event: Event) -> tuple[str, ...]:
        if not isinstance(event, CheckEnded):
            return ()
        where = OfRun(event.id) if event.kind is CheckKind.WORKFLOW else OfSuite(event.id)
        return tuple(one.name for one in self.forge.failing(where) if one.has_failed)


def actors(event: Event) -> tuple[Account, ...]:
    if isinstance(event, CheckEnded):
        return event.actors or (event.by,)
    by = getattr(event, "by", None)
    return (by,) if isinstance(by, Account) else ()


def number_of(event: Event) -> int:
    """The thread that it is about; 0 for none."""
    match event:
        case Labelled() | Unlabelled() | ThreadEnded() | Commented():
            return event.thread.number
        case PullMoved() | Reviewed():
            return event.pull.number
        case CheckEnded() | CheckAsked():
            return event.pulls[0] if event.pulls else 0
        case Dispatched():
            return event.issue
        case _:
            return 0
