"""
What only looks: sessions, their stories, their checkpoints, their ledgers.
"""

from __future__ import annotations

from pathlib import Path

from bot.adapters.repository import open_repository
from bot.adapters.store import Store, read_lines
from bot.app import engine
from bot.app.requests import (
    Answer,
    CheckpointsAction,
    CheckpointsRequest,
    LedgerCheckRequest,
    SessionsRequest,
    ShowRequest,
)
from bot.core import ledger, notice
from bot.core.invariants import broken
from bot.core.ledger import Sealed
from bot.core.session import replay
from bot.core.words import many_of
from bot.errors import LedgerBroken, NoSuchSession
from bot.wiring.settings import read

PATCH_BYTES = 4 << 20


def _store(state: Path | None) -> Store:
    return Store((state or read().state).absolute())


def show(request: ShowRequest) -> Answer:
    store = _store(request.state)
    session_id = store.find(request.session)
    entries = ledger.read(store.read(session_id))
    told = engine.answer(entries, path=str(store.path(session_id)))
    facts = [entry.model_dump(mode="json") for entry in entries]
    text = f"{notice.story(entries)}\n\n{told.text}"
    return Answer(text=text, document={**told.document, "entries": facts})


def sessions(request: SessionsRequest) -> Answer:
    store = _store(request.state)
    ledgers: list[tuple[Sealed, ...]] = []
    broken_ones: dict[str, str] = {}
    for session_id in store.sessions():
        try:
            entries = ledger.read(store.read(session_id))
            replay(entries)
        except LedgerBroken as error:  # one of many: the others are still to be seen
            broken_ones[session_id] = str(error)
        else:
            ledgers.append(entries)
    return Answer(
        text=notice.sessions(ledgers, broken=broken_ones),
        document={
            "sessions": [notice.summary(entries) for entries in ledgers],
            "broken": broken_ones,
        },
    )


def ledger_check(request: LedgerCheckRequest) -> Answer:
    entries = ledger.read(read_lines(request.file))
    if not entries:
        raise LedgerBroken(f"{request.file} holds no entry")
    wrong = broken(entries)
    return Answer(
        text=notice.checked(entries, wrong),
        document={
            "entries": len(entries),
            "seal": ledger.last_seal(entries),
            "broken": list(wrong),
        },
        exit_code=LedgerBroken.exit_code if wrong else 0,
    )


def checkpoints(request: CheckpointsRequest) -> Answer:
    repository = open_repository(request.repo)
    session, is_known = _session_name(request)
    kept = repository.checkpoints(session)
    if not kept and not (is_known and request.action is CheckpointsAction.LIST):
        raise NoSuchSession(f"{repository.top} holds no checkpoint of session {session}")
    if request.action is CheckpointsAction.PRUNE:
        count = repository.prune(session)
        return Answer(
            text=f"Forgotten: {many_of(count, 'checkpoint')} of {session}.",
            document={"pruned": count},
        )
    if request.action is CheckpointsAction.LIST:
        return Answer(
            text=notice.checkpoints([(k.number, k.commit, k.ref) for k in kept]),
            document={
                "checkpoints": [
                    {"number": k.number, "commit": k.commit, "ref": k.ref, "at": k.at} for k in kept
                ]
            },
        )
    number = kept[-1].number if request.number is None else request.number
    if request.action is CheckpointsAction.RESTORE:
        branch = f"jam/checkpoint-{session}-{number}"
        repository.restore_branch(session, number, branch=branch)
        return Answer(
            text=f"Checkpoint {number} of {session} is branch {branch}.",
            document={"branch": branch, "number": number},
        )
    commit = repository.checkpoint(session, number).commit
    before = repository.parent_of(commit)
    patch = repository.diff(before, commit, limit=PATCH_BYTES)
    return Answer(text=patch, document={"number": number, "commit": commit, "patch": patch})


def _session_name(request: CheckpointsRequest) -> tuple[str, bool]:
    """As a person typed it: whole, or its beginning where the state folder knows the session; and
    whether it does."""
    try:
        return _store(request.state).find(request.session), True
    except NoSuchSession:
        return request.session, False
