"""
Looks for tests that waver: a green baseline first, then the run that shows most, again and again.

Decides nothing about any test: what the runs showed is the screen's to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bot.app.flaky.trials import OutOfTime, Trials
from bot.core.flaky.arms import Arm, arm_of, arms, next_arm
from bot.core.flaky.condition import Condition
from bot.core.flaky.factors import words
from bot.core.flaky.means import Means
from bot.core.flaky.runs import Run
from bot.core.flaky.screen import BASELINE, Screen, without_mass_failures

SHARE = 0.5  # of the time, at most: the rest is for proof
FOUND_SHARE = 0.2  # where a test has failed twice already: proof comes first
ENOUGH = 3  # failures of a test, then it is worth to be asked why
PATIENCE, LEAST_PATIENCE_S = 10, 60.0  # a run that lasts so much longer than usual hangs


def baseline(trials: Trials) -> Screen:
    """The plain run, as often as a baseline needs; whether it is green is the reader's question."""
    trials.say(f"baseline: {trials.gate.run}")
    first = trials.make([Condition()])
    rest = trials.make([Condition()] * (BASELINE - 1)) if not first[0].invalid else ()
    return Screen(runs=(*first, *rest))


def patience(screen: Screen) -> float:
    """How long a run may last."""
    return max(LEAST_PATIENCE_S, PATIENCE * max(run.seconds for run in screen.runs))


def look(trials: Trials, begun: Screen, means: Means, *, seconds: float, found_s: float) -> Screen:
    """Until nothing worth the time is left to try, or ``seconds`` are over; ``found_s`` once there
    is something to prove. Goes on where the runs of ``begun`` ended."""
    known = arms(means)
    made = Counter(arm_of(run.condition) for run in begun.runs)
    runs = list(begun.runs)
    began = trials.now()
    run_s = max(run.seconds for run in begun.runs)
    try:
        while batch := _batch(
            known,
            made,
            seconds_left=_end(runs, seconds, found_s) + began - trials.now(),
            run_s=run_s,
        ):
            fresh = trials.make([condition for _, condition in batch])
            for (arm, condition), run in zip(batch, fresh, strict=True):
                trials.say(_line(len(runs) + 1, arm, condition, run))
                runs.append(run)
    except OutOfTime:
        trials.say("the time to look is over")
    return Screen(runs=without_mass_failures(runs))


def _end(runs: Sequence[Run], seconds: float, found_s: float) -> float:
    once = [run for run in runs if run.condition.repeat == 1]
    failed = Counter(test for run in once for test in run.failures)
    passed = frozenset().union(*(run.passed for run in runs))
    wavers = any(count >= ENOUGH and test in passed for test, count in failed.items())
    return min(found_s, seconds) if wavers else seconds


def _batch(
    known: Sequence[Arm], made: Counter[str], *, seconds_left: float, run_s: float
) -> list[tuple[Arm, Condition]]:
    """Two that can run side by side, or one that cannot. Counts them as made."""
    batch: list[tuple[Arm, Condition]] = []
    while len(batch) < 2:
        arm = next_arm(tuple(known), made, seconds_left=seconds_left, run_s=run_s)
        if arm is None or (batch and _is_apart(arm)):
            break
        batch.append((arm, arm.make(made[arm.name])))
        made[arm.name] += 1
        if _is_apart(arm):
            break
    return batch


def _is_apart(arm: Arm) -> bool:
    return arm.name in ("load", "workers")


def _line(number: int, arm: Arm, condition: Condition, run: Run) -> str:
    said = run.invalid or (f"{len(run.failures)} failed" if run.failures else "all passed")
    return f"run {number} ({words(condition) if arm.name != 'plain' else 'plain'}): {said}"
