"""Where flaky tests are run: one gate, under conditions, each run in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.core.contract import Gate
from bot.core.flaky.condition import Condition
from bot.core.flaky.means import Means
from bot.core.flaky.runs import Run
from bot.ports.commands import Ran
from bot.ports.gates import GateRan


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied:
    """One run of a gate's command under a condition. ``load``: the machine's load average."""

    got: GateRan
    load: float


class VariedGates(Protocol):
    """Runs a gate's command in a room, under a condition."""

    def means(self, gate: Gate) -> Means: ...

    def run(
        self, gate: Gate, room: Path, condition: Condition, *, timeout_s: float, look: bool
    ) -> Varied: ...

    def ask(self, command: str, room: Path, *, timeout_s: float) -> Ran: ...


class RunLog(Protocol):
    """Lines that outlive this process: one for each run of a search."""

    def read(self) -> tuple[str, ...]: ...

    def add(self, line: str) -> None:
        """Durable on return."""
        ...

    def close(self) -> None:
        """The search is over: the next one begins anew."""
        ...


class VariedRuns(Protocol):
    """Runs a gate under conditions, each in a fresh process and a fresh clean room of ``tree``."""

    def means(self, gate: Gate) -> Means: ...

    def expect(self, seconds: float) -> None:
        """A run that lasts longer hangs."""
        ...

    def run(
        self,
        gate: Gate,
        conditions: Sequence[Condition],
        *,
        tree: str,
        look: bool = False,  # for state that tests leave changed
    ) -> tuple[Run, ...]:
        """As many at a time as the machine has cores, but those under load or of workers one by
        one. Each is on disk before this returns. What could not be run is an invalid run, never an
        error."""
        ...

    def ask(self, command: str, *, tree: str, timeout_s: float) -> Ran:
        """What a person's shell would do in a fresh room of ``tree``."""
        ...
