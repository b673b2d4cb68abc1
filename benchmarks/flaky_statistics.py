"""
What jam's rules for flaky tests cost and how often they err, by simulation.

    python benchmarks/flaky_statistics.py [TRIALS]

A test fails with rate p. Before a mend it is run until seven failures or 150 runs; a mend is then
accepted after as many clean runs as the rule asks for, and dies at its first failure. Beside it
stands what others do: a fixed number of retries after the mend, whatever the rate was.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from bot.core.flaky.statistics import FAILURES, MOST_RUNS, clean_runs

RATES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
ATTEMPTS = 3
ALPHA = 0.05
LEAST_FAILURES = 3  # fewer say too little of the rate: no mend is judged by them
PRACTICE = (20, 60)  # retries that others ask for


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One mend that changes nothing, and one that heals."""

    before: int
    judged: bool  # the test failed often enough to judge a mend at all
    needed: int
    bad_accepted: bool
    bad_runs: int

    @property
    def good_runs(self) -> int:
        """All that a good mend costs, the sample before it included."""
        return self.before + self.needed


def first_failure(rate: float, chance: random.Random) -> int:
    """In which run."""
    return 1 + int(math.log(1 - chance.random()) / math.log1p(-rate))


def simulate(rate: float, trials: int, *, seed: int = 1, attempts: int = ATTEMPTS) -> list[Case]:
    chance = random.Random(seed)
    return list(_cases(rate, trials, chance, attempts))


def _cases(rate: float, trials: int, chance: random.Random, attempts: int) -> Iterator[Case]:
    for _ in range(trials):
        failed, runs = _sample(rate, chance)
        if failed < LEAST_FAILURES:
            yield Case(before=runs, judged=False, needed=0, bad_accepted=False, bad_runs=0)
            continue
        needed = clean_runs(failed, runs, attempts=attempts)
        died = first_failure(rate, chance)
        yield Case(
            before=runs,
            judged=True,
            needed=needed,
            bad_accepted=died > needed,
            bad_runs=min(died, needed),
        )


def _sample(rate: float, chance: random.Random) -> tuple[int, int]:
    runs = failed = 0
    while failed < FAILURES:
        runs += first_failure(rate, chance)
        if runs > MOST_RUNS:
            return failed, MOST_RUNS
        failed += 1
    return failed, runs


def fixed_for(rate: float, *, error: float) -> int:
    """Retries after which a mend that changes nothing is accepted with chance ``error``."""
    return math.ceil(math.log(error) / math.log1p(-rate))


def main(trials: int) -> None:
    error = ALPHA / ATTEMPTS
    # Nobody knows the rate beforehand: a fixed number has to hold for the rarest test.
    fixed = fixed_for(RATES[0], error=error)
    print(f"{trials} mends for each rate; {ATTEMPTS} may be tried, error {error:.2%} each")
    print(f"a fixed number that errs no oftener down to {RATES[0]:.1%}: {fixed} retries\n")
    naive = " ".join(f"{f'{n} retries err':>15}" for n in PRACTICE)
    print(
        f"{'rate':>6} {'judged':>7} {'jam errs':>9} {naive} "
        f"{'before':>7} {'after':>6} {'in all':>7} {'of fixed':>9} "
        f"{'bad dies after':>15} {'1/p':>6}"
    )
    shares = []
    for rate in RATES:
        cases = simulate(rate, trials)
        judged = [case for case in cases if case.judged]
        errs = sum(case.bad_accepted for case in cases) / trials
        good = statistics.median(case.good_runs for case in judged)
        shares.append(good / fixed)
        naive = " ".join(f"{(1 - rate) ** n:>15.1%}" for n in PRACTICE)
        print(
            f"{rate:>6.1%} {len(judged) / trials:>7.0%} {errs:>9.2%} {naive} "
            f"{statistics.median(c.before for c in judged):>7.0f} "
            f"{statistics.median(c.needed for c in judged):>6.0f} "
            f"{good:>7.0f} {good / fixed:>9.0%} "
            f"{statistics.fmean(c.bad_runs for c in judged):>15.1f} {1 / rate:>6.0f}"
        )
    print(f"\nruns in all, of a fixed number with the same error: {statistics.median(shares):.0%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
