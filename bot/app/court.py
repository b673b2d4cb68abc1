"""
Has a tree judged by the oracle: a fresh room, every gate, one fact.

The use case between the gates' bytes and the ledger's words. What a verdict means is decided in
``bot.core.verdict``; which trees are judged, and when, in ``bot.core.next_step``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bot.core.baseline import Baseline
from bot.core.contract import Gate, Oracle
from bot.core.entries import Judged
from bot.core.frozen import folders_of
from bot.core.parts import Colour, GateFact, Purpose, many
from bot.core.report import Mark, Reading, Report, Unreadable
from bot.core.report_json import dump, load
from bot.core.verdict import (
    Error,
    Green,
    Heard,
    Red,
    Standing,
    Verdict,
    colour,
    compose,
    judge,
    stand,
)
from bot.core.visible import one_line
from bot.oracles import PARSERS, Raw
from bot.ports import Ended, Evidence, GateRan, GateRunner, Ran, Workcopy

BUILD_S = 1800.0
BUILD_TOLD = 200
Judging = Callable[[Gate, Heard], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Which tree is judged, why, and how it is varied."""

    purpose: Purpose
    number: int
    tree: str
    seed: int = 0
    select: tuple[str, ...] | None = None
    watch: tuple[str, ...] = ()

    @property
    def room(self) -> str:
        return f"{self.purpose.value.replace(' ', '-')}-{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    oracle: Oracle
    workcopy: Workcopy
    gates: GateRunner
    evidence: Evidence
    held: Callable[[str], frozenset[str]]  # of a tree: paths that no run may touch
    build: str = ""  # offline, in every room, before its gates

    def of_base(self, trial: Trial, *, ours: frozenset[str]) -> Judged:
        """The base: red where something fails, green where nothing does."""
        return self._hold(trial, lambda _, heard: _as_verdict(stand(heard, ours=ours)))

    def of_candidate(self, trial: Trial, *, baseline: Baseline) -> Judged:
        def against(gate: Gate, heard: Heard) -> Verdict:
            expected = baseline.expectation(
                gate.name, select=trial.select, watched=frozenset(trial.watch)
            )
            return judge(heard, gate, expected)

        return self._hold(trial, against)

    def standings(self, judged: Judged, *, ours: frozenset[str]) -> Mapping[str, Standing | Error]:
        """What an earlier run of the base said, read again from the evidence."""
        return {fact.gate: stand(self.heard(fact), ours=ours) for fact in judged.gates}

    def heard(self, fact: GateFact) -> Heard:
        reading = load(self.evidence.get(fact.report_sha256))
        return Heard(ended=fact.ended, exit_code=fact.exit_code, reading=reading)

    def output(self, fact: GateFact) -> str:
        return self.evidence.get(fact.output_sha256).decode()

    def _hold(self, trial: Trial, judging: Judging) -> Judged:
        room = self.workcopy.room(trial.tree, name=trial.room)
        watch = _Watch(self.gates, room, self.held(trial.tree))
        try:
            broken = self._build(room)
            facts = tuple(
                self._gate(
                    gate,
                    broken or self._run(gate, room, trial),
                    judging,
                    watch,
                    is_built=broken is None,
                )
                for gate in self.oracle.gates
            )
        finally:
            self.workcopy.discard(room)
        return Judged(
            purpose=trial.purpose,
            number=trial.number,
            tree=trial.tree,
            seed=trial.seed,
            colour=compose(fact.colour for fact in facts),
            gates=facts,
            seconds=round(sum(fact.seconds for fact in facts), 3),
        )

    def _run(self, gate: Gate, room: Path, trial: Trial) -> GateRan:
        return self.gates.run(gate, room, select=trial.select, seed=trial.seed, watch=trial.watch)

    def _build(self, room: Path) -> GateRan | None:
        """None when the room is built, or nothing has to be; else what the build said."""
        if not self.build:
            return None
        ran = self.gates.ask(self.build, room, timeout_s=BUILD_S)
        return None if ran.ended is Ended.EXITED and ran.exit_code == 0 else GateRan(ran=ran)

    def _unbuilt(self, ran: Ran) -> Unreadable:
        how = f"exit {ran.exit_code}" if ran.ended is Ended.EXITED else ran.ended.value
        return Unreadable(f"the build failed ({how}): {one_line(self.build, BUILD_TOLD)}")

    def _gate(
        self, gate: Gate, got: GateRan, judging: Judging, watch: _Watch, *, is_built: bool
    ) -> GateFact:
        raw = Raw(
            exit_code=got.ran.exit_code,
            output=got.ran.output,
            recording=got.recording,
            report_file=got.report_file,
            gate=gate,
        )
        reading = PARSERS[gate.report](raw) if is_built else self._unbuilt(got.ran)
        if (touched := watch.touched()) and isinstance(reading, Report):
            reading = replace(reading, tampering=(*reading.tampering, *touched))
        heard = Heard(
            ended=got.ran.ended, exit_code=got.ran.exit_code, reading=reading, root=got.root
        )
        self.evidence.put(got.recording)
        fact = GateFact(
            gate=gate.name,
            report=gate.report,
            colour=Colour.ERROR,
            exit_code=got.ran.exit_code,
            ended=got.ran.ended,
            seconds=round(got.ran.seconds, 3),
            report_sha256=self.evidence.put(dump(reading)),
            output_sha256=self.evidence.put(got.ran.output.encode()),
        )
        return _said(_counted(fact, reading), judging(gate, heard))


class _Watch:
    """
    Over the frozen files of one room. Code that is tested runs where the tests lie, and could
    rewrite those that are yet to be read: by the build, by an earlier gate, while others run.
    """

    def __init__(self, gates: GateRunner, room: Path, held: frozenset[str]) -> None:
        starts = {f"{folder}/conftest.py".lstrip("/") for folder in folders_of(held)}
        self._look = partial(gates.look, room, sorted(held | starts))
        self._last = self._look()

    def touched(self) -> tuple[str, ...]:
        """Since the last look."""
        before, self._last = self._last, self._look()
        return tuple(
            f"{path} was touched" for path, state in self._last.items() if state != before[path]
        )


def _as_verdict(standing: Standing | Error) -> Verdict:
    match standing:
        case Error():
            return standing
        case Standing(failing=failing):
            return Red(failing=failing) if failing else Green()


def _counted(fact: GateFact, reading: Reading) -> GateFact:
    if not isinstance(reading, Report):
        return fact
    numbers = {
        "passed": reading.count(Mark.PASSED),
        "failed": reading.count(Mark.FAILED, Mark.XPASSED),
        "errored": reading.count(Mark.ERRORED) + len(reading.uncollectable),
        "skipped": reading.count(Mark.SKIPPED, Mark.XFAILED),
    }
    return fact.model_copy(update=numbers)


def _said(fact: GateFact, verdict: Verdict) -> GateFact:
    words: dict[str, object] = {"colour": colour(verdict)}
    match verdict:
        case Green():
            pass
        case Error(reasons=reasons):
            words |= {"reasons": reasons}
        case Red():
            words |= {
                "lost": many(verdict.lost),
                "lost_count": len(verdict.lost),
                "unmended": many(verdict.unmended),
                "unmended_count": len(verdict.unmended),
                "failing": many(verdict.failing),
                "reasons": verdict.reasons,
                "integrity": verdict.integrity,
            }
    return fact.model_copy(update=words)
