"""
A test that fails after others and passes alone: proven first, then all else there is to know.

The time may end at any run. What was proven by then is told, with what is still unknown; a
polluter that was found is never given up for one that was not.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.app.flaky import order
from bot.app.flaky.diagnosis import Diagnosis
from bot.app.flaky.trials import SURE, OutOfTime, Trials, alone, in_order
from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Category
from bot.core.flaky.proof import LEAST
from bot.core.flaky.reduce import Part
from bot.core.flaky.runs import Count, Leaked
from bot.core.flaky.screen import Screen, count_of
from bot.core.flaky.statistics import FAILURES, MOST_RUNS

NAMED = 4  # tests in one sentence


def explain(
    trials: Trials, screen: Screen, test: str, earlier: Part, others: Sequence[str]
) -> Diagnosis | None:
    """``earlier``: tests after which it fails every time. ``others``: tests that waver, too. None
    where it turned out not to fail so every time, or not to pass alone."""
    part, is_least = order.first(trials, screen, test, earlier)
    condition, signature = in_order((*part, test)), screen.signature(test)
    before = _counted(trials, condition, test, failures=FAILURES, signature=signature)
    after = _counted(trials, alone(test), test, failures=1, most=SURE)
    if after.failed or not after.runs or before.failed < before.runs:
        return None
    if is_least:
        polluted = order.search(trials, screen, test, part)
    else:
        polluted = order.Polluted(parts=(part,), complete=False)
    victims, leaked = _around(trials, polluted, test, others) if is_least else ((), ())
    return Diagnosis(
        category=Category.VICTIM,
        condition=condition,
        before=before,
        counter=alone(test),
        after=after,
        certain=True,
        polluters=polluted.polluters if is_least else (),
        victims=victims,
        leaked=leaked,
        failing=tuple(in_order((*one, test)) for one in polluted.parts),
        why=(
            f"alone it passed {after.runs} of {after.runs} times",
            f"after {_named(part)} it failed {before.failed} of {before.runs}",
            _others(polluted, is_least=is_least),
        ),
    )


def _counted(
    trials: Trials,
    condition: Condition,
    test: str,
    *,
    failures: int,
    most: int = MOST_RUNS,
    signature: str = "",
) -> Count:
    """Fresh runs; where there is no time for them, those that led here."""
    count, _ = trials.sample(condition, test, signature=signature, failures=failures, most=most)
    if count.runs >= LEAST:
        return count
    return count_of(trials.known(condition), (test,), condition, signature=signature)


def _around(
    trials: Trials, polluted: order.Polluted, test: str, others: Sequence[str]
) -> tuple[tuple[str, ...], tuple[Leaked, ...]]:
    victims: tuple[str, ...] = ()
    try:
        victims = order.companions(trials, polluted, others)
        return victims, order.left_behind(trials, polluted.parts[0], test)
    except OutOfTime:
        return victims, ()


def _named(part: Part) -> str:
    return " and ".join(part) if len(part) <= NAMED else f"{len(part)} other tests"


def _others(polluted: order.Polluted, *, is_least: bool) -> str:
    if not is_least:
        return f"the time ended before it was known which of these {len(polluted.parts[0])} it is"
    search = "nothing else was found to fail it" if polluted.complete else "there may be more"
    return f"{len(polluted.parts)} such polluters were found; {search}"
