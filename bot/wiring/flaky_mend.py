"""
``jam flaky --fix``: one session for each root cause that was found, put together on this machine.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

import bot.inside
from bot import agents
from bot.adapters import folders
from bot.adapters.flaky_gates import JailedVariedGates
from bot.adapters.flaky_log import FileRunLog
from bot.adapters.lab import RiggedLab
from bot.adapters.local_publisher import LocalPublisher
from bot.adapters.rigging import Rigging
from bot.adapters.stage import LocalStage
from bot.adapters.workcopy import GitWorkcopy, open_workcopy
from bot.agents.flaky_repair import FlakyRepair
from bot.app.case import Case
from bot.app.flaky.laboratory import Laboratory
from bot.app.flaky.mend import MendHands
from bot.app.flaky.mend_briefing import MendBriefing
from bot.app.flaky.mend_conduct import conduct
from bot.app.flaky.mend_mutate import Mutator
from bot.app.flaky.mend_runs import Sampler
from bot.app.opening import Base, Wanted, open_session
from bot.app.publish import Publishing
from bot.app.requests import Answer, FlakyRequest
from bot.core import ledger, notice, prompt
from bot.core.conclude import EXIT_CODES
from bot.core.document import document
from bot.core.entries import Opened
from bot.core.flaky import evidence, telling
from bot.core.flaky.finding import Finding
from bot.core.flaky.guard_parts import Rule
from bot.core.flaky.mend_causes import causes
from bot.core.flaky.mend_steps import Mend, fold
from bot.core.flaky.search_report import SearchReport
from bot.core.ledger import Sealed
from bot.core.policy import of_contract
from bot.core.session import replay
from bot.core.words import many_of
from bot.errors import NoSuchSession, RequestError, TransientError
from bot.ports import Agent
from bot.wiring import local

COVER = Path(bot.inside.__file__).parent / "jam_cover.py"
REPAIR = "repair"
BROKEN_S = 60.0
"""A product that was broken on purpose may never end."""


def demand(request: FlakyRequest) -> None:
    """What can be refused before anything is run."""
    known = {rule.value for rule in Rule}
    if unknown := sorted(set(request.allow) - known):
        raise RequestError(f"--allow knows no {unknown[0]!r}; there are {', '.join(sorted(known))}")


def mend_all(report: SearchReport, request: FlakyRequest, case: Case, site: local.Site) -> Answer:
    """One session for each root cause, most certain first. Ends with the worst of the ends."""
    answers, found = [], causes(report.flaky)
    for finding in found:
        if site.stop.is_set():
            break
        answers.append(mend(finding, _wanted(finding, request, case), site, request=request))
    mended = sum(answer.exit_code == 0 for answer in answers)
    head = f"{mended} of {many_of(len(found), 'root cause')} mended."
    exit_code = next((a.exit_code for a in answers if a.exit_code), 0)
    exit_code = exit_code or (0 if len(answers) == len(found) else 4)
    return Answer(
        text="\n\n---\n\n".join([telling.render(report), *[a.text for a in answers], head]),
        document={
            **report.model_dump(mode="json"),
            "mends": [dict(answer.document) for answer in answers],
            "exit_code": exit_code,
        },
        exit_code=exit_code,
    )


def read(answer: Answer, site: local.Site) -> tuple[Mend, ...]:
    """The mends that ``mend_all`` told of, as their ledgers have them."""
    told = answer.document["mends"]
    assert isinstance(told, list)  # noqa: S101  # made above
    return tuple(fold(ledger.read(site.store.read(str(one["session"])))) for one in told)


def _wanted(finding: Finding, request: FlakyRequest, case: Case) -> Wanted:
    opened = case.opened
    return Wanted(
        contract=case.contract,
        contract_from=opened.contract_from,
        objective=f"Mend the flaky test {finding.test}",
        base=Base(
            repository=opened.repository,
            commit=opened.base,
            tree=opened.base_tree,
            name=opened.base_name,
        ),
        oracle=opened.oracle,
        targets=finding.tests,
        agents=(request.agent,) if request.agent else (),
        sandbox=opened.sandbox,
        dry_run=request.dry_run,
    )


def mend(finding: Finding, wanted: Wanted, site: local.Site, *, request: FlakyRequest) -> Answer:
    opened = open_session(
        wanted, evidence=site.evidence, now=local.now(), chance=secrets.token_hex(4)
    )
    case = Case(opened=opened, contract=wanted.contract, objective=wanted.objective)
    site.store.create(opened.session)
    _begin(opened, finding, site)
    return go_on(case, site, lifted=frozenset(request.allow))


def _begin(opened: Opened, finding: Finding, site: local.Site) -> None:
    entries: tuple[Sealed, ...] = ()
    for fact in (opened, finding):
        before = ledger.last_seal(entries)
        entries = ledger.append(entries, fact)
        line = ledger.line(entries[-1])
        site.store.append(opened.session, line, place=len(entries) - 1, after=before)


def go_on(case: Case, site: local.Site, *, lifted: frozenset[str] = frozenset()) -> Answer:
    """From wherever the ledger stands to the outcome."""
    session, store = case.session_id, site.store
    finding = _finding(ledger.read(store.read(session)))
    with store.lock(session):
        site.say(f"session {session}: {finding.test}")
        try:
            with hands(case, finding, site, lifted=lifted) as made:
                conduct(session, store, made, stop=site.stop, now=local.now)
        except TransientError as resting:
            hint = notice.resume_hint(session)
            raise type(resting)(f"{resting}; {hint}") from resting
    local.leave(store, session)
    return answer(ledger.read(store.read(session)), path=str(store.path(session)))


def answer(entries: tuple[Sealed, ...], *, path: str) -> Answer:
    session, body = replay(entries), evidence.render(entries)
    code = EXIT_CODES[session.ended.end] if session.ended else TransientError.exit_code
    told = {**document(entries, path=path, body=body), "finding": _told(_finding(entries))}
    return Answer(text=body, document=told, exit_code=code)


def _told(finding: Finding) -> dict[str, object]:
    return {"fingerprint": finding.fingerprint, **finding.model_dump(mode="json")}


def _finding(entries: tuple[Sealed, ...]) -> Finding:
    found = next((one.fact for one in entries if isinstance(one.fact, Finding)), None)
    if found is None:
        raise NoSuchSession("this session is no mend of a flaky test")
    return found


@contextmanager
def hands(
    case: Case, finding: Finding, site: local.Site, *, lifted: frozenset[str]
) -> Iterator[MendHands]:
    """Everything that one mend needs; its rooms are gone afterwards."""
    place = local.place_of(site.store, case.session_id)
    try:
        with open_workcopy(
            site.repository,
            session=case.session_id,
            base=case.opened.base,
            place=place,
            adopt=site.jail.adopt,
        ) as workcopy:
            yield _assemble(case, finding, site, workcopy, lifted)
    finally:
        for room in place.rooms:
            folders.remove(room)


def _assemble(
    case: Case, finding: Finding, site: local.Site, workcopy: GitWorkcopy, lifted: frozenset[str]
) -> MendHands:
    stage = local.stage_of(case, site, workcopy)
    prepared = replay(ledger.read(site.store.read(case.session_id))).prepared
    if prepared:
        stage.resume(prepared.layer_sha256)
    sampler, mutator = _runs(case, finding, site, stage)
    return MendHands(
        case=case,
        finding=finding,
        allowed=lifted,
        stage=stage,
        workcopy=workcopy,
        evidence=site.evidence,
        sampler=sampler,
        mutator=mutator,
        agents=_agents(
            case,
            finding,
            site,
            RiggedLab(
                folder=site.store.folder(case.session_id) / "work" / "lab",
                interpreters=lambda: stage.toolchain.interpreters,
            ),
        ),
        policy=of_contract(case.contract),
        briefing=MendBriefing(finding=finding, nonce=secrets.token_hex(12)),
        publishing=Publishing(
            case=case,
            workcopy=workcopy,
            publisher=LocalPublisher(
                repository=site.repository,
                workcopy=workcopy,
                base=case.opened.base,
                fixed=case.opened.branch_named,
            ),
            now=local.now,
            say=site.say,
        ),
        say=site.say,
        stop=site.stop,
    )


def _runs(
    case: Case, finding: Finding, site: local.Site, stage: LocalStage
) -> tuple[Sampler, Mutator]:
    gate = next(gate for gate in case.oracle.gates if gate.name == finding.gate)
    folder = site.store.folder(case.session_id)
    gates = JailedVariedGates(
        stage=stage,
        folder=folder / "work" / "channels",
        rig=Rigging(stage=stage, tree=site.repository.top, folder=folder / "work" / "rig"),
        cores=local.SIDE_BY_SIDE,
    )

    def laboratory(timeout_s: float) -> Laboratory:
        return Laboratory(
            gates=gates,
            workcopy=stage.workcopy,
            evidence=site.evidence,
            log=FileRunLog(folder / "runs.jsonl"),
            stop=Event(),  # a series that was begun is told whole; the session stops between two
            side_by_side=local.SIDE_BY_SIDE,
            build=case.contract.build,
            timeout_s=timeout_s,
        )

    sampler = Sampler(
        runs=laboratory(gate.timeout_s),
        gate=gate,
        finding=finding,
        evidence=site.evidence,
        say=site.say,
        wide=local.SIDE_BY_SIDE,
    )
    mutator = Mutator(
        runs=laboratory(min(gate.timeout_s, BROKEN_S)),
        gate=gate,
        finding=finding,
        workcopy=stage.workcopy,
        say=site.say,
        plugin=COVER.read_bytes(),
        wide=local.SIDE_BY_SIDE,
    )
    return sampler, mutator


def _agents(case: Case, finding: Finding, site: local.Site, lab: RiggedLab) -> Mapping[str, Agent]:
    """``repair`` mends flaky tests by what was measured; the others are told it."""
    means = replace(local.means_of(case, site, lab), frame=prompt.MENDING)
    return {
        spoken: FlakyRepair(finding) if spoken == REPAIR else agents.make(spoken, means)
        for spoken in case.opened.agents
    }
