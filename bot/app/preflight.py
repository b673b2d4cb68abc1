"""
Before any agent: the environment, and what the untouched base says.

Refuses, with one of the ``spec.*`` codes, a contract that cannot judge this base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.app.case import Case
from bot.app.court import Court, Trial
from bot.core.baseline import Baseline, settle
from bot.core.canonical import spell
from bot.core.entries import AnyFact, Baselined, Judged, Prepared
from bot.core.parts import Purpose, many
from bot.core.session import Session
from bot.core.steps import Preflight
from bot.core.tree import TreeEntry
from bot.core.verdict import NOT_JUDGED, Error, Standing
from bot.core.words import many_of
from bot.errors import SpecError
from bot.ports import Ended, Evidence, Ran, Say, Stage, Workcopy

IMPORT_ROOTS = ("", "src/", "lib/", "python/")
UNSEEN = (
    "\nIn the sandbox commands see the programs of PATH and those that they name by their whole "
    "path; name the folder of any other under sandbox.read."
)


Mended = Callable[[Session, frozenset[str]], frozenset[str]]
"""The session and the repository's own modules -> ids that pass where the change is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflights:
    case: Case
    court: Court
    stage: Stage
    workcopy: Workcopy
    evidence: Evidence
    say: Say
    mended: Mended | None = None  # where the change exists already and nobody named a target

    def prepare(self) -> tuple[AnyFact, ...]:
        contract = self.case.contract
        if contract.setup:
            self.say(f"setting up: {contract.setup}")
        ready = self.stage.prepare(setup=contract.setup)
        if ready.ran:
            _refuse_failed_setup(ready.ran)
        output = self.evidence.put(ready.ran.output.encode()) if ready.ran else None
        return (
            Prepared(
                environment_sha256=ready.environment_sha256,
                layer_sha256=ready.layer_sha256,
                setup=contract.setup,
                setup_s=round(ready.ran.seconds, 3) if ready.ran else 0.0,
                setup_output_sha256=output,
                withheld=ready.withheld,
            ),
        )

    def run(self, step: Preflight) -> Judged:
        self.say(f"judging the base, run {step.number + 1}")
        trial = Trial(purpose=Purpose.PREFLIGHT, number=step.number, tree=step.tree)
        return self.court.of_base(trial, ours=self._ours(step.tree))

    def settle(self, session: Session) -> Baselined:
        ours = self._ours(session.ground)
        runs = [self._standings(run, ours) for run in session.preflights]
        baseline = settle(runs, named=self.case.opened.named_targets)
        if self.mended is not None and baseline.targets:
            baseline = baseline.aiming_at(self.mended(session, ours))
        baseline = baseline.releasing(self._released(baseline))
        self._refuse_green(baseline, session)
        targets = baseline.targets
        self.say(
            f"red on the base: {many_of(len(targets), 'target')}; "
            f"{many_of(len(baseline.passed), 'test')} to keep"
        )
        return Baselined(
            targets=many(targets),
            targets_count=len(targets),
            passed=sum(len(gate.passed) for gate in baseline.gates.values()),
            failing=baseline.failing,
            wavering=many(baseline.wavering),
            baseline_sha256=self.evidence.put(spell(baseline).encode()),
        )

    def _released(self, baseline: Baseline) -> tuple[str, ...]:
        """For a change that exists they were named when it was made: what has moved since then is
        nobody's mistake."""
        opened = self.case.opened
        if opened.given is None:
            return opened.released
        return tuple(one for one in opened.released if one in baseline.passed)

    def _standings(self, run: Judged, ours: frozenset[str]) -> Mapping[str, Standing]:
        standings = {}
        for fact in run.gates:
            standing = self.court.standings(run, ours=ours)[fact.gate]
            if isinstance(standing, Error):
                raise SpecError("spec.oracle_error", self._cannot_judge(run, fact.gate, standing))
            standings[fact.gate] = standing
        return standings

    def _cannot_judge(self, run: Judged, gate: str, error: Error) -> str:
        fact = next(f for f in run.gates if f.gate == gate)
        command = next(g.run for g in self.case.oracle.gates if g.name == gate)
        tail = "\n".join(f"    {text}" for text in self.court.output(fact).splitlines()[-12:])
        said = f"; its last words were:\n{tail}" if tail else "; it printed nothing"
        hint = UNSEEN if fact.exit_code in NOT_JUDGED else ""
        reasons = "; ".join(error.reasons)
        return f"the oracle cannot judge the base: {reasons} (`{command}`{said}){hint}"

    def _refuse_green(self, baseline: Baseline, session: Session) -> None:
        if baseline.targets or not self.case.oracle.require_red_start:
            return
        if self.case.terms.may_reproduce and session.reproduced is None:
            return
        wavering = len(baseline.wavering)
        more = f" ({wavering} tests waver)" if wavering else ""
        raise SpecError(
            "spec.not_red",
            f"the oracle is green on the base{more}: no test fails in two runs out of two. Name a "
            "failing test, add one, or configure `reproduce` so that the agent may write one",
        )

    def _ours(self, tree: str) -> frozenset[str]:
        return own_modules(self.workcopy.entries(tree))


def own_modules(entries: Mapping[str, TreeEntry]) -> frozenset[str]:
    """Top-level names that an import could find in the repository itself."""
    files = [path for path in entries if path.endswith(".py")]
    folders = {path.rpartition("/")[0] + "/" for path in files if _is_test(path)} - {"/"}
    roots = {*IMPORT_ROOTS, *folders}
    return frozenset(
        path.removeprefix(root).split("/")[0].removesuffix(".py")
        for path in files
        for root in roots
        if path.startswith(root)
    )


def _is_test(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"


def _refuse_failed_setup(ran: Ran) -> None:
    if ran.ended is Ended.EXITED and ran.exit_code == 0:
        return
    tail = "\n".join(f"    {text}" for text in ran.output.splitlines()[-12:])
    raise SpecError(
        "spec.oracle_error",
        f"setup failed ({ran.ended.value}, exit {ran.exit_code}); its last words were:\n{tail}",
    )
