"""
Puts a session on this machine together: the repository, the sandbox, the rooms, the agents.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TypedDict

from bot import agents
from bot.adapters import folders
from bot.adapters.gates import JailedGates
from bot.adapters.lab import RiggedLab
from bot.adapters.local_publisher import LocalPublisher
from bot.adapters.rigging import Rigging
from bot.adapters.stage import LocalStage, Setting
from bot.adapters.store import Store
from bot.adapters.toolchain import Toolchain, closed_to_others, readable_for
from bot.adapters.workcopy import GitWorkcopy, open_workcopy
from bot.agents import repair
from bot.agents.locate import LOCATE, Locate
from bot.agents.means import Means
from bot.app.adjudicate import Adjudicator
from bot.app.briefing import Briefing
from bot.app.candidate import Composer, RulesOf
from bot.app.case import Case
from bot.app.court import Court
from bot.app.perform import Performer, Working
from bot.app.preflight import Preflights
from bot.app.probe import Prober
from bot.app.publish import Publishing
from bot.app.reproduce import Reproducer
from bot.app.verify import GivenWork, HeadTests
from bot.app.work import Workshop
from bot.core import ledger, surface
from bot.core.contract import Protection
from bot.core.frozen import Rules
from bot.core.policy import of_contract
from bot.core.protected import protect
from bot.core.session import replay
from bot.core.tree import TreeEntry
from bot.errors import SandboxUnavailable
from bot.ports import Agent, Evidence, Publisher, Say
from bot.wiring import way_out
from bot.wiring.site import Site as Site
from bot.wiring.site import discreet as discreet
from bot.wiring.site import discreet_hands as discreet_hands
from bot.wiring.site import leave as leave
from bot.wiring.site import now as now
from bot.wiring.site import place_of as place_of

SIDE_BY_SIDE = max(1, min(3, os.cpu_count() or 1))
"""Rooms at a time: the runs of an adjudication do not wait for each other."""
PublisherOf = Callable[[GitWorkcopy], Publisher]


@contextmanager
def performer(
    case: Case, site: Site, *, publisher_of: PublisherOf | None = None
) -> Iterator[Performer]:
    """Everything that one session needs, put together; its rooms are gone afterwards."""
    place = place_of(site.store, case.session_id)
    opened = open_workcopy(
        site.repository,
        session=case.session_id,
        base=case.opened.base,
        place=place,
        adopt=site.jail.adopt,
    )
    try:
        with opened as workcopy:
            stage = stage_of(case, site, workcopy)
            _take_up(stage, case, site.store)
            publisher = (publisher_of or _local(case, site))(workcopy)
            yield _assemble(case, site, workcopy, stage, publisher)
    finally:
        for room in place.rooms:
            folders.remove(room)


def _local(case: Case, site: Site) -> PublisherOf:
    return lambda workcopy: LocalPublisher(
        repository=site.repository,
        workcopy=workcopy,
        base=case.opened.base,
        fixed=case.opened.branch_named,
    )


def _take_up(stage: LocalStage, case: Case, store: Store) -> None:
    """What the setup made in an earlier process, when this one goes on with the session."""
    known = replay(ledger.read(store.read(case.session_id)))
    prepared = known.prepared
    if prepared and not known.adjudicated:  # after the last word nothing is run any more
        stage.resume(prepared.layer_sha256)


def stage_of(case: Case, site: Site, workcopy: GitWorkcopy) -> LocalStage:
    commands = [gate.run for gate in case.oracle.gates]
    contract = case.contract
    script = "\n".join([contract.setup, contract.build, *commands, *contract.hooks.stop])

    def find(path: str) -> Toolchain:
        found = readable_for(
            script,
            path=path,
            home=site.settings.home,
            tree=site.repository.top,
            at=site.seen_at,
            extra=[Path(named) for named in case.contract.sandbox.read],
        )
        for problem in found.problems:
            site.say(f"note: {problem}")
        if site.jail.level != "none" and os.geteuid() == 0:
            for problem in closed_to_others(found):
                raise SandboxUnavailable(problem)
        return found

    return LocalStage(
        jail=site.jail,
        workcopy=workcopy,
        base_tree=case.opened.base_tree,
        find=find,
        path=site.settings.path,
        setting=Setting(
            given=GIVEN, network=site.settings.network, withheld=site.settings.withheld
        ),
        at=site.seen_at,
        own=site.store.folder(case.session_id) / "env",
        halt=site.ends_setting_out,
    )


GIVEN: Mapping[str, str] = {"PYTHONDONTWRITEBYTECODE": "1", "CI": "true"}
"""What every command finds in its environment, besides PATH and the sandbox's own."""


class _Shared(TypedDict):
    """What all who judge something need."""

    case: Case
    court: Court
    workcopy: GitWorkcopy
    evidence: Evidence
    say: Say


class _Rooms(TypedDict):
    side_by_side: int
    halt: Event


def _assemble(
    case: Case, site: Site, workcopy: GitWorkcopy, stage: LocalStage, publisher: Publisher
) -> Performer:
    folder = site.store.folder(case.session_id) / "work"
    rigging = Rigging(stage=stage, tree=site.repository.top, folder=folder / "rig")
    gates = JailedGates(stage=stage, folder=folder / "channels", rig=rigging)
    composer = Composer(
        workcopy=workcopy, rules_of=_rules_of(case, workcopy), patterns=_patterns(case)
    )
    court = Court(
        oracle=case.oracle,
        workcopy=workcopy,
        gates=gates,
        evidence=site.evidence,
        held=composer.held,
        build=case.contract.build,
    )
    workshop = _work(case, site, stage, gates, composer, court)
    given = workshop if isinstance(workshop, GivenWork) else None
    mended = given.mended if given and not case.opened.named_targets else None
    shared = _Shared(
        case=case, court=court, workcopy=workcopy, evidence=site.evidence, say=site.say
    )
    before = shared.copy()
    before["court"] = replace(court, gates=replace(gates, halt=site.ends_setting_out))
    rooms = _Rooms(side_by_side=SIDE_BY_SIDE, halt=gates.halt)
    return Performer(
        preflights=Preflights(**before, stage=stage, mended=mended),
        composer=composer,
        workshop=workshop,
        reproducer=Reproducer(**shared, composer=composer),
        adjudicator=Adjudicator(**shared, **rooms, stage=stage),
        prober=Prober(**shared, **rooms),
        publishing=Publishing(
            case=case, workcopy=workcopy, publisher=publisher, now=now, say=site.say
        ),
    )


def _work(
    case: Case,
    site: Site,
    stage: LocalStage,
    gates: JailedGates,
    composer: Composer,
    court: Court,
) -> Working:
    if case.opened.given:
        return _given(case, site, stage.workcopy, composer, court)
    lab = _lab(case, site, stage)
    briefing = Briefing(
        case=case,
        court=court,
        evidence=site.evidence,
        read_only=composer.patterns,
        nonce=secrets.token_hex(12),
    )
    return Workshop(
        case=case,
        briefing=briefing,
        stage=stage,
        workcopy=stage.workcopy,
        gates=gates,
        evidence=site.evidence,
        agents=_agents(case, site, lab),
        composer=composer,
        policy=of_contract(case.contract),
        locate=lambda targets, bench: repair.locate(lab, bench, targets=targets),
        purse=site.purse,
        say=site.say,
        stop=site.stop,
    )


def _given(
    case: Case, site: Site, workcopy: GitWorkcopy, composer: Composer, court: Court
) -> GivenWork:
    commit = case.opened.given or ""
    tree = workcopy.merged(case.opened.base, commit)
    return GivenWork(
        evidence=site.evidence,
        commit=commit,
        tree=tree,
        changed=len(workcopy.changes(case.opened.base_tree, tree)),
        composer=composer,
        court=court,
        # Tests that an agent changed are no tests of a person's: they are restored as ever.
        tests=HeadTests(workcopy=workcopy, composer=composer) if case.opened.dry_run else None,
    )


def _rules_of(case: Case, workcopy: GitWorkcopy) -> RulesOf:
    def rules_of(ground: Mapping[str, TreeEntry], tests: tuple[str, ...]) -> Rules:
        def read(path: str) -> bytes | None:
            return workcopy.blobs([ground[path].blob])[0] if path in ground else None

        found = surface.discover(ground, case.oracle, read=read, targets=tests)
        return protect(found, ground, _blocked(case))

    return rules_of


def _blocked(case: Case) -> tuple[str, ...]:
    protected = case.contract.protect.items()
    return tuple(pattern for pattern, how in protected if how is Protection.BLOCK)


def _patterns(case: Case) -> tuple[str, ...]:
    """What is read-only, in few words: the whole list is in the rules."""
    tests = case.oracle.frozen or ("the existing tests",)
    return (*tests, *_blocked(case), "the configuration of the tests and how they are run")


def _lab(case: Case, site: Site, stage: LocalStage) -> RiggedLab:
    return RiggedLab(
        folder=site.store.folder(case.session_id) / "work" / "lab",
        interpreters=lambda: stage.toolchain.interpreters,
    )


def _agents(case: Case, site: Site, lab: RiggedLab) -> Mapping[str, Agent]:
    """Made when they are named, so that a missing key is told before anything runs."""
    means = means_of(case, site, lab)
    return {
        spoken: Locate(lab) if spoken == LOCATE else agents.make(spoken, means)
        for spoken in case.opened.agents
    }


def means_of(case: Case, site: Site, lab: RiggedLab) -> Means:
    return Means(
        model=case.contract.agent.model,
        secret=site.settings.anthropic_key,
        base_url=site.settings.anthropic_url,
        lab=lab,
        way_out=way_out.of(case, site),
    )
