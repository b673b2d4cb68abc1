"""A suite that lives in memory: each test is a function of condition, order and chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.app.flaky.hunt import Hunt
from bot.app.flaky.trials import Trials
from bot.core.contract import Gate
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.means import Means
from bot.core.flaky.runs import Run
from bot.core.flaky.search_report import SearchReport
from bot.ports import Ended, Ran

COMMIT = "c" * 40
ALL = Means(order=True, clock=True, workers=True, network=True, locales=("C",), cores=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What a test sees when it runs. ``chance`` is free, or the condition's seed decides."""

    condition: Condition
    before: tuple[str, ...]
    chance: random.Random


Test = Callable[[Moment], bool]  # whether it passes


@dataclass(slots=True, kw_only=True)
class World:
    """The ``VariedRuns`` port without a process. A run takes a second."""

    tests: Mapping[str, Test]
    seed: int = 0
    known: Means = ALL
    broken_when: Callable[[Condition, Sequence[str]], str] = lambda _condition, _order: ""
    asked: list[Condition] = field(default_factory=list)
    seconds: float = 0.0

    def means(self, gate: Gate) -> Means:
        return self.known

    def expect(self, seconds: float) -> None:
        pass

    def ask(self, command: str, *, tree: str, timeout_s: float) -> Ran:
        return Ran(
            ended=Ended.EXITED, exit_code=1, output=f"FAILED {command}", output_sha256="0" * 64,
            output_bytes=0, seconds=1.0,
        )  # fmt: skip

    def run(
        self, gate: Gate, conditions: Sequence[Condition], *, tree: str, look: bool = False
    ) -> tuple[Run, ...]:
        return tuple(map(self._one, conditions))

    def _one(self, condition: Condition) -> Run:
        self.asked.append(condition)
        self.seconds += 1
        order = self._order(condition)
        if why := self.broken_when(condition, order):
            return Run(number=len(self.asked), condition=condition, failures={}, invalid=why)
        passed, failures = set(), {}
        for at, name in enumerate(order):
            for turn in range(condition.repeat):
                earlier = (*order[:at], *[name] * turn)
                if self._passes(name, condition, earlier):
                    passed.add(name)
                else:
                    failures[name] = f"AssertionError | {name}"
        return Run(
            number=len(self.asked),
            condition=condition,
            passed=frozenset(passed - failures.keys()),
            failures=failures,
            order=order,
            seconds=1.0,
        )

    def _passes(self, name: str, condition: Condition, earlier: tuple[str, ...]) -> bool:
        pinned = f"{name} {condition.random_seed}"
        free = f"{name} {self.seed} {len(self.asked)} {len(earlier)}"
        chance = random.Random(free if condition.random_seed is None else pinned)
        return self.tests[name](Moment(condition=condition, before=earlier, chance=chance))

    def _order(self, condition: Condition) -> tuple[str, ...]:
        names = [name for name in self.tests if name in (condition.tests or self.tests)]
        match condition.order:
            case Order.GIVEN:
                names = list(condition.tests)
            case Order.REVERSED:
                names.reverse()
            case Order.SHUFFLED:
                random.Random(condition.order_seed).shuffle(names)
            case Order.COLLECTED:
                pass
        return tuple(names)


def hunt(world: World, *, seconds: float = 1200) -> SearchReport:
    trials = Trials(
        lab=world,
        gate=Gate(run="python -m pytest -q"),
        tree="t" * 40,
        now=lambda: world.seconds,
        deadline=seconds,
        say=lambda _line: None,
    )
    return Hunt(trials=trials, commit=COMMIT, means=world.known).run(seconds=seconds)


def steady(_moment: Moment) -> bool:
    return True


def suite(count: int = 8, **tests: Test) -> dict[str, Test]:
    """``count`` tests that always pass, and ``tests`` among them."""
    found: dict[str, Test] = {f"tests/test_a.py::test_{n}": steady for n in range(count // 2)}
    found |= {f"tests/test_m.py::test_{name}": test for name, test in tests.items()}
    return found | {f"tests/test_z.py::test_{n}": steady for n in range(count // 2)}
