"""
What a set of runs showed of every test: who is always right, who always wrong, and who wavers.

A run in which nearly everything fails at once tells of the machine, not of the tests, and is
counted apart; so is one that could not be read. Nobody is called flaky here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.core.flaky.arms import arm_of
from bot.core.flaky.condition import Condition
from bot.core.flaky.runs import Count, Run, Seen

MASS = 0.8  # of the tests that passed in the baseline
MASS_FROM = 20  # tests; in a small suite one leak may well fail most of them
BASELINE = 2
TEXT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wavering:
    """A test that passed in some runs and failed in others. ``signature``: the commonest."""

    test: str
    passed: int
    failed: int
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    runs: tuple[Run, ...]

    @property
    def valid(self) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if not run.invalid)

    @property
    def seconds(self) -> float:
        return sum(run.seconds for run in self.runs)

    @property
    def plain(self) -> tuple[Run, ...]:
        return tuple(run for run in self.valid if run.condition == Condition())

    def wavering(self) -> tuple[Wavering, ...]:
        """Those that failed oftenest first."""
        passed, failed = self._tallies()
        found = [
            Wavering(
                test=test,
                passed=passed[test],
                failed=count,
                signature=self.signature(test),
            )
            for test, count in failed.items()
            if passed[test]
        ]
        return tuple(sorted(found, key=lambda one: (-one.failed, one.test)))

    def always_failing(self) -> tuple[str, ...]:
        passed, failed = self._tallies()
        return tuple(sorted(test for test, n in failed.items() if n >= 2 and not passed[test]))

    def once(self) -> tuple[str, ...]:
        """Seen to fail once and never to pass: nothing can be said of these."""
        passed, failed = self._tallies()
        return tuple(sorted(test for test, n in failed.items() if n == 1 and not passed[test]))

    def signature(self, test: str) -> str:
        said = Counter(run.failures[test] for run in self.valid if test in run.failures)
        return said.most_common(1)[0][0] if said else ""

    def tests(self) -> frozenset[str]:
        return frozenset().union(*(run.passed | run.failures.keys() for run in self.valid))

    def failing(self, test: str) -> tuple[Run, ...]:
        return tuple(run for run in self.valid if run.of(test) is Seen.FAILED)

    def wavers_plainly(self, test: str) -> bool:
        """It passed and it failed, and nothing at all was varied."""
        return {run.of(test) for run in self.plain} >= {Seen.PASSED, Seen.FAILED}

    def only_repeated(self, test: str) -> bool:
        """It failed in no run that runs it once."""
        return all(run.condition.repeat > 1 for run in self.failing(test))

    def harmless(self, test: str) -> frozenset[str]:
        """What ran before it in one process, and it passed."""
        found: set[str] = set()
        for run in self.valid:
            is_one = not run.condition.workers and run.condition.repeat == 1
            if is_one and run.of(test) is Seen.PASSED and test in run.order:
                found.update(run.order[: run.order.index(test)])
        return frozenset(found)

    def text(self, test: str) -> str:
        """The end of one of its failures, as the runner printed it."""
        failing = self.failing(test)
        return failing[0].texts.get(test, "")[-TEXT:] if failing else ""

    def fault(self) -> str:
        """Why this is no baseline; '' when it is one."""
        if not self.runs:
            return "there was no time for a single run"
        for run in self.runs:
            if run.invalid:
                return f"the plain run cannot be judged: {run.invalid}"
        if not any(run.passed for run in self.runs):
            return "no test passes in the plain run: there is no baseline to compare with"
        return ""

    def by_arm(self) -> dict[str, tuple[int, int]]:
        """Valid and invalid runs of every arm."""
        valid = Counter(arm_of(run.condition) for run in self.valid)
        invalid = Counter(arm_of(run.condition) for run in self.runs if run.invalid)
        return {name: (valid[name], invalid[name]) for name in sorted({*valid, *invalid} - {""})}

    def _tallies(self) -> tuple[Counter[str], Counter[str]]:
        passed: Counter[str] = Counter()
        failed: Counter[str] = Counter()
        for run in self.valid:
            passed.update(run.passed)
            failed.update(run.failures.keys())
        return passed, failed


def count_of(
    runs: Sequence[Run], tests: Sequence[str], condition: Condition, *, signature: str = ""
) -> Count:
    """Runs in which any of ``tests`` failed so. A failure of another kind is no failure of this
    one and no pass either: that run is counted apart."""
    failed = valid = invalid = 0
    for run in runs:
        seen = [run.of(test) for test in tests]
        said = {run.failures[test] for test in tests if test in run.failures}
        if Seen.FAILED in seen and (not signature or signature in said):
            failed, valid = failed + 1, valid + 1
        elif Seen.FAILED not in seen and Seen.PASSED in seen:
            valid += 1
        else:
            invalid += 1
    evidence = tuple(run.report_sha256 for run in runs if run.report_sha256)
    return Count(
        condition=condition, runs=valid, failed=failed, invalid=invalid, evidence=evidence[:40]
    )


def without_mass_failures(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The same runs; those that tell of the machine are invalid."""
    valid = [run for run in runs if not run.invalid]
    usual = valid[0].passed if valid else frozenset()
    if len(usual) < MASS_FROM:
        return tuple(runs)
    return tuple(
        run
        if run.invalid or len(usual & run.failures.keys()) < MASS * len(usual)
        else replace(run, invalid=f"{len(run.failures)} of {len(usual)} tests failed at once")
        for run in runs
    )
