"""
Findings of one cause, taken together: one polluter's victims are one mend, and so are the cases of
one test.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Finding

FAILING = 40  # conditions that are replayed


def causes(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The first of each cause speaks for it; all tests and recorded failures come along."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_cause(finding), []).append(finding)
    return tuple(_together(group) for group in groups.values())


def _cause(finding: Finding) -> object:
    if not finding.polluters:  # the cases of one parametrized test fail alike
        return finding.category, finding.test.partition("[")[0], finding.signature
    state = frozenset(leaked.where for leaked in finding.leaked)
    return finding.category, frozenset(finding.polluters), state


def _together(group: list[Finding]) -> Finding:
    first = group[0]
    if len(group) == 1:
        return first
    failing: list[Condition] = []
    for place in range(max(len(one.failing) for one in group)):  # in turn, so that none is left out
        failing += [one.failing[place] for one in group if place < len(one.failing)]
    tests = dict.fromkeys(test for one in group for test in (one.test, *one.tests))
    leaked = dict.fromkeys(leaked for one in group for leaked in one.leaked)
    return first.model_copy(
        update={
            "tests": tuple(tests),
            "failing": tuple(dict.fromkeys(failing))[:FAILING],
            "leaked": tuple(leaked),
        }
    )


def ranked(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """What costs most first: what fails as people run it, then what explains most tests."""
    return tuple(sorted(found, key=_cost, reverse=True))


def _cost(finding: Finding) -> tuple[float, int, float]:
    plain, before = finding.plain, finding.before
    return (
        plain.failed / plain.runs if plain.runs else 0.0,
        len(finding.tests),
        before.failed / before.runs if before.runs else 0.0,
    )
