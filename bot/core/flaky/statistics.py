"""
What can be said from counts of runs: intervals, bounds, how many runs a claim needs.

Every number here belongs to one stated condition; nothing adds up runs of different ones. scipy
comes with the extra ``flaky`` and is imported only where it is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

FAILURES = 7  # of one signature, then a rate is known well enough
MOST_RUNS = 150
CONFIDENCE = 0.95
ALPHA = 0.05
RATE_TARGET = 0.05
LEAST_CLEAN = 60


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float

    def __str__(self) -> str:
        return f"{percent(self.low)} to {percent(self.high)}"


def percent(share: float) -> str:
    value = share * 100
    return f"{value:.0f}%" if value == int(value) or value >= 10 else f"{value:.1f}%"


def interval(failed: int, runs: int, *, confidence: float = CONFIDENCE) -> Interval:
    """Clopper and Pearson's, two-sided: it never promises more than it holds."""
    from scipy.stats import beta  # type: ignore[import-untyped]  # it brings no types

    tail = (1 - confidence) / 2
    low = 0.0 if failed == 0 else float(beta.ppf(tail, failed, runs - failed + 1))
    high = 1.0 if failed >= runs else float(beta.ppf(1 - tail, failed + 1, runs - failed))
    return Interval(low, high)


def upper_bound(failed: int, runs: int, *, confidence: float = CONFIDENCE) -> float:
    """One-sided: with ``confidence`` the rate is below it. Nothing is known of no runs."""
    from scipy.stats import beta

    if failed >= runs:
        return 1.0
    return float(beta.ppf(confidence, failed + 1, runs - failed))


def anytime_bound(failed: int, runs: int, *, alpha: float = ALPHA) -> float:
    """As ``upper_bound``, and true also for whoever stopped looking when it suited them."""
    from scipy.optimize import brentq  # type: ignore[import-untyped]  # it brings no types
    from scipy.special import betaln  # type: ignore[import-untyped]  # it brings no types

    if failed >= runs:
        return 1.0
    a, b = 0.1, 2.0
    mixture = float(betaln(a + failed, b + runs - failed) - betaln(a, b))

    def excess(rate: float) -> float:
        fit = (failed * math.log(rate) if failed else 0.0) + (runs - failed) * math.log1p(-rate)
        return mixture - fit + math.log(alpha)

    start = max(failed / runs, 1e-9)
    return float(brentq(excess, start, 1 - 1e-12)) if excess(start) < 0 else start


def runs_to_see(rate: float, *, confidence: float = CONFIDENCE) -> int:
    """So many runs show at least one failure with ``confidence``."""
    if rate >= 1:
        return 1
    return math.ceil(math.log(1 - confidence) / math.log1p(-rate))


def clean_runs_for_drop(failed: int, runs: int, *, attempts: int = 1, alpha: float = ALPHA) -> int:
    """
    Rule A: so many clean runs after say that the rate dropped, when ``failed`` of ``runs`` before
    were sampled until enough had failed. ``attempts``: mends that may be tried.
    """
    if failed < 1:
        raise ValueError("a rate that was never seen cannot be said to have dropped")
    factor: float = (alpha / attempts) ** (-1 / failed) - 1
    return max(1, math.ceil(runs * factor))


def clean_runs_for_bound(rate: float, *, confidence: float = CONFIDENCE) -> int:
    """Rule B: so many clean runs say that the rate is below ``rate``."""
    return math.ceil(math.log(1 - confidence) / math.log1p(-rate))


def clean_runs(failed: int, runs: int, *, attempts: int = 1) -> int:
    """What a mend has to show: that the rate dropped, and that it is small now."""
    target = min(RATE_TARGET, failed / runs / 2)
    wanted = min(clean_runs_for_bound(target), 200)  # a bound below 1.5% has its price
    return max(clean_runs_for_drop(failed, runs, attempts=attempts), LEAST_CLEAN, wanted)


def is_enough(failed: int, runs: int, *, failures: int = FAILURES, most: int = MOST_RUNS) -> bool:
    """Inverse sampling: until so many have failed, or the cap."""
    return failed >= failures or runs >= most


def same_rate(failed: int, runs: int, others_failed: int, others_runs: int) -> float:
    """Fisher's exact p that two counts have one rate, two-sided."""
    from scipy.stats import fisher_exact

    table = [[failed, runs - failed], [others_failed, others_runs - others_failed]]
    return float(fisher_exact(table).pvalue)


def no_drop(failed: int, runs: int, after_failed: int, after_runs: int) -> float:
    """Fisher's exact p that the rate after is not below the rate before."""
    from scipy.stats import fisher_exact

    table = [[failed, runs - failed], [after_failed, after_runs - after_failed]]
    return float(fisher_exact(table, alternative="greater").pvalue)


def adjusted(p_values: Sequence[float]) -> tuple[float, ...]:
    """Benjamini and Hochberg's, over the questions that were asked together."""
    from scipy.stats import false_discovery_control

    return tuple(map(float, false_discovery_control(p_values))) if p_values else ()


class Answered(StrEnum):
    FAILS = "fails"
    PASSES = "passes"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """Wald's test whether something fails at ``fails_at`` or hardly ever, as ``noise``."""

    fails_at: float = 0.30
    noise: float = 0.01
    alpha: float = 0.10  # chance to call fails what does not
    beta: float = 0.02  # chance to call passes what fails

    def answer(self, *, failed: int, passed: int) -> Answered:
        weight = failed * math.log(self.fails_at / self.noise)
        weight += passed * math.log((1 - self.fails_at) / (1 - self.noise))
        if weight >= math.log((1 - self.beta) / self.alpha):
            return Answered.FAILS
        if weight <= math.log(self.beta / (1 - self.alpha)):
            return Answered.PASSES
        return Answered.OPEN
