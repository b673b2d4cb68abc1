"""
The door through which the search reaches the repository's interpreter.

The agent says what to search; how the search is loaded behind a gate's command, and how its words
come out of the sandbox, is for whoever implements ``Lab``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bot.core.experiment import Experiment
from bot.ports import Bench, Ran


class Lab(Protocol):
    def run(self, experiment: Experiment, bench: Bench, *, on_line: Callable[[bytes], None]) -> Ran:
        """Run the gate's command on a copy of the checkout with the search inside. Each line that
        the search says goes to ``on_line``, one at a time, from another thread, while it runs."""
        ...
