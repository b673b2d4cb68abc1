"""
Judges candidates: at the stop gate, and for good in clean rooms.

A candidate's room is never the agent's checkout: what the agent left besides the tree (ignored
files, caches, daemons) cannot be in it, at the stop gate no more than at the end.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Event
from typing import TypeAlias

from bot.app.abreast import abreast
from bot.app.case import Case
from bot.app.court import Court, Trial
from bot.app.former import FormerTests
from bot.app.reviewing import Reviewer
from bot.core.baseline import Baseline
from bot.core.canonical import unspell
from bot.core.conclude import conclude
from bot.core.entries import Adjudicated, AnyFact, Disputed, Judged
from bot.core.parts import Change, Colour, Purpose, Remark
from bot.core.review import of_tests
from bot.core.session import Session
from bot.core.settled import settled
from bot.core.steps import SEEDS, Adjudicate, AskGate, Conclude, Dispute, JudgeAlso
from bot.ports import Evidence, Say, Stage, Workcopy

BY_ITSELF, AMONG_OTHERS, MORE = 2, 2, 6
"""Rounds for ids in dispute: without the other tests, with all of them, and without them again.
Base and candidate run in each, so that there are at most twenty runs."""
FILES_TOLD = 100
Place: TypeAlias = tuple[str, str]
"""A gate and an id: the same id may waver in one gate and be sure in another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudicator:
    case: Case
    court: Court
    stage: Stage
    workcopy: Workcopy
    evidence: Evidence
    say: Say
    side_by_side: int  # rooms at a time
    halt: Event = field(default_factory=Event)  # ends whatever runs in one

    def stop_gate(self, step: AskGate, session: Session) -> Judged:
        number = session.refusals + session.gate_errors
        if step.earlier is not None and step.earlier.colour is Colour.RED:
            self.say("the stop gate answers from an earlier run of the same tree: red")
            return step.earlier.model_copy(
                update={"purpose": Purpose.STOP_GATE, "number": number, "cached": True}
            )
        return self._candidate(Purpose.STOP_GATE, number, step.tree, session)

    def runs(self, step: Adjudicate, session: Session) -> tuple[AnyFact, ...]:
        def run(number: int) -> Judged:
            return self._candidate(Purpose.ADJUDICATION, number, step.tree, session)

        with abreast(self.side_by_side, self.halt) as rooms:
            runs = tuple(rooms.map(run, step.numbers))
        return self._placed(*runs)

    def also(self, step: JudgeAlso, session: Session) -> Judged:
        (run,) = self._placed(self._candidate(step.purpose, 0, step.tree, session))
        return run

    def _placed(self, *runs: Judged) -> tuple[Judged, ...]:
        """Looked at when they are over: what changed before them and what changed meanwhile."""
        now = self.stage.environment()
        return tuple(run.model_copy(update={"environment_sha256": now}) for run in runs)

    def dispute(self, step: Dispute, session: Session) -> Disputed:
        """
        Base and candidate in turn, the ids by themselves and among all the others. An id wavers
        that fails on the base among the others, or that sometimes fails there by itself. One that
        never passes by itself tells nothing so: it passed among the others.
        """
        began = time.monotonic()
        ids = _lost_in(step, session)
        failed, passed, wavering = (frozenset[Place](),) * 3
        rounds = 0
        for select in (*[step.ids] * BY_ITSELF, *[None] * AMONG_OTHERS, *[step.ids] * MORE):
            told = failed - passed if rounds >= BY_ITSELF + AMONG_OTHERS else frozenset[Place]()
            if not ids - wavering - told:
                break
            on_base = self._lost(session.ground, rounds, step, session, select=select)
            self._lost(step.tree, rounds, step, session, select=select)
            rounds += 1
            if on_base is None:
                continue
            if select is None:
                wavering |= on_base & ids
                continue
            failed |= on_base & ids
            passed |= ids - on_base
            wavering |= failed & passed
        # An id that another gate lost as well has to waver there, too.
        aside = {test for _, test in wavering} - {test for _, test in ids - wavering}
        return Disputed(
            ids=step.ids,
            wavering=tuple(sorted(aside)),
            held=tuple(sorted(set(step.ids) - aside)),
            runs=2 * rounds,
            seed=step.seed,
            seconds=round(time.monotonic() - began, 3),
        )

    def conclude(self, step: Conclude, session: Session) -> Adjudicated:
        word = conclude(session, self.case.standards, why=step.why, remarks=self._remarks(session))
        changes = self.workcopy.changes(session.ground, word.head_tree)
        told = tuple(
            Change(
                path=c.path,
                added=c.added,
                removed=c.removed,
                old_mode=c.old_mode,
                new_mode=c.new_mode,
            )
            for c in changes[:FILES_TOLD]
        )
        return word.model_copy(update={"changes": told, "files": len(changes)})

    def _remarks(self, session: Session) -> tuple[Remark, ...]:
        """On the change itself, whatever became of it."""
        candidate = session.candidate
        if candidate is None:
            return ()
        targets = recall_baseline(session, self.evidence).targets
        reviewer = Reviewer(workcopy=self.workcopy)
        found = reviewer.remarks(session.ground, candidate.tree, targets=targets)
        if self.case.opened.given and settled(session, candidate.tree) is Colour.GREEN:
            found += FormerTests(workcopy=self.workcopy, court=self.court).remarks(session)
        if session.with_tests is None or candidate.with_tests is None:
            return found
        tests = reviewer.remarks(candidate.tree, candidate.with_tests, targets=targets)
        return (*found, *of_tests(tests))

    def _candidate(self, purpose: Purpose, number: int, tree: str, session: Session) -> Judged:
        seed = SEEDS[number] if purpose is Purpose.ADJUDICATION else 0
        trial = Trial(
            purpose=purpose,
            number=number,
            tree=tree,
            seed=seed,
            watch=self._changed_modules(session.ground, tree),
        )
        judged = self.court.of_candidate(trial, baseline=recall_baseline(session, self.evidence))
        self.say(f"{purpose.value}, run {number + 1}: {judged.colour.value}")
        return judged

    def _lost(
        self,
        tree: str,
        number: int,
        step: Dispute,
        session: Session,
        *,
        select: tuple[str, ...] | None,
    ) -> frozenset[Place] | None:
        """The ids that did not pass, and where; None where the run tells nothing of single ids."""
        trial = Trial(
            purpose=Purpose.ADJUDICATION,
            number=100 + number,
            tree=tree,
            seed=step.seed,
            select=select,
        )
        judged = self.court.of_candidate(trial, baseline=recall_baseline(session, self.evidence))
        broken = any(gate.reasons and not gate.lost for gate in judged.gates)
        if broken or judged.colour is Colour.ERROR:
            return None
        return frozenset((gate.gate, i) for gate in judged.gates for i in gate.lost)

    def _changed_modules(self, ground: str, tree: str) -> tuple[str, ...]:
        changes = self.workcopy.changes(ground, tree)
        return tuple(c.path for c in changes if c.path.endswith(".py") and c.new_mode)


def _lost_in(step: Dispute, session: Session) -> frozenset[Place]:
    """What the run in dispute lost, and where: targets are not among it, and never set aside."""
    return frozenset(
        (gate.gate, test)
        for run in session.adjudications
        if run.tree == step.tree and SEEDS[run.number] == step.seed
        for gate in run.gates
        for test in gate.lost
        if test in step.ids
    )


def recall_baseline(session: Session, evidence: Evidence) -> Baseline:
    assert session.baseline is not None, "nothing is judged before the baseline"  # noqa: S101
    return _baseline(evidence.get(session.baseline.baseline_sha256))


@lru_cache(maxsize=8)
def _baseline(content: bytes) -> Baseline:
    """The same bytes are asked for at every turn, and may hold ten thousand ids."""
    return Baseline.model_validate(unspell(content))
