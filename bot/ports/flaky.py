"""Where flaky tests are run: one gate, under conditions, each run in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.core.contract import Gate
from bot.core.flaky.condition import Condition
from bot.core.flaky.runs import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What can be varied here. ``missing``: what cannot, and why, a sentence each."""

    clock: bool = False
    workers: bool = False
    network: bool = False
    random: bool = False  # random generators can be started from a seed
    locales: tuple[str, ...] = ()
    cores: int = 1
    missing: tuple[str, ...] = ()


class VariedRuns(Protocol):
    """Runs a gate under conditions, each in a fresh process and a fresh clean room of ``tree``."""

    def means(self, gate: Gate) -> Means: ...

    def run(
        self,
        gate: Gate,
        conditions: Sequence[Condition],
        *,
        tree: str,
        look: bool = False,  # for state that tests leave changed
    ) -> tuple[Run, ...]:
        """As many at a time as the machine has cores, but those under load or whose subject is
        time one by one. Each is on disk before this returns. What could not be run is an invalid
        run, never an error."""
        ...

    def ask(self, command: str, *, tree: str, timeout_s: float) -> str | None:
        """What a person's shell would say: the output of a command that failed; None where it
        ended well."""
        ...
