"""Judges a change to a small repository as a session does, and probes it: no agent, no ledger."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event

from bot.adapters import sandbox
from bot.adapters.repository import open_repository
from bot.adapters.store import Store
from bot.app.case import Case
from bot.app.court import Trial
from bot.app.opening import Wanted, open_session
from bot.app.perform import Performer
from bot.core.baseline import settle
from bot.core.canonical import spell
from bot.core.contract import Contract, Dialect, Gate, Oracle
from bot.core.entries import Baselined, Probed
from bot.core.parts import Purpose
from bot.core.sandbox_kind import SandboxKind
from bot.core.session import Session
from bot.core.steps import PROBES, Probe
from bot.core.verdict import Standing
from bot.ports import TreeEntry
from bot.wiring import local
from bot.wiring.ground import base_of
from bot.wiring.settings import read

PYTEST = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q -p no:cacheprovider"
UNITTEST = f"{sys.executable} -m unittest -q"


def probe(
    home: Path,
    base: Mapping[str, str],
    change: Mapping[str, str],
    *,
    run: str = PYTEST,
    report: Dialect = Dialect.PYTEST,
) -> dict[str, Probed]:
    """What each check says of ``change`` to ``base``, by its name."""
    repository = open_repository(_lay(home / "repo", base))
    oracle = Oracle(gates=(Gate(run=run, report=report),))
    contract = Contract(version=1, oracles={"unit": oracle})
    store = Store(home / "state")
    commit = repository.resolve("HEAD")
    opened = open_session(
        Wanted(
            contract=contract,
            contract_from="a test",
            objective="a bug",
            base=base_of(repository, commit, "main"),
            agents=("command:true",),
        ),
        evidence=store,
        now=local.now(),
        chance="00000000",
    )
    store.create(opened.session)
    site = local.Site(
        repository=repository,
        store=store,
        jail=sandbox.choose(SandboxKind.AUTO),
        settings=read(),
        say=lambda _: None,
        stop=Event(),
    )
    case = Case(opened=opened, contract=contract, objective="a bug")
    with local.performer(case, site) as performer:
        performer.preflights.prepare()
        return _probed(performer, Session(opened=opened), change, store)


def _probed(
    performer: Performer, session: Session, change: Mapping[str, str], store: Store
) -> dict[str, Probed]:
    prober = performer.prober
    court, workcopy = prober.court, prober.workcopy
    put = [TreeEntry(p, "100644", workcopy.write(t.encode())) for p, t in change.items()]
    tree = workcopy.compose(session.ground, put=put, drop=())
    red = court.of_base(_trial(session.ground, 1), ours=frozenset())
    said = court.standings(red, ours=frozenset())
    standings = {gate: word for gate, word in said.items() if isinstance(word, Standing)}
    assert len(standings) == len(said), said
    baseline = settle([standings])
    judged = court.of_candidate(_trial(tree, 2), baseline=baseline)
    known = Baselined(
        targets=baseline.targets,
        targets_count=len(baseline.targets),
        passed=len(baseline.passed),
        failing=baseline.failing,
        baseline_sha256=store.put(spell(baseline).encode()),
    )
    judged_session = Session(opened=session.opened, baseline=known, adjudications=(judged,))
    return {one.name: one for one in prober.probe(Probe(tree, PROBES), judged_session)}


def _trial(tree: str, number: int) -> Trial:
    return Trial(purpose=Purpose.ADJUDICATION, number=number, tree=tree)


def _lay(repo: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    who = ("-c", "user.name=ada", "-c", "user.email=a@b")
    for args in (("init", "-qb", "main"), ("add", "-A"), (*who, "commit", "-qm", "base")):
        subprocess.run(["git", "-C", str(repo), *args], check=True)
    return repo
