"""
A session, as a fold over its ledger.

``replay`` turns facts into a ``Session``; what to do about it is ``bot.core.steps``. Resuming after
a crash, explaining a past session and running a live one are the same two calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import assert_never

from bot.core.entries import (
    Adjudicated,
    AnyFact,
    Approved,
    Baselined,
    Composed,
    Disputed,
    Ended,
    Froze,
    Hooked,
    Judged,
    Moved,
    Opened,
    Prepared,
    Probed,
    Published,
    Reproduced,
    Stopped,
    Suspended,
    Turned,
)
from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_facts import Guarded, Mutated, Planned, Sampled, SuiteRan
from bot.core.ledger import Sealed
from bot.core.parts import Colour, Held, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    opened: Opened | None = None
    prepared: Prepared | None = None
    froze: Froze | None = None
    preflights: tuple[Judged, ...] = ()  # on the present ground
    baseline: Baselined | None = None
    reproductions: tuple[Judged, ...] = ()
    reproduced: Reproduced | None = None

    turns: int = 0
    agent: int = 0  # place in the list of backends
    last: Turned | None = None
    memories: tuple[tuple[str, str], ...] = ()  # agent and sha256 of what it keeps, a turn each
    head: Held | None = None  # the newest checkpoint on the present ground
    composed: Composed | None = None
    gate: Judged | None = None  # the stop gate's answer to the last turn
    hooks: tuple[Hooked, ...] = ()  # asked since that answer
    answers: Mapping[str, Judged] = field(default_factory=lambda: MappingProxyType({}))
    refusals: int = 0  # reds, vetoes and refusals together
    gate_errors: int = 0  # in a row
    stopped: Stopped | None = None
    asked: tuple[str, ...] = ()  # what the last turn wanted and nobody agreed to yet
    approved: frozenset[str] = frozenset()

    adjudications: tuple[Judged, ...] = ()
    disputes: tuple[Disputed, ...] = ()
    probes: tuple[Probed, ...] = ()
    with_tests: Judged | None = None
    with_surface: Judged | None = None
    adjudicated: Adjudicated | None = None
    published: Published | None = None
    ended: Ended | None = None

    guard_restores: int = 0
    had_red_run: bool = False  # set only by a run that really judged red
    tokens: int = 0
    cents: float = 0.0
    seconds: float = 0.0  # of setup, turns and oracle runs; not of waiting

    @property
    def ground(self) -> str:
        """The tree that a change is measured against: the base, or the base plus a reproduction."""
        if self.reproduced:
            return self.reproduced.tree
        return self.opened.base_tree if self.opened else ""

    @property
    def head_number(self) -> int:
        """0 is the ground itself."""
        return self.head.number if self.head else 0

    @property
    def candidate(self) -> Composed | None:
        """The candidate of the newest checkpoint, once it was composed."""
        here = self.composed and self.composed.checkpoint == self.head_number
        return self.composed if here else None


def replay(ledger: Iterable[Sealed]) -> Session:
    session = Session()
    for sealed in ledger:
        session = learn(session, sealed.fact)
    return session


def learn(session: Session, fact: AnyFact) -> Session:  # noqa: C901  # one case per kind of fact
    match fact:
        case Opened():
            return replace(session, opened=fact)
        case Prepared():
            return replace(session, prepared=fact, seconds=session.seconds + fact.setup_s)
        case Froze():
            return replace(session, froze=fact)
        case Judged():
            return _learn_judged(session, fact)
        case Baselined():
            return replace(session, baseline=fact)
        case Reproduced():
            return _learn_ground(session, fact)
        case Turned():
            return _learn_turn(session, fact)
        case Composed():
            restores = session.guard_restores + fact.restored_count
            return replace(session, composed=fact, guard_restores=restores)
        case Hooked():
            hooks = (*session.hooks, fact)
            return replace(session, hooks=hooks, refusals=session.refusals + fact.vetoed)
        case Stopped():
            return replace(session, stopped=fact)
        case Suspended() | Finding() | Planned() | Guarded():
            return session
        case Sampled() | SuiteRan() | Mutated():
            return replace(session, seconds=session.seconds + fact.seconds)
        case Moved():
            return _learn_moved(session, fact)
        case Approved():
            agreed = session.approved | {*fact.what}
            return replace(session, asked=(), approved=agreed)
        case Disputed():
            disputes = (*session.disputes, fact)
            return replace(session, disputes=disputes, seconds=session.seconds + fact.seconds)
        case Probed():
            seconds = session.seconds + fact.seconds
            return replace(session, probes=(*session.probes, fact), seconds=seconds)
        case Adjudicated():
            return replace(session, adjudicated=fact)
        case Published():
            return replace(session, published=fact)
        case Ended():
            return replace(session, ended=fact)
        case _:
            assert_never(fact)


def _learn_turn(session: Session, fact: Turned) -> Session:
    spent = fact.spent
    tokens = spent.input_tokens + spent.output_tokens + spent.cache_write_tokens
    return replace(
        session,
        last=fact,
        memories=(*session.memories, (fact.agent, fact.memory_sha256)),
        turns=fact.number,
        asked=_asked(fact),
        agent=session.agent + (fact.wish == "give up"),
        head=fact.checkpoint or session.head,
        gate=None,
        hooks=(),
        tokens=session.tokens + tokens + spent.cache_read_tokens,
        cents=session.cents + spent.cents,
        seconds=session.seconds + fact.seconds,
    )


def _learn_ground(session: Session, fact: Reproduced) -> Session:
    """The ground has changed: what was judged on the old one says nothing here."""
    return replace(
        session,
        reproduced=fact,
        froze=None,
        preflights=(),
        baseline=None,
        head=None,
        composed=None,
        last=None,
        gate=None,
        hooks=(),
        answers=MappingProxyType({}),
        refusals=0,
    )


def _learn_moved(session: Session, fact: Moved) -> Session:
    """What the agent knows and what was spent comes along; every judgement stays behind."""
    return Session(
        opened=session.opened,
        turns=session.turns,
        agent=fact.agent,
        last=session.last if fact.finishes and not fact.lost else None,
        memories=session.memories[: fact.turns],
        head=fact.checkpoint,
        refusals=session.refusals,
        stopped=session.stopped,
        asked=() if fact.lost else session.asked,
        approved=session.approved,
        guard_restores=session.guard_restores,
        had_red_run=session.had_red_run,
        tokens=session.tokens,
        cents=session.cents,
        seconds=session.seconds,
    )


def _asked(turn: Turned) -> tuple[str, ...]:
    if turn.wish != "ask":
        return ()
    return tuple(call.argument for call in turn.calls if call.decision == "ask")


def _learn_judged(session: Session, fact: Judged) -> Session:
    session = replace(
        session,
        had_red_run=session.had_red_run or (fact.colour is Colour.RED and not fact.cached),
        seconds=session.seconds + (0 if fact.cached else fact.seconds),
    )
    match fact.purpose:
        case Purpose.PREFLIGHT:
            preflights = (*session.preflights, fact)
            return replace(session, preflights=preflights, answers=_answers(session, fact))
        case Purpose.STOP_GATE:
            return _learn_gate(session, fact)
        case Purpose.REPRODUCTION:
            refusals = session.refusals + (not fact.shows)
            reproductions = (*session.reproductions, fact)
            return replace(session, gate=fact, reproductions=reproductions, refusals=refusals)
        case Purpose.ADJUDICATION:
            return replace(session, adjudications=(*session.adjudications, fact))
        case Purpose.WITH_TESTS:
            return replace(session, with_tests=fact)
        case Purpose.WITH_SURFACE:
            return replace(session, with_surface=fact)
        case Purpose.SENSITIVITY:
            return session  # never in a ledger by itself: its word is ``Probed``
        case _:
            assert_never(fact.purpose)


def _learn_gate(session: Session, fact: Judged) -> Session:
    error = fact.colour is Colour.ERROR
    return replace(
        session,
        gate=fact,
        answers=session.answers if error else _answers(session, fact),
        refusals=session.refusals + (fact.colour is Colour.RED),
        gate_errors=session.gate_errors + 1 if error else 0,
    )


def _answers(session: Session, fact: Judged) -> Mapping[str, Judged]:
    """Errors are never remembered; green and red are, by tree."""
    if fact.colour is Colour.ERROR:
        return session.answers
    return MappingProxyType({**session.answers, fact.tree: fact})
