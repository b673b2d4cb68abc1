"""
Runs tests under conditions, as many at a time as the machine bears, and forgets none.

A run that a search before this one made under the same condition, and did not live to use, is
taken from the log instead of being made again. What a run means is not known here.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event, Lock

from bot.core.contract import Gate
from bot.core.flaky import run_line
from bot.core.flaky.condition import Condition
from bot.core.flaky.means import Means
from bot.core.flaky.runs import Run
from bot.core.visible import one_line
from bot.oracles import Raw
from bot.oracles.varied import read_run
from bot.ports import Ended, Evidence, Ran, Workcopy
from bot.ports.flaky import RunLog, VariedGates

BUILD_S = 1800.0


@dataclass(slots=True, kw_only=True)
class Laboratory:
    """The ``VariedRuns`` port."""

    gates: VariedGates
    workcopy: Workcopy
    evidence: Evidence
    log: RunLog
    stop: Event
    side_by_side: int
    build: str = ""
    timeout_s: float = 600.0
    made: list[Run] = field(default_factory=list)
    _kept: dict[tuple[str, ...], deque[Run]] = field(default_factory=lambda: defaultdict(deque))
    _number: int = 0
    _lock: Lock = field(default_factory=Lock)

    def take_up(self) -> int:
        """What an interrupted search left; how many runs that is."""
        count = 0
        for line in self.log.read():
            if held := run_line.read(line):
                (gate, tree, look), run = held
                self._kept[_key(gate, tree, run.condition, look=look)].append(run)
                count += 1
        return count

    def means(self, gate: Gate) -> Means:
        return self.gates.means(gate)

    def expect(self, seconds: float) -> None:
        self.timeout_s = seconds

    def run(
        self, gate: Gate, conditions: Sequence[Condition], *, tree: str, look: bool = False
    ) -> tuple[Run, ...]:
        one_by_one = any(c.load or c.workers for c in conditions)
        width = 1 if one_by_one or len(conditions) < 2 else self.side_by_side

        def one(condition: Condition) -> Run:
            return self._one(gate, condition, tree=tree, look=look)

        if width == 1:
            return tuple(map(one, conditions))
        with ThreadPoolExecutor(width) as pool:
            return tuple(pool.map(one, conditions))

    def ask(self, command: str, *, tree: str, timeout_s: float) -> Ran:
        room = self.workcopy.room(tree, name=f"flaky-{self._next()}")
        try:
            if self.build:
                self.gates.ask(self.build, room, timeout_s=BUILD_S)
            return self.gates.ask(command, room, timeout_s=timeout_s)
        finally:
            self.workcopy.discard(room)

    def _one(self, gate: Gate, condition: Condition, *, tree: str, look: bool) -> Run:
        number = self._next()
        with self._lock:
            kept = self._kept.get(_key(gate.name, tree, condition, look=look))
            run = replace(kept.popleft(), number=number) if kept else None
        if run is None and self.stop.is_set():
            return Run(number=number, condition=condition, failures={}, invalid="stopped")
        if run is None:
            run = self._make(gate, condition, tree=tree, look=look, number=number)
            with self._lock:
                self.log.add(run_line.write(run, gate=gate.name, tree=tree, look=look))
        with self._lock:
            self.made.append(run)
        return run

    def _make(self, gate: Gate, condition: Condition, *, tree: str, look: bool, number: int) -> Run:
        room = self.workcopy.room(tree, name=f"flaky-{number}")
        try:
            if self.build and (why := self._build(room)):
                return Run(number=number, condition=condition, failures={}, invalid=why)
            limit = min(gate.timeout_s, self.timeout_s)
            varied = self.gates.run(gate, room, condition, timeout_s=limit, look=look)
        finally:
            self.workcopy.discard(room)
        got = varied.got
        raw = Raw(
            exit_code=got.ran.exit_code,
            output=got.ran.output,
            recording=got.recording,
            report_file=got.report_file,
            gate=gate,
        )
        run = read_run(raw, condition, number=number, seconds=got.ran.seconds, load=varied.load)
        kept = self.evidence.put(got.recording)
        if run.invalid:  # what the command printed last tells more than that it told nothing
            end = one_line(got.ran.output.strip().rpartition("\n")[2], 200)
            run = replace(run, invalid=f"{run.invalid} ({end})" if end else run.invalid)
        return replace(run, report_sha256=kept)

    def _build(self, room: object) -> str:
        ran = self.gates.ask(self.build, room, timeout_s=BUILD_S)  # type: ignore[arg-type]
        done = ran.ended is Ended.EXITED and ran.exit_code == 0
        return "" if done else f"the build failed: {ran.output[-200:].strip()}"

    def _next(self) -> int:
        with self._lock:
            self._number += 1
            return self._number


def _key(gate: str, tree: str, condition: Condition, *, look: bool) -> tuple[str, ...]:
    return (gate, tree, condition.model_dump_json(), str(look))
