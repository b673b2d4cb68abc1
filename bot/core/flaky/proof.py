"""
When a test may be called flaky: it passed and it failed on the same code, and not once by accident.
"""

from __future__ import annotations

from bot.core.flaky.finding import Standing
from bot.core.flaky.runs import Count

LEAST = 2


def standing(before: Count, after: Count | None) -> Standing:
    """``before``: where it fails. ``after``: one condition apart, where it should not. Either both
    were seen under one condition, or each is certain under its own. What takes a second run in one
    process to fail is no flaky test: no run that anybody makes fails for it."""
    proven = _proven(before, after)
    is_repeated = proven is Standing.FLAKY and before.condition.repeat > 1
    return Standing.REPEATED if is_repeated else proven


def _proven(before: Count, after: Count | None) -> Standing:
    passed = before.runs - before.failed
    if before.failed >= LEAST and passed >= LEAST:
        return Standing.FLAKY
    if after is None or before.failed < LEAST or passed:
        return Standing.SUSPECT
    return Standing.FLAKY if after.runs >= LEAST and not after.failed else Standing.SUSPECT
