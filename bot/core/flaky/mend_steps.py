"""
A mend as a fold over its ledger, and the step that is due.

One session is one root cause. Red is a failure under the condition found; green is every recorded
failure replayed, enough clean runs under the same condition and under free variation, every other
test kept, and a test that still notices a broken product. The first failure ends an attempt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from bot.core.entries import AnyFact, Turned
from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_facts import (
    FAILED,
    INVALID,
    Arm,
    Guarded,
    Mutated,
    Planned,
    Sampled,
    SuiteRan,
)
from bot.core.ledger import Sealed
from bot.core.limits import reached
from bot.core.session import Session, learn
from bot.core.steps import Conclude, Done, Finish, Prepare, Publish, Terms, Work

ATTEMPTS = 3
"""Patches that may be judged by runs: each is paid for."""
REFUSALS = 6
"""Patches that the guard may refuse before the work is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    turn: Turned
    tree: str
    guarded: Guarded | None = None
    replay: Sampled | None = None
    same: Sampled | None = None
    free: Sampled | None = None
    suite: SuiteRan | None = None
    mutated: Mutated | None = None

    @property
    def number(self) -> int:
        return self.turn.number

    @property
    def fault(self) -> str:
        """Why it is no mend, or '' while nothing speaks against it."""
        if self.guarded and self.guarded.refusals:
            first = self.guarded.refusals[0]
            return f"the guard refuses it: {first.place}: {first.what}"
        for sampled in (self.replay, self.same, self.free):
            if sampled and not sampled.is_clean:
                return fault_of(sampled)
        if self.suite and (self.suite.lost or self.suite.worse):
            return f"other tests are not kept: {(*self.suite.lost, *self.suite.worse)[0]}"
        if self.mutated and len(self.mutated.lost) > self.mutated.allowance:
            return f"the test does not notice any more: {self.mutated.lost[0]}"
        return ""

    @property
    def is_whole(self) -> bool:
        parts = (self.guarded, self.replay, self.same, self.free, self.suite, self.mutated)
        return None not in parts and not self.fault

    @property
    def was_run(self) -> bool:
        return self.replay is not None


def fault_of(sampled: Sampled) -> str:
    arm = {
        Arm.REPLAY: "under a condition under which it had failed before",
        Arm.SAME: "under the condition found",
        Arm.FREE: "under a fresh order and seed",
        Arm.RED: "on the base",
    }[sampled.arm]
    if sampled.failed:
        place = sampled.marks.replace(INVALID, "").find(FAILED) + 1
        return f"it failed again {arm}, in run {place or sampled.runs}"
    return sampled.why or f"only {sampled.runs} of {sampled.needed} runs could be judged {arm}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    session: Session
    finding: Finding | None = None
    red: Sampled | None = None
    planned: Planned | None = None
    suite: SuiteRan | None = None
    attempts: tuple[Attempt, ...] = ()

    @property
    def last(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def tried(self) -> int:
        return sum(attempt.was_run for attempt in self.attempts)


@dataclass(frozen=True, slots=True)
class ShowRed:
    """The condition found, on the base, until it fails."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Fix the sizes."""


@dataclass(frozen=True, slots=True)
class RunSuite:
    attempt: int
    tree: str


@dataclass(frozen=True, slots=True)
class Guard:
    attempt: int
    tree: str


@dataclass(frozen=True, slots=True)
class Sample:
    attempt: int
    tree: str
    arm: Arm


@dataclass(frozen=True, slots=True)
class Mutate:
    attempt: int
    tree: str


MendStep: TypeAlias = (
    Prepare
    | ShowRed
    | Plan
    | RunSuite
    | Work
    | Guard
    | Sample
    | Mutate
    | Conclude
    | Publish
    | Finish
    | Done
)


def fold(ledger: Iterable[Sealed]) -> Mend:
    return fold_facts(sealed.fact for sealed in ledger)


def fold_facts(facts: Iterable[AnyFact]) -> Mend:
    mend = Mend(session=Session())
    for fact in facts:
        mend = learn_mend(mend, fact)
    return mend


def learn_mend(mend: Mend, fact: AnyFact) -> Mend:
    mend = replace(mend, session=learn(mend.session, fact))
    match fact:
        case Finding():
            return replace(mend, finding=fact)
        case Planned():
            return replace(mend, planned=fact)
        case Sampled(arm=Arm.RED):
            return replace(mend, red=fact)
        case SuiteRan(attempt=0):
            return replace(mend, suite=fact)
        case Turned(wish="finish") if mend.session.head is not None:
            attempt = Attempt(turn=fact, tree=mend.session.head.tree)
            return replace(mend, attempts=(*mend.attempts, attempt))
        case Guarded() | Sampled() | SuiteRan() | Mutated():
            return _learn_attempt(mend, fact)
        case _:
            return mend


def _learn_attempt(mend: Mend, fact: Guarded | Sampled | SuiteRan | Mutated) -> Mend:
    *before, last = mend.attempts
    match fact:
        case Guarded():
            last = replace(last, guarded=fact)
        case Sampled(arm=Arm.REPLAY):
            last = replace(last, replay=fact)
        case Sampled(arm=Arm.SAME):
            last = replace(last, same=fact)
        case Sampled():
            last = replace(last, free=fact)
        case SuiteRan():
            last = replace(last, suite=fact)
        case Mutated():
            last = replace(last, mutated=fact)
    return replace(mend, attempts=(*before, last))


def next_step(mend: Mend, terms: Terms) -> MendStep:
    session = mend.session
    if session.ended:
        return Done(session.ended)
    if session.adjudicated:
        whole = mend.last is not None and mend.last.is_whole
        due = whole and session.published is None
        return Publish() if due and terms.publish else Finish()
    if session.prepared is None:
        return Prepare()
    return _before_work(mend) or _judging(mend) or _working(mend, terms)


def _before_work(mend: Mend) -> MendStep | None:
    if mend.red is None:
        return ShowRed()
    if mend.red.failed == 0:
        return Conclude(f"it did not fail on the base in {mend.red.runs} runs")
    if mend.planned is None:
        return Plan()
    if not mend.planned.affordable:
        runs = mend.planned.same
        return Conclude(f"{runs} runs would have to be clean, which the budget does not allow")
    return RunSuite(0, mend.session.ground) if mend.suite is None else None


def _judging(mend: Mend) -> MendStep | None:
    """What is still to be found out of the newest patch; None once that is settled."""
    last = mend.last
    if last is None or last.fault or last.is_whole:
        return None
    number, tree = last.number, last.tree
    if last.guarded is None:
        return Guard(number, tree)
    for arm, made in ((Arm.REPLAY, last.replay), (Arm.SAME, last.same), (Arm.FREE, last.free)):
        if made is None:
            return Sample(number, tree, arm)
    return RunSuite(number, tree) if last.suite is None else Mutate(number, tree)


def _working(mend: Mend, terms: Terms) -> MendStep:
    session, last = mend.session, mend.last
    if last is not None and last.is_whole:
        return Conclude("every rule was met")
    refused = sum(not attempt.was_run for attempt in mend.attempts)
    why = {
        "it was stopped": session.stopped is not None,
        f"{ATTEMPTS} patches were tried": mend.tried >= ATTEMPTS,
        f"the guard refused {REFUSALS} patches": refused >= REFUSALS,
        "the agent gave up": session.agent >= len(terms.agents),
    }
    over = next((words for words, is_so in why.items() if is_so), "") or reached(session, terms)
    if over:
        return Conclude(f"{over}; {last.fault}" if last and last.fault else over)
    return Work(number=session.turns + 1, agent=terms.agents[session.agent])
