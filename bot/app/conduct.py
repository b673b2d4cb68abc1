"""Conducts one session to its end. All of the thinking is in ``bot.core.next_step``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Event
from typing import Protocol

from bot.core import invariants, ledger
from bot.core.entries import AnyFact, Ended, Stopped, Suspended
from bot.core.ledger import Sealed
from bot.core.next_step import next_step
from bot.core.session import Session, learn, replay
from bot.core.steps import Done, Finish, Publish, Step, Terms
from bot.errors import LedgerBroken, Superseded, TransientError
from bot.ports import Journal


class Hands(Protocol):
    def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
        """Do it, and say what came of it. Doing it again after a crash is harmless."""
        ...


def conduct(
    session_id: str,
    journal: Journal,
    hands: Hands,
    *,
    terms: Terms,
    stop: Event,
    now: Callable[[], datetime],
) -> Ended:
    """The outcome. ``TransientError`` leaves a session that can be resumed."""
    entries = ledger.read(journal.read(session_id))
    session = replay(entries)
    while True:
        step = next_step(session, terms)
        if isinstance(step, Done):
            return step.ended
        if isinstance(step, Publish | Finish):
            _demand_sense(entries, session)
        for fact in _facts(step, session, hands, stop=stop, now=now):
            entries = write(journal, session_id, entries, fact)
            session = learn(session, fact)
            if isinstance(fact, Suspended):
                raise TransientError(fact.why)


def write(
    journal: Journal, session_id: str, entries: tuple[Sealed, ...], fact: AnyFact
) -> tuple[Sealed, ...]:
    """The ledger with one more entry; kept before anything relies on it."""
    more = ledger.append(entries, fact)
    after = ledger.last_seal(entries)
    journal.append(session_id, ledger.line(more[-1]), place=len(entries), after=after)
    return more


def _demand_sense(entries: Sequence[Sealed], session: Session) -> None:
    """The word *verified* leaves only on a ledger that bears it, whatever led to it."""
    if session.adjudicated is None or session.adjudicated.end != "verified":
        return
    if broken := invariants.broken(entries):
        raise LedgerBroken(f"the ledger does not bear the word verified: {'; '.join(broken)}")


def _facts(
    step: Step, session: Session, hands: Hands, *, stop: Event, now: Callable[[], datetime]
) -> tuple[AnyFact, ...]:
    if stop.is_set() and _may_stop(session):
        return (Stopped(by="a person"),)
    try:
        return hands.perform(step, session)
    except Superseded:
        raise  # nothing is written any more, not even that it rests
    except TransientError as error:
        return (Suspended(at=now(), why=str(error)),)


def _may_stop(session: Session) -> bool:
    """Stopping ends the work; what there is by then is still adjudicated and told."""
    return session.stopped is None and session.baseline is not None and not session.adjudications
