"""
What changes something: opening a session, and going on with one.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from threading import Event

from bot import agents
from bot.adapters import folders, sandbox, signing
from bot.adapters.caveats import caveats, uncommitted
from bot.adapters.repository import Repository, open_repository
from bot.adapters.store import Store
from bot.app import engine
from bot.app.case import Case, recall
from bot.app.opening import read_objective
from bot.app.requests import Answer, FixRequest, ResumeRequest
from bot.core import ledger, notice
from bot.core.contract import SandboxKind
from bot.core.flaky import evidence
from bot.core.session import replay
from bot.errors import NoSuchSession, RequestError, SpecError
from bot.ports import Say
from bot.wiring import local
from bot.wiring.attesting import Attesting, keep_here
from bot.wiring.ground import ground
from bot.wiring.secrecy import redactor
from bot.wiring.settings import Settings, read

OBJECTIVE_BYTES = 1_000_000


def fix(request: FixRequest, *, say: Say, stop: Event) -> Answer:
    if request.agent:
        agents.demand_known(request.agent)
    stand = ground(request, say=say, stop=stop)
    repository = stand.site.repository
    wanted = replace(
        stand.wanted,
        objective=_objective(request.issue),
        release=request.release,
        agents=(request.agent,) if request.agent else (),
        branch=request.branch,
        dry_run=request.dry_run,
    )
    _tell_caveats(repository, stand.base, say)
    case = stand.open(wanted)
    _demand_branch(repository, request.branch)
    return conduct(case, stand.site)


def resume(request: ResumeRequest, *, say: Say, stop: Event) -> Answer:
    settings = read()
    store = Store((request.state or settings.state).absolute())
    session_id = store.find(request.session)
    session = replay(ledger.read(store.read(session_id)))
    if session.opened is None:
        raise NoSuchSession(f"session {session_id} was never opened")
    repository = open_repository(Path(session.opened.repository))
    if session.ended:
        answer = engine.answer(
            ledger.read(store.read(session_id)), path=str(store.path(session_id))
        )
        return _left(answer, session_id, attesting(store, settings), repository)
    site = local.Site(
        repository=repository,
        store=store,
        jail=sandbox.choose(SandboxKind(session.opened.sandbox)),
        settings=settings,
        say=say,
        stop=stop,
    )
    case = recall(session.opened, store)
    if evidence.is_mend(ledger.read(store.read(session_id))):
        from bot.wiring import flaky_mend

        return flaky_mend.go_on(case, site)
    return conduct(case, site)


def conduct(case: Case, site: local.Site) -> Answer:
    """From wherever the ledger stands to the outcome. A refusal leaves no session behind."""
    store, session_id = site.store, case.session_id
    statements = attesting(store, site.settings)
    store.create(session_id)
    try:
        with store.lock(session_id):
            site.say(f"session {session_id}")
            with local.performer(case, site) as performer:
                hands = local.discreet_hands(performer)
                engine.begin(case.opened, store, hands)
                answer = engine.run(
                    case,
                    store,
                    hands,
                    stop=site.stop,
                    now=local.now,
                    path=str(store.path(session_id)),
                )
    except KeyboardInterrupt:
        site.say(f"left as it stands: {notice.resume_hint(session_id)}")
        raise
    except RequestError as refused:
        if _has_work(store, session_id):
            hint = notice.resume_hint(session_id)
            raise RequestError(f"{refused}; nothing is lost: {hint}") from refused
        folders.remove(store.folder(session_id))
        raise
    return _left(answer, session_id, statements, site.repository)


def attesting(store: Store, settings: Settings) -> Attesting:
    """``RequestError`` for a key that cannot sign: told before anything is done."""
    return Attesting(store=store, signer=signing.signer(settings.signing_key))


def _left(answer: Answer, session_id: str, made: Attesting, repository: Repository) -> Answer:
    """The session has ended: its statement is kept, and what nobody needs any more goes."""
    kept = keep_here(made, session_id, repository)
    local.leave(made.store, session_id)
    return replace(answer, document={**answer.document, "statement": kept})


def _has_work(store: Store, session_id: str) -> bool:
    """From the baseline on an agent may have worked, also where its turn is not yet told."""
    session = replay(ledger.read(store.read(session_id)))
    return session.turns > 0 or session.baseline is not None


def _objective(issue: Path | None) -> str:
    name = "standard input" if issue is None else str(issue)
    try:
        if issue is None:
            content = sys.stdin.buffer.read(OBJECTIVE_BYTES)
        else:
            with issue.open("rb") as file:
                content = file.read(OBJECTIVE_BYTES)
    except OSError as error:
        raise SpecError("spec.spec_unreadable", f"{name}: {error.strerror}") from error
    return redactor().kept(read_objective(content, name=name))


def _tell_caveats(repository: Repository, base: str, say: Say) -> None:
    for caveat in caveats(repository, base):
        say(f"note: {caveat}")
    if dirty := uncommitted(repository, base):
        say(f"note: uncommitted changes are not part of the base: {', '.join(dirty[:5])}")


def _demand_branch(repository: Repository, branch: str) -> None:
    """A branch that was named must be possible, before anything is spent on it."""
    if branch:
        repository.demand_new(branch)
