"""
Conducts the mend of one root cause to its end. All of the thinking is in
``bot.core.flaky.mend_steps``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Event

from bot.app.flaky.mend import MendHands
from bot.core import invariants, ledger
from bot.core.entries import AnyFact, Ended, Stopped, Suspended
from bot.core.flaky.mend_steps import Mend, MendStep, fold, learn_mend, next_step
from bot.core.ledger import Sealed, last_seal
from bot.core.steps import Done, Finish, Publish
from bot.errors import LedgerBroken, TransientError
from bot.ports import Journal


def conduct(
    session_id: str,
    journal: Journal,
    hands: MendHands,
    *,
    stop: Event,
    now: Callable[[], datetime],
) -> Ended:
    """The outcome. ``TransientError`` leaves a session that can be resumed."""
    entries = ledger.read(journal.read(session_id))
    mend = fold(entries)
    while True:
        step = next_step(mend, hands.case.terms)
        if isinstance(step, Done):
            return step.ended
        if isinstance(step, Publish | Finish):
            _demand_sense(entries, mend)
        fact = _fact(step, mend, hands, stop=stop, now=now, chance=last_seal(entries))
        assert fact is not None, "only a session that has ended has nothing to add"  # noqa: S101
        entries = ledger.append(entries, fact)
        journal.append(
            session_id,
            ledger.line(entries[-1]),
            place=len(entries) - 1,
            after=last_seal(entries[:-1]),
        )
        mend = learn_mend(mend, fact)
        if isinstance(fact, Suspended):
            raise TransientError(fact.why)


def _fact(
    step: MendStep,
    mend: Mend,
    hands: MendHands,
    *,
    stop: Event,
    now: Callable[[], datetime],
    chance: str,
) -> AnyFact | None:
    may_stop = mend.session.stopped is None and mend.session.adjudicated is None
    if stop.is_set() and may_stop and mend.session.prepared is not None:
        return Stopped(by="a person")
    try:
        return hands.perform(step, mend, chance=chance)
    except TransientError as error:
        return Suspended(at=now(), why=str(error))


def _demand_sense(entries: Sequence[Sealed], mend: Mend) -> None:
    word = mend.session.adjudicated
    if word is not None and word.end == "verified" and (broken := invariants.broken(entries)):
        raise LedgerBroken(f"the ledger does not bear the word verified: {'; '.join(broken)}")
