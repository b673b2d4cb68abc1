"""
The door through which the search reaches the repository's interpreter.

The agent says what to search; how the search is loaded behind a gate's command, and how its words
come out of the sandbox, is for whoever implements ``Lab``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.core.contract import Gate
from bot.ports import Bench, Ran


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What the search is asked. ``skip``: digests of changes that were refused before."""

    gate: Gate
    editable: tuple[str, ...]
    targets: tuple[str, ...]
    passing: frozenset[str]
    seconds: float
    locate_only: bool = False
    skip: tuple[str, ...] = ()


class Lab(Protocol):
    def run(self, experiment: Experiment, bench: Bench, *, on_line: Callable[[bytes], None]) -> Ran:
        """Run the gate's command on a copy of the checkout with the search inside. Each line that
        the search says goes to ``on_line``, from any thread, one at a time, while it runs."""
        ...
