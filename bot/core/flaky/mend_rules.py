"""
What clean runs say of a mend, and which other tests it has not kept.

The sizes are ``bot.core.flaky.statistics``'s. Here is what can be said without it, so that an old
ledger can be told on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from bot.core.flaky.statistics import ALPHA, adjusted, no_drop

REPLAYS = 2
"""Of every recorded failure."""
LOOSEST = 0.05
"""A bound above this is no bound worth publishing."""

Tally = Mapping[str, tuple[int, int]]
"""Test id -> how often it failed, and in how many runs it was judged."""


def bound_of(runs: int) -> float:
    """What ``runs`` clean ones leave possible, at 95 %, one-sided."""
    return 1.0 if runs < 1 else 1 - 0.05 ** (1 / runs)


def chance_unchanged(failed: int, runs: int, clean: int) -> float:
    """Of ``clean`` runs without a failure, had nothing changed: Fisher's exact test, one-sided."""
    return math.comb(runs, failed) / math.comb(runs + clean, failed)


def lost(before: Tally, after: Tally) -> tuple[str, ...]:
    """What passed on the base every time and now never runs, or never passes."""
    steady = [test for test, (failed, runs) in before.items() if failed == 0 and runs > 0]
    return tuple(sorted(test for test in steady if _is_gone(after.get(test, (0, 0)))))


def _is_gone(tally: tuple[int, int]) -> bool:
    failed, runs = tally
    return failed == runs


def worse(before: Tally, after: Tally, *, but: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """What fails more often than it did, told apart from chance over all tests together."""
    common = sorted((before.keys() & after.keys()) - but)
    failing = [test for test in common if after[test][0] > 0]
    chances = adjusted([no_drop(*after[test], *before[test]) for test in failing])
    return tuple(test for test, p in zip(failing, chances, strict=True) if p <= ALPHA)
