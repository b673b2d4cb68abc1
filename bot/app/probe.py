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
from typing import Any, Generic, TypeVar

from bot.app.abreast import abreast
from bot.app.adjudicate import recall_baseline
from bot.app.breaking import Breaker
from bot.app.case import Case
from bot.app.copying import Copier
from bot.app.court import Court
from bot.app.trying import Aim, Trier, noting
from bot.core.baseline import GateBaseline
from bot.core.contract import Dialect, Gate
from bot.core.entries import Judged, Probed
from bot.core.report import Mark, Report
from bot.core.sensitivity.sighting import Word, together
from bot.core.session import Session
from bot.core.steps import Probe
from bot.ports import Evidence, Say, Workcopy

T = TypeVar("T")
NOTHING = Word("not applicable", "no gate has a target that could be run alone")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """What was found out, in how long, and by which run above all."""

    what: T
    seconds: float = 0.0
    judged: Judged | None = None

    def after(self, *earlier: Found[Any]) -> Found[T]:
        """With what led to it."""
        judged = [one.judged for one in earlier if one.judged]
        return Found(
            self.what,
            seconds=self.seconds + sum(one.seconds for one in earlier),
            judged=judged[0] if judged else self.judged,
        )


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
        return tuple(self._told(step, name, words.get(name, Found(NOTHING))) for name in step.names)

    def _told(self, step: Probe, name: str, found: Found[Word]) -> Probed:
        word, judged = found.what, found.judged
        self.say(f"check {name}: {word.result}")
        return Probed(
            name=name,
            result=word.result,
            why=word.why,
            blind=word.blind,
            tree=judged.tree if judged else None,
            report_sha256=judged.gates[0].report_sha256 if judged else None,
            candidate=step.tree,
            seconds=round(found.seconds, 3),
        )

    def _words(self, step: Probe, session: Session, aims: Sequence[Aim]) -> dict[str, Found[Word]]:
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
            broken = rooms.submit(_found, lambda: breaker.check(aims), -1)
            started = [
                tuple(rooms.submit(_found, run) for run in copier.runs()) for copier in copiers
            ]
            renamed: list[Found[Word]] = []
            twins: list[Found[Word]] = []
            for copier, runs in zip(copiers, started, strict=True):
                first, hard, soft = (run.result() for run in runs)
                seen = first.what, hard.what, soft.what
                word = _found(lambda: copier.of_renaming(seen[0]))  # noqa: B023  # called here
                renamed.append(word.after(first))
                word = _found(lambda: copier.of_disturbing(seen[1], seen[2], seen[0]))  # noqa: B023
                twins.append(word.after(hard, soft))
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


def _found(run: Callable[[], T], decisive: int = 0) -> Found[T]:
    """``decisive``: which of its runs, where there are several, the answer rests on."""
    began = time.monotonic()
    with noting() as made:
        what = run()
    judged = made[decisive] if made else None
    return Found(what, seconds=time.monotonic() - began, judged=judged)


def _joined(words: Sequence[Found[Word]]) -> Found[Word]:
    judged = [one.judged for one in words if one.judged]
    return Found(
        together([one.what for one in words]),
        seconds=sum(one.seconds for one in words),
        judged=judged[0] if judged else None,
    )
