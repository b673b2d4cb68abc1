"""
``jam verify``: a change that exists is judged like an agent's, and nothing is published.
"""

from __future__ import annotations

import secrets
from threading import Event

from bot.adapters import folders, sandbox
from bot.adapters.repository import open_repository
from bot.adapters.store import Store
from bot.agents.locate import LOCATE
from bot.app.case import Case
from bot.app.opening import Wanted, open_session
from bot.app.requests import Answer, LocateRequest, VerifyRequest
from bot.app.verify import GIVEN
from bot.core import ledger, notice
from bot.core.conclude import EXIT_CODES
from bot.core.session import replay
from bot.core.words import sentence
from bot.errors import NoTestLeft, SpecError
from bot.ports import Say
from bot.wiring import local
from bot.wiring.settings import read
from bot.wiring.working import base_of, conduct, contract_of

NOTHING_TELLS = (
    "Every test that passes on the head passes on the base as well. Name the tests that should "
    "tell them apart with --target, or add one."
)


def verify(request: VerifyRequest, *, say: Say, stop: Event) -> Answer:
    settings = read()
    repository = open_repository(request.repo)
    base, head = repository.resolve(request.base), repository.resolve(request.head)
    contract, source = contract_of(repository, base, request.config)
    contract = contract.model_copy(update={"hooks": contract.hooks.model_copy(update={"stop": ()})})
    jail = sandbox.choose(request.sandbox or contract.sandbox.kind)
    store = Store((request.state or settings.state).absolute())
    objective = f"Verify {request.head} ({head[:12]}) against {request.base} ({base[:12]})"
    opened = open_session(
        Wanted(
            contract=contract,
            contract_from=source,
            objective=objective,
            base=base_of(repository, base, request.base),
            oracle=request.oracle,
            targets=request.targets,
            agents=(GIVEN,),
            sandbox=jail.level,
            dry_run=True,
            given=head,
        ),
        evidence=local.discreet(store),
        now=local.now(),
        chance=secrets.token_hex(4),
    )
    site = local.Site(
        repository=repository, store=store, jail=jail, settings=settings, say=say, stop=stop
    )
    case = Case(opened=opened, contract=contract, objective=objective)
    try:
        return conduct(case, site)
    except NoTestLeft as refused:
        return _unverified(base, head, str(refused), "Let it keep those that still hold.")
    except SpecError as refused:
        if refused.code != "spec.not_red" or request.targets:
            raise
        return _unverified(base, head, "no test tells base from head", NOTHING_TELLS)


def locate(request: LocateRequest, *, say: Say, stop: Event) -> Answer:
    """The lines that the failing tests point at. Leaves no session behind."""
    settings = read()
    repository = open_repository(request.repo)
    base = repository.resolve(request.base)
    contract, source = contract_of(repository, base, request.config)
    jail = sandbox.choose(request.sandbox or contract.sandbox.kind)
    store = Store((request.state or settings.state).absolute())
    objective = f"Locate what the failing tests point at in {base[:12]}"
    opened = open_session(
        Wanted(
            contract=contract,
            contract_from=source,
            objective=objective,
            base=base_of(repository, base, request.base),
            oracle=request.oracle,
            targets=request.targets,
            agents=(LOCATE,),
            sandbox=jail.level,
            dry_run=True,
        ),
        evidence=local.discreet(store),
        now=local.now(),
        chance=secrets.token_hex(4),
    )
    site = local.Site(
        repository=repository, store=store, jail=jail, settings=settings, say=say, stop=stop
    )
    conduct(Case(opened=opened, contract=contract, objective=objective), site)
    session = replay(ledger.read(store.read(opened.session)))
    folders.remove(store.folder(opened.session))
    places = session.last.suspects[: request.limit] if session.last else ()
    return Answer(
        text=notice.suspects(places, lambda path: repository.read(base, path)),
        document={
            "base": base,
            "targets": list(session.baseline.targets) if session.baseline else [],
            "suspects": [{"path": p, "line": n, "score": score} for p, n, score in places],
        },
    )


def _unverified(base: str, head: str, why: str, hint: str) -> Answer:
    document = {"outcome": "unverified", "exit_code": EXIT_CODES["unverified"], "why": why}
    return Answer(
        text=f"**Unverified.** {sentence(why)}\n\n{hint}",
        document={**document, "base": base, "head": head},
        exit_code=EXIT_CODES["unverified"],
    )
