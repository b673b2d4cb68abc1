"""
The mark of one test, from what its runner reported and from what the test really raised.

Where the two differ, a "passed" is never believed. ``None``: the test did not come to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from bot.core.report import Mark, worst
from bot.oracles.lines import Told

Marker: TypeAlias = Callable[[Told], Mark | None]

SUBS = {"failed": Mark.FAILED, "skipped": Mark.SKIPPED, "xfailed": Mark.XFAILED}
PARTS = ("setup", "call", "teardown")
SAID = {
    "passed": Mark.PASSED,
    "skipped": Mark.SKIPPED,
    "xfailed": Mark.XFAILED,
    "xpassed": Mark.XPASSED,
    "failed": Mark.FAILED,
    "errored": Mark.ERRORED,
}


def of_pytest(told: Told) -> Mark | None:
    marks = [_of_phase(when, outcome, raw) for when, outcome, raw, _ in told.phases]
    if told.xfail:
        marks = [_expected(mark) for mark in marks]
    whole = {when for when, *_ in told.phases} >= set(PARTS)
    if not marks or (set(marks) == {Mark.PASSED} and not whole):
        return None
    if told.xfail and set(marks) == {Mark.PASSED}:
        return Mark.XPASSED
    return worst(*marks, *_of_subs(told.subs))


def _of_phase(when: str, outcome: str, raw: str) -> Mark:
    bad = Mark.FAILED if when == "call" else Mark.ERRORED
    if outcome == "passed":
        # A "passed" over an exception was written by somebody else than the test.
        return bad if raw == "failed" else SUBS.get(raw, Mark.PASSED)
    return Mark.SKIPPED if outcome == "skipped" else bad


def _expected(mark: Mark) -> Mark:
    return Mark.XFAILED if mark is Mark.SKIPPED else mark


def of_unittest(told: Told) -> Mark | None:
    said = {outcome for _, outcome, _, _ in told.phases if outcome}
    raised = {when for when, _, raw, _ in told.phases if raw == "failed"}
    excused = said & {"xfailed", "skipped"}
    if excused and not said & {"failed", "errored"}:
        return worst(*(SAID[word] for word in excused))
    if raised:
        return Mark.FAILED if raised == {"call"} else Mark.ERRORED
    marks = [SAID.get(word, Mark.ERRORED) for word in said]
    if "errored" in said and "failed" in told.subs:
        return Mark.FAILED  # a subtest's own error happens in the call
    marks.extend(_of_subs(told.subs))
    return worst(*marks) if marks else None


def _of_subs(subs: Iterable[str]) -> Iterable[Mark]:
    """Subtests share their test's id, so that the worst of them is its mark."""
    return (SUBS[sub] for sub in subs if sub in SUBS)


def is_doubled(told: Told) -> bool:
    """Some plugins run a test again until it passes."""
    return sum(when == "setup" for when, _, _, _ in told.phases) > 1
