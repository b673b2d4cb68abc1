"""
What one search for flaky tests came to: findings, what could not be judged, what remains possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import NonNegativeInt

from bot.core.flaky.finding import Finding, Standing
from bot.core.flaky.runs import Run
from bot.core.parts import Fact
from bot.core.spoken import ShaGit

FOUND, NOTHING, NOT_JUDGED = 1, 0, 3


class ArmDone(Fact):
    """``bound``: a test that never failed there may still fail in fewer of such runs than this."""

    name: str
    runs: NonNegativeInt
    invalid: NonNegativeInt = 0
    bound: float = 1.0


class Unjudged(Fact):
    test: str  # '': the whole run
    why: str
    clean: NonNegativeInt = 0  # runs of it that were made all the same, none of which failed


class SearchReport(Fact):
    commit: ShaGit
    gate: str
    command: str
    tests: NonNegativeInt
    findings: tuple[Finding, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()  # test, signature: fails always
    unjudged: tuple[Unjudged, ...] = ()
    arms: tuple[ArmDone, ...] = ()
    missing: tuple[str, ...] = ()  # what could not be varied, and why
    runs: NonNegativeInt = 0
    seconds: float = 0.0
    load_average: float = 0.0  # the highest
    cores: NonNegativeInt = 1
    finished: bool = True  # every wavering test was looked at
    network: bool = False
    judged: bool = True  # there was a baseline to compare with

    @property
    def flaky(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.standing is Standing.FLAKY)

    @property
    def complete(self) -> bool:
        """There was a baseline, and no test that wavered was left without an answer."""
        return self.judged and self.finished

    @property
    def exit_code(self) -> int:
        """A search that ended before it could answer has not found that all is well."""
        if self.flaky:
            return FOUND
        return NOTHING if self.complete else NOT_JUDGED


def silent(runs: Sequence[Run]) -> tuple[Unjudged, ...]:
    """Why runs told nothing: each reason once, with how often."""
    reasons = Counter(run.invalid for run in runs if run.invalid)
    return tuple(
        Unjudged(test="", why=f"{count} of {len(runs)} runs tell nothing: {why}")
        for why, count in reasons.items()
    )
