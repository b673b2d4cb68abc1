"""
Sensitivity checks on a green candidate: would the oracle have noticed, had the change been wrong?

On the targets only, side by side, each in a clean room of its own. A check that has nothing to act
on, or whose runs cannot be believed, is *not applicable*, never *passed*.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TypeAlias, TypeVar

from bot.app.abreast import abreast
from bot.app.adjudicate import recall_baseline
from bot.app.breaking import Breaker
from bot.app.case import Case
from bot.app.copying import Copier
from bot.app.court import Court
from bot.app.trying import Aim, Trier
from bot.core.baseline import GateBaseline
from bot.core.contract import Dialect, Gate
from bot.core.entries import Judged, Probed
from bot.core.report import Mark, Report
from bot.core.sensitivity.sighting import Word, together
from bot.core.session import Session
from bot.core.steps import Probe
from bot.ports import Evidence, Say, Workcopy

T = TypeVar("T")
Timed: TypeAlias = tuple[Word, float]
NOTHING = Word("not applicable", "no gate has a target that could be run alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prober:
    case: Case
    court: Court
    workcopy: Workcopy
    evidence: Evidence
    say: Say
    side_by_side: int
    halt: Event = field(default_factory=Event)  # ends whatever runs in a room

    def probe(self, step: Probe, session: Session) -> tuple[Probed, ...]:
        aims = self._aims(step.tree, session)
        words = self._words(step, session, aims) if aims else {}
        return tuple(
            self._told(step, name, *words.get(name, (NOTHING, 0.0))) for name in step.names
        )

    def _told(self, step: Probe, name: str, word: Word, seconds: float) -> Probed:
        self.say(f"check {name}: {word.result}")
        return Probed(
            name=name, result=word.result, why=word.why, tree=step.tree, seconds=round(seconds, 3)
        )

    def _words(self, step: Probe, session: Session, aims: Sequence[Aim]) -> dict[str, Timed]:
        trier = Trier(court=self.court, workcopy=self.workcopy)
        breaker = Breaker(
            trier=trier, workcopy=self.workcopy, ground=session.ground, tree=step.tree
        )
        copiers = [
            Copier(
                trier=trier,
                workcopy=self.workcopy,
                ground=session.ground,
                tree=step.tree,
                aim=aim,
            )
            for aim in aims
        ]
        for copier in copiers:
            copier.prepare()
        with abreast(self.side_by_side, self.halt) as rooms:
            broken = rooms.submit(_timed, lambda: breaker.check(aims))
            started = [
                tuple(rooms.submit(_timed, run) for run in copier.runs()) for copier in copiers
            ]
            renamed: list[Timed] = []
            twins: list[Timed] = []
            for copier, runs in zip(copiers, started, strict=True):
                (first, a), (hard, b), (soft, c) = (run.result() for run in runs)
                word, more = _timed(lambda: copier.of_renaming(first))  # noqa: B023  # called here
                renamed.append((word, a + more))
                word, more = _timed(lambda: copier.of_disturbing(hard, soft, first))  # noqa: B023
                twins.append((word, b + c + more))
            return {
                "sabotage": broken.result(),
                "twin": _joined(twins),
                "renamed": _joined(renamed),
            }

    def _aims(self, tree: str, session: Session) -> list[Aim]:
        baseline = recall_baseline(session, self.evidence)
        runs = [run for run in session.adjudications if run.tree == tree]
        aims = []
        for gate in self.case.oracle.gates:
            known = baseline.gates[gate.name]
            targets = self._targets(gate, known, runs[0]) if runs else ()
            if targets:
                seconds = max(f.seconds for run in runs for f in run.gates if f.gate == gate.name)
                aims.append(
                    Aim(gate=gate, targets=targets, passed=frozenset(known.passed), seconds=seconds)
                )
        return aims

    def _targets(self, gate: Gate, known: GateBaseline, run: Judged) -> tuple[str, ...]:
        """A file that could not be collected is its tests, now that they pass."""
        (fact,) = (fact for fact in run.gates if fact.gate == gate.name)
        reading = self.court.heard(fact).reading
        passed = reading.ids(Mark.PASSED) if isinstance(reading, Report) else frozenset()
        within = "." if gate.report is Dialect.UNITTEST else "::"
        found = {target for target in known.targets if target in passed}
        for file in set(known.targets) - found:
            found |= {test for test in passed if test.startswith(file + within)}
        return tuple(sorted(found))


def _timed(run: Callable[[], T]) -> tuple[T, float]:
    began = time.monotonic()
    result = run()
    return result, time.monotonic() - began


def _joined(words: Sequence[Timed]) -> Timed:
    return together([word for word, _ in words]), sum(seconds for _, seconds in words)
