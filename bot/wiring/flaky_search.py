"""
``jam flaky``: the repository, the rooms and the gate put together, and the search let loose.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from threading import Event

from bot.adapters import flaky_history, folders, sandbox
from bot.adapters.flaky_gates import JailedVariedGates
from bot.adapters.flaky_log import FileRunLog
from bot.adapters.repository import open_repository
from bot.adapters.rigging import Rigging
from bot.adapters.store import Store
from bot.adapters.workcopy import GitWorkcopy, open_workcopy
from bot.app.case import Case
from bot.app.flaky import remember
from bot.app.flaky.hunt import Hunt
from bot.app.flaky.laboratory import Laboratory
from bot.app.flaky.trials import Trials
from bot.app.opening import Wanted, open_session
from bot.app.requests import Answer, FlakyRequest
from bot.core.contract import Contract, Gate
from bot.core.flaky import history, telling
from bot.core.flaky.condition import Condition
from bot.core.flaky.mend_steps import Mend
from bot.core.flaky.search_report import SearchReport
from bot.errors import RequestError
from bot.ports import Say
from bot.wiring import flaky_mend, flaky_quarantine, local
from bot.wiring.ground import base_of, contract_of
from bot.wiring.settings import read


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a search needs, put together. ``tree``: of the commit that is looked at."""

    case: Case
    site: local.Site
    workcopy: GitWorkcopy
    laboratory: Laboratory
    gate: Gate
    tree: str


@contextmanager
def bench(request: FlakyRequest, *, say: Say, stop: Event, prepare: bool = True) -> Iterator[Bench]:
    """Its rooms and its environment are gone afterwards; runs and evidence stay."""
    case, site = _open(request, say=say, stop=stop)
    session = case.session_id
    place = local.place_of(site.store, session)
    try:
        with open_workcopy(
            site.repository,
            session=session,
            base=case.opened.base,
            place=place,
            adopt=site.jail.adopt,
        ) as workcopy:
            yield _ready(case, site, workcopy, request, prepare=prepare)
    finally:
        local.leave(site.store, session)
        folders.remove(site.store.folder(session))


def _open(request: FlakyRequest, *, say: Say, stop: Event) -> tuple[Case, local.Site]:
    settings = read()
    repository = open_repository(request.repo)
    base = repository.resolve(request.base)
    contract, source = contract_of(repository, base, request.config)
    jail = sandbox.choose(request.sandbox or contract.sandbox.kind)
    store = Store((request.state or settings.state).absolute())
    opened = open_session(
        Wanted(
            contract=contract,
            contract_from=source,
            objective=f"Look for flaky tests in {base[:12]}",
            base=base_of(repository, base, request.base),
            oracle=request.oracle or contract.flaky.oracle,
            agents=("flaky",),
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
    return Case(opened=opened, contract=contract, objective=""), site


def _ready(
    case: Case, site: local.Site, workcopy: GitWorkcopy, request: FlakyRequest, *, prepare: bool
) -> Bench:
    stage = local.stage_of(case, site, workcopy)
    if case.contract.setup and prepare:
        site.say("setting up the environment")
        ran = stage.prepare(setup=case.contract.setup).ran
        if ran is not None and ran.exit_code != 0:
            raise RequestError(f"the setup failed:\n{ran.output[-2000:].strip()}")
    folder = site.store.folder(case.session_id) / "work"
    gates = JailedVariedGates(
        stage=stage,
        folder=folder / "channels",
        rig=Rigging(stage=stage, tree=site.repository.top, folder=folder / "rig"),
        cores=local.SIDE_BY_SIDE,
        may_network=request.network,
    )
    tree, gate = case.opened.base_tree, _gate(case)
    laboratory = Laboratory(
        gates=gates,
        workcopy=workcopy,
        evidence=site.evidence,
        log=FileRunLog(runs_file(site.store, case.contract, tree, stage.environment())),
        stop=site.stop,
        side_by_side=local.SIDE_BY_SIDE,
        build=case.contract.build,
        timeout_s=gate.timeout_s,
    )
    return Bench(
        case=case, site=site, workcopy=workcopy, laboratory=laboratory, gate=gate, tree=tree
    )


def _gate(case: Case) -> Gate:
    """The first that tells tests apart: without ids nothing can be said of any."""
    gate = next((gate for gate in case.oracle.gates if gate.report.has_ids), None)
    if gate is None:
        raise RequestError(
            f"oracle {case.opened.oracle} reports only exit codes: flaky tests are known by id, "
            "so a gate must report as pytest, unittest, junit, go-json or tap"
        )
    return gate


def runs_file(store: Store, contract: Contract, tree: str, environment: str) -> Path:
    """Where an interrupted search is taken up: the same tree, contract and environment."""
    spoken = f"{contract.model_dump_json()}\0{tree}\0{environment}"
    return store.root / "flaky" / f"{hashlib.sha256(spoken.encode()).hexdigest()[:20]}.jsonl"


def flaky(request: FlakyRequest, *, say: Say, stop: Event) -> Answer:
    _demand_statistics()
    flaky_mend.demand(request)
    told = _told_before(request.found) if request.found else None
    if told is not None:
        request = replace(request, base=told.commit)
    with bench(request, say=say, stop=stop, prepare=told is None) as made:
        report = told or _search(made, request)
        page = _write_page(report, made, request)
        answer = _told(report, page)
        if request.fix and report.flaky:
            mended = flaky_mend.mend_all(report, request, made.case, made.site)
            page = _write_page(report, made, request, flaky_mend.read(mended, made.site))
            answer = _with_page(mended, page)
        return flaky_quarantine.look(
            made.case, made.site, made.workcopy, report, answer, dry_run=request.dry_run
        )


def _told_before(path: Path) -> SearchReport:
    try:
        said = json.loads(path.read_bytes())
        return SearchReport.model_validate({
            name: said[name] for name in SearchReport.model_fields if name in said
        })  # fmt: skip
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise RequestError(f"{path} is not what `jam flaky --json` tells") from error


def _told(report: SearchReport, page: Path | None) -> Answer:
    document = {
        **report.model_dump(mode="json"),
        "complete": report.complete,
        "exit_code": report.exit_code,
    }
    answer = Answer(text=telling.render(report), document=document, exit_code=report.exit_code)
    return _with_page(answer, page)


def _with_page(answer: Answer, page: Path | None) -> Answer:
    """Its last line says where the page is."""
    told = f"\n\nEvery count of the search: {page}" if page else ""
    return replace(
        answer,
        text=answer.text + told,
        document={**answer.document, "page": str(page) if page else None},
    )


def _search(made: Bench, request: FlakyRequest) -> SearchReport:
    laboratory, say = made.laboratory, made.site.say
    if taken := laboratory.take_up():
        say(f"an interrupted search left {taken} runs: they are used again")
    minutes = request.minutes or made.case.contract.flaky.minutes
    trials = Trials(
        lab=laboratory,
        gate=made.gate,
        tree=made.tree,
        now=time.monotonic,
        deadline=time.monotonic() + minutes * 60,
        say=say,
    )
    hunt = Hunt(
        trials=trials,
        commit=made.case.opened.base,
        means=laboratory.means(made.gate),
        first=_pointed(made, request, say),
    )
    report = hunt.run(seconds=minutes * 60)
    if not made.site.stop.is_set():
        laboratory.log.close()
    return report


def _pointed(made: Bench, request: FlakyRequest, say: Say) -> dict[str, str]:
    """Tests to look at first, with what is said of them: a person's before history's."""
    found = dict.fromkeys(request.tests, "named by a person")
    if request.history is None:
        return found
    attempts, refused = remember.attempts(flaky_history.read_folder(request.history))
    for why in refused:
        say(f"note: {why}")
    spelled = {history.junit_name(test): test for test in _ids(made)}
    for one in history.point(attempts):
        found.setdefault(spelled.get(one.test, one.test), f"in CI's history {one.why}")
    return found


def _ids(made: Bench) -> frozenset[str]:
    run = made.laboratory.run(made.gate, [Condition()], tree=made.tree)[0]
    return run.passed | run.failures.keys()


def _write_page(
    report: SearchReport, made: Bench, request: FlakyRequest, mends: Sequence[Mend] = ()
) -> Path | None:
    """None where what makes pages is not installed."""
    if find_spec("jinja2") is None:
        return None
    from bot.pages import flaky as page

    name = f"flaky-{report.commit[:12]}.html"
    path = request.report or made.site.store.root / "flaky" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.render(report, mends))
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _demand_statistics() -> None:
    if find_spec("scipy") is None:
        raise RequestError(
            'flaky tests need statistics that are not installed: pip install "jam[flaky]"'
        )
