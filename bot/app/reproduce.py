"""
Before the work, where no test covers the issue: a test by the agent that shows it.

The test counts only over the untouched source. Once accepted it is frozen and becomes part of the
ground that the change is measured against.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.app.adjudicate import recall_baseline
from bot.app.candidate import Composer
from bot.app.case import Case
from bot.app.court import Court, Trial
from bot.core.entries import Judged, Reproduced
from bot.core.frozen import Hold
from bot.core.parts import Colour, Held, Purpose
from bot.core.reproduction import shows
from bot.core.session import Session
from bot.core.steps import Accept, Reproduce
from bot.ports import Evidence, Say, Workcopy


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproducer:
    case: Case
    court: Court
    composer: Composer
    workcopy: Workcopy
    evidence: Evidence
    say: Say

    def judge(self, step: Reproduce, session: Session) -> Judged:
        """Twice, since a test that fails once may only waver."""
        tree = self._with_test(step.head, session)
        trial = Trial(purpose=Purpose.REPRODUCTION, number=len(session.reproductions), tree=tree)
        runs = [
            self._run(trial, session),
            self._run(replace(trial, number=trial.number + 1), session),
        ]
        shown = all(self._shows(run, session) for run in runs)
        self.say(
            "the new test shows the issue" if shown else "the new test does not show the issue"
        )
        return runs[0].model_copy(update={"shows": shown})

    def accept(self, step: Accept, session: Session) -> Reproduced:
        changes = self.workcopy.changes(session.ground, step.tree)
        return Reproduced(
            checkpoint=step.head.number,
            tree=step.tree,
            paths=tuple(change.path for change in changes),
        )

    def _run(self, trial: Trial, session: Session) -> Judged:
        return self.court.of_candidate(trial, baseline=recall_baseline(session, self.evidence))

    def _shows(self, judged: Judged, session: Session) -> bool:
        worse = any(g.lost_count or g.reasons or g.integrity for g in judged.gates)
        if judged.colour is not Colour.RED or worse:
            return False
        baseline = recall_baseline(session, self.evidence)
        known = frozenset(i for gate in baseline.gates.values() for i in gate.known)
        readings = [self.court.heard(gate).reading for gate in judged.gates]
        return shows(readings, known=known, objective=self.case.objective)

    def _with_test(self, head: Held, session: Session) -> str:
        """
        The ground, and over it only what the agent wrote where a test may be written. No surface:
        it would be part of the ground, and nothing that it does could be told from the base's.
        """
        reproduce = self.case.contract.reproduce
        assert reproduce is not None, "there is a reproduction only where one may be written"  # noqa: S101
        prefixes = tuple(path.rstrip("/") + "/" for path in reproduce.paths)
        rules = self.composer.rules(session)
        ground, left = self.workcopy.entries(session.ground), self.workcopy.entries(head.tree)
        put = [
            entry
            for path, entry in left.items()
            if path not in ground
            and (path in reproduce.paths or path.startswith(prefixes))
            and rules.hold(path) is not Hold.SURFACE
        ]
        return self.workcopy.compose(session.ground, put=put, drop=())
