"""
``jam verify``: a change that exists is judged like an agent's, and nothing is published.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Event

from bot.adapters import folders
from bot.agents.locate import LOCATE
from bot.app.requests import Answer, LocateRequest, VerifyRequest
from bot.app.verify import GIVEN
from bot.core import ledger, notice
from bot.core.conclude import EXIT_CODES
from bot.core.contract import Contract
from bot.core.session import replay
from bot.core.words import sentence
from bot.errors import NoTestLeft, SpecError
from bot.ports import Say
from bot.wiring.ground import ground
from bot.wiring.working import conduct

NOTHING_TELLS = (
    "Every test that passes on the head passes on the base as well. Name the tests that should "
    "tell them apart with --target, or add one."
)


def verify(request: VerifyRequest, *, say: Say, stop: Event) -> Answer:
    stand = ground(request, say=say, stop=stop)
    base, head = stand.base, stand.site.repository.resolve(request.head)
    case = stand.open(
        replace(
            stand.wanted,
            contract=_without_hooks(stand.wanted.contract),
            objective=f"Verify {request.head} ({head[:12]}) against {request.base} ({base[:12]})",
            agents=(GIVEN,),
            dry_run=True,
            given=head,
        )
    )
    try:
        return conduct(case, stand.site)
    except NoTestLeft as refused:
        return _unverified(base, head, str(refused), "Let it keep those that still hold.")
    except SpecError as refused:
        if refused.code != "spec.not_red" or request.targets:
            raise
        return _unverified(base, head, "no test tells base from head", NOTHING_TELLS)


def _without_hooks(contract: Contract) -> Contract:
    """They are for the one who still works on it."""
    return contract.model_copy(update={"hooks": contract.hooks.model_copy(update={"stop": ()})})


def locate(request: LocateRequest, *, say: Say, stop: Event) -> Answer:
    """The lines that the failing tests point at. Leaves no session behind."""
    stand = ground(request, say=say, stop=stop)
    base, store, repository = stand.base, stand.site.store, stand.site.repository
    objective = f"Locate what the failing tests point at in {base[:12]}"
    case = stand.open(replace(stand.wanted, objective=objective, agents=(LOCATE,), dry_run=True))
    conduct(case, stand.site)
    session = replay(ledger.read(store.read(case.session_id)))
    folders.remove(store.folder(case.session_id))
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
