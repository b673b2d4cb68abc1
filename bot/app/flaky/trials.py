"""
Runs for a question: how often, always, never. Every answer is counted under one condition.

Knows when the time is over, and says so to whoever asks for more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.core.contract import Gate
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.runs import Count, Run, Seen
from bot.core.flaky.screen import count_of
from bot.core.flaky.statistics import FAILURES, MOST_RUNS, Answered, Sprt, is_enough
from bot.ports import Ran, Say
from bot.ports.flaky import VariedRuns

SURE = 3  # times in a row: fails always, or never, as far as that goes
ASK_S = 120.0


class OutOfTime(Exception):
    """The budget is spent; what is known by now stands."""


@dataclass(slots=True, kw_only=True)
class Trials:
    """``now`` and ``deadline`` on one clock, in seconds."""

    lab: VariedRuns
    gate: Gate
    tree: str
    now: Callable[[], float]
    deadline: float
    say: Say
    count: int = 0
    _made: dict[Condition, list[Run]] = field(default_factory=dict)

    def left(self) -> float:
        return self.deadline - self.now()

    def make(self, conditions: Sequence[Condition], *, look: bool = False) -> tuple[Run, ...]:
        if self.left() <= 0:
            raise OutOfTime
        runs = self.lab.run(self.gate, conditions, tree=self.tree, look=look)
        if any(run.invalid == "stopped" for run in runs):
            raise OutOfTime
        self.count += len(runs)
        for run in runs:
            self._made.setdefault(run.condition, []).append(run)
        return runs

    def known(self, condition: Condition) -> tuple[Run, ...]:
        """What ran under exactly this condition, for whatever question it was asked."""
        return tuple(self._made.get(condition, ()))

    def always(self, condition: Condition, test: str, *, times: int = SURE) -> Seen | None:
        """What ``test`` does every time under ``condition``; None where it wavers."""
        first = self.make([condition])[0].of(test)
        rest = {run.of(test) for run in self.make([condition] * (times - 1))}
        return first if rest == {first} else None

    def fail(
        self, conditions: Sequence[Condition], test: str, signature: str, *, sprt: Sprt
    ) -> list[bool]:
        """Of each condition, by as many runs as ``sprt`` needs. What twice cannot be run does not
        fail so."""
        made: list[list[Run]] = [[] for _ in conditions]
        while waiting := [
            at for at, runs in enumerate(made) if _answer(runs, test, signature, sprt) is OPEN
        ]:
            runs = self.make([conditions[at] for at in waiting])
            for at, run in zip(waiting, runs, strict=True):
                made[at].append(run)
        return [_answer(runs, test, signature, sprt) is Answered.FAILS for runs in made]

    def sample(
        self,
        condition: Condition,
        test: str,
        *,
        signature: str = "",
        failures: int = FAILURES,
        most: int = MOST_RUNS,
        begun: Sequence[Run] = (),
    ) -> tuple[Count, tuple[Run, ...]]:
        """Inverse sampling: until enough have failed so, the cap, or the end of the time."""
        runs = list(begun)
        while True:
            count = count_of(runs, (test,), condition, signature=signature)
            made = count.runs + count.invalid
            if is_enough(count.failed, made, failures=failures, most=most):
                return count, tuple(runs)
            try:
                # In steps, so that two run at a time; the order is the runs' own.
                runs += self.make([condition] * min(4, most - made, max(1, failures)))
            except OutOfTime:
                return count, tuple(runs)

    def ask(self, command: str) -> Ran:
        if self.left() <= 0:
            raise OutOfTime
        return self.lab.ask(command, tree=self.tree, timeout_s=ASK_S)


OPEN = Answered.OPEN


def _answer(runs: Sequence[Run], test: str, signature: str, sprt: Sprt) -> Answered:
    failed = sum(run.failures.get(test) == signature for run in runs)
    passed = sum(run.of(test) is Seen.PASSED for run in runs)
    if len(runs) - failed - passed > 1:
        return Answered.PASSES
    return sprt.answer(failed=failed, passed=passed)


def alone(test: str) -> Condition:
    return Condition(tests=(test,))


def in_order(tests: Sequence[str], *, like: Condition | None = None) -> Condition:
    """Exactly these, one after the other; everything else as in ``like``."""
    told = {"tests": tuple(tests), "order": Order.GIVEN, "order_seed": 0}
    return (like or Condition()).model_copy(update=told)
