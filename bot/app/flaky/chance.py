"""
Tests that fail by chance: how often, and which factor makes it more, less or certain.

A random generator is held responsible when a seed that failed fails every time and one that passed
passes every time, so often that chance would not do it; load, when the rate beside busy processes
is another one. Everything that was tried is told, also what made no difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.app.flaky.trials import OutOfTime, Trials
from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Category
from bot.core.flaky.runs import Count, Run, Seen
from bot.core.flaky.screen import count_of
from bot.core.flaky.statistics import adjusted, same_rate

CHANCE = 0.01  # that a seed only seemed to decide
MOST_SEEDS, LEAST_REPLAYS, MOST_REPLAYS = 40, 3, 10
LOADED = 14
FALSE_DISCOVERIES = 0.05
Failing = tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """``pinned``: a condition under which it fails for certain, and ``counter`` one under which it
    never does."""

    category: Category
    why: tuple[str, ...]
    others: tuple[Count, ...] = ()
    pinned: Condition | None = None
    counter: Condition | None = None
    failing: Failing = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeds:
    """What starting the random generators from seeds showed."""

    failing: Count | None = None  # one seed, again and again
    passing: Count | None = None
    all_failing: Failing = ()
    decides: bool = False
    tried: int = 0


def explain(trials: Trials, test: str, condition: Condition, count: Count) -> Explained:
    """``count``: of ``test`` under ``condition``, where it fails now and then."""
    if condition.load:  # most likely that is the whole story, and seeds are many runs
        told = _by_load(count, _loaded(trials, test, condition), Seeds())
        if told.category is Category.CONCURRENCY:
            return told
    seeds = _seeds(trials, test, condition, count)
    if seeds.decides and seeds.failing and seeds.passing:
        return Explained(
            category=Category.RANDOM,
            why=(
                f"with random generators started from {seeds.failing.condition.random_seed} it "
                f"failed {seeds.failing.failed} of {seeds.failing.runs} times, from "
                f"{seeds.passing.condition.random_seed} it passed {seeds.passing.runs} of "
                f"{seeds.passing.runs}",
            ),
            others=(seeds.failing, seeds.passing),
            pinned=seeds.failing.condition,
            counter=seeds.passing.condition,
            failing=seeds.all_failing,
        )
    loaded = _loaded(trials, test, condition)
    return _by_load(count, loaded, seeds)


def _by_load(count: Count, loaded: Count | None, seeds: Seeds) -> Explained:
    tried = tuple(one for one in (seeds.failing, seeds.passing, loaded) if one is not None)
    seed_words = (
        (f"starting random generators from a seed does not decide ({seeds.tried} seeds)",)
        if seeds.tried
        else ()
    )
    if loaded is None or not loaded.runs or not count.runs:
        why = (*seed_words, "the time ran out before it was compared with runs under load")
        return Explained(category=Category.UNKNOWN, why=why, others=tried)
    p = same_rate(loaded.failed, loaded.runs, count.failed, count.runs)
    busy, free = (loaded, count) if loaded.condition.load else (count, loaded)
    told = (
        f"beside {busy.condition.load} busy processes it failed {busy.failed} of {busy.runs} "
        f"times, without them {free.failed} of {free.runs} (p = {p:.2g})"
    )
    # One question was asked of seeds and one of load: both count.
    is_other = adjusted([p, 1.0 if seeds.tried else p])[0] <= FALSE_DISCOVERIES
    return Explained(
        category=Category.CONCURRENCY if is_other else Category.UNKNOWN,
        why=(told, *seed_words),
        others=tried,
    )


def _loaded(trials: Trials, test: str, condition: Condition) -> Count | None:
    """The same beside busy processes, or without them where it was found beside some."""
    cores = max(trials.lab.means(trials.gate).cores, 1)
    other = condition.model_copy(update={"load": 0 if condition.load else 3 * cores})
    try:
        return trials.sample(other, test, failures=LOADED, most=LOADED)[0]
    except OutOfTime:
        return None


def _seeds(trials: Trials, test: str, condition: Condition, count: Count) -> Seeds:
    if not trials.lab.means(trials.gate).order or not count.failed:
        return Seeds()
    rate = count.failed / count.runs
    made: list[Run] = []
    try:
        most = min(MOST_SEEDS, math.ceil(math.log(0.02) / math.log1p(-min(rate, 0.9))))
        while len(made) < most and not _has_both(made, test):
            seeds = range(len(made), min(len(made) + 4, most))
            made += trials.make([_seeded(condition, seed) for seed in seeds])
        failing = [run.condition for run in made if run.of(test) is Seen.FAILED]
        passing = [run.condition for run in made if run.of(test) is Seen.PASSED]
        if not failing or not passing:
            return Seeds(tried=len(made), all_failing=tuple(failing))
        return _replayed(trials, test, failing, passing, rate=rate)
    except OutOfTime:
        return Seeds(tried=len(made))


def _replayed(
    trials: Trials,
    test: str,
    failing: Sequence[Condition],
    passing: Sequence[Condition],
    *,
    rate: float,
) -> Seeds:
    """Often enough that chance would not do the same."""
    often = _often(rate)
    runs = trials.make([failing[0]] * often)
    count = count_of(runs, (test,), failing[0])
    decides = count.failed == count.runs == often
    other_often = _often(1 - rate) if rate > 0.5 else LEAST_REPLAYS
    passed = None
    if decides:
        passed = count_of(trials.make([passing[0]] * other_often), (test,), passing[0])
        decides = passed.failed == 0 and passed.runs == other_often
    return Seeds(
        failing=count,
        passing=passed,
        all_failing=tuple(failing) if decides else (),
        decides=decides,
        tried=len(failing) + len(passing),
    )


def _often(rate: float) -> int:
    rate = min(max(rate, 0.001), 0.999)
    return max(LEAST_REPLAYS, min(MOST_REPLAYS, math.ceil(math.log(CHANCE) / math.log(rate))))


def _seeded(condition: Condition, seed: int) -> Condition:
    return condition.model_copy(update={"random_seed": seed})


def _has_both(runs: Sequence[Run], test: str) -> bool:
    seen = {run.of(test) for run in runs}
    return {Seen.FAILED, Seen.PASSED} <= seen
