"""
A session from its opening to its answer, whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Event
from typing import Protocol

from bot.app.case import Case
from bot.app.conduct import Hands, conduct, write
from bot.app.requests import Answer
from bot.core import ledger, notice
from bot.core.conclude import EXIT_CODES
from bot.core.document import document
from bot.core.entries import AnyFact, Moved, Opened
from bot.core.flaky import evidence
from bot.core.ledger import Sealed
from bot.core.pr_body import render
from bot.core.session import Session, learn, replay
from bot.errors import TransientError
from bot.ports import Journal


class Beginning(Hands, Protocol):
    def before(self, session: Session) -> tuple[AnyFact, ...]:
        """What is known before the first step, besides the opening."""
        ...


def begin(opened: Opened, journal: Journal, hands: Beginning) -> None:
    """From here on there is a session. Beginning again changes nothing."""
    entries = ledger.read(journal.read(opened.session))
    if entries and isinstance(entries[-1].fact, Moved):
        for fact in hands.before(replay(entries)):
            entries = write(journal, opened.session, entries, fact)
        return
    if len(entries) > 1:
        return
    for fact in (opened, *hands.before(learn(Session(), opened)))[len(entries) :]:
        entries = write(journal, opened.session, entries, fact)


def run(
    case: Case,
    journal: Journal,
    hands: Hands,
    *,
    stop: Event,
    now: Callable[[], datetime],
    path: str,
) -> Answer:
    """Conducts the session and tells what came of it. ``path``: where the ledger is kept."""
    try:
        conduct(case.session_id, journal, hands, terms=case.terms, stop=stop, now=now)
    except TransientError as resting:
        hint = notice.resume_hint(case.session_id)
        raise type(resting)(f"{resting}; {hint}") from resting
    return answer(ledger.read(journal.read(case.session_id)), path=path)


def answer(entries: Sequence[Sealed], *, path: str) -> Answer:
    """The body, and the same as data; the exit code is the outcome's."""
    session = replay(entries)
    body = evidence.render(entries) if evidence.is_mend(entries) else render(entries)
    code = EXIT_CODES[session.ended.end] if session.ended else TransientError.exit_code
    return Answer(text=body, document=document(entries, path=path, body=body), exit_code=code)
