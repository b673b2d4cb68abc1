"""
Which run comes next while jam looks for flaky tests: the one that is likely to show most for its
time.

An arm is one way to vary a run. What a run of it is worth was set by how often each cause is met
in practice and by how soon more of the same show nothing new: half of the tests that depend on
order fail in any one shuffle, while a test that fails by chance needs many plain runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.means import Means

FLOOR = 0.05  # runs that are worth less than this are not made
ZONES = ("Pacific/Auckland", "America/St_Johns", "Asia/Kathmandu", "Pacific/Honolulu")
INSTANTS = (
    datetime(2028, 2, 29, 12, 0, tzinfo=UTC),
    datetime(2027, 12, 31, 23, 59, 50, tzinfo=UTC),
    datetime(2027, 1, 31, 0, 30, tzinfo=UTC),
    datetime(2027, 3, 28, 0, 59, 50, tzinfo=UTC),  # an hour is missing in Europe
    datetime(2026, 11, 1, 5, 30, tzinfo=UTC),  # an hour comes twice in America
    datetime(2039, 6, 15, 12, 0, tzinfo=UTC),  # beyond 32 bits of seconds
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """``worth`` of its first run, ``keep`` of that for each more; ``cost`` in plain runs."""

    name: str
    make: Callable[[int], Condition]
    worth: float
    keep: float
    cost: float = 1.0
    most: int = 1

    def value(self, made: int) -> float:
        return self.worth * self.keep**made / self.cost if made < self.most else 0.0


def arms(means: Means) -> tuple[Arm, ...]:
    """All that can be varied here, and the plain run itself."""
    found = [
        Arm(name="plain", make=lambda _: Condition(), worth=1.0, keep=0.9, most=30),
        Arm(
            name="hash seed", make=lambda n: Condition(hash_seed=n + 101),
            worth=1.6, keep=0.6, most=6,
        ),
        Arm(name="time zone", make=lambda n: Condition(zone=ZONES[n]), worth=1, keep=0.6, most=4),
        Arm(
            name="load", make=lambda _: Condition(load=3 * means.cores),
            worth=2, keep=0.6, cost=4, most=4,
        ),
        Arm(
            name="used folder", make=lambda _: Condition(reused_folder=True),
            worth=1.5, keep=0.2, cost=2, most=2,
        ),
        Arm(
            name="locale", make=lambda n: Condition(locale=means.locales[n]),
            worth=0.6, keep=0.5, most=len(means.locales),
        ),
    ]  # fmt: skip
    if means.order:
        found += _of_order()
    if means.clock:
        found.append(
            Arm(
                name="clock", make=lambda n: Condition(clock=INSTANTS[n]),
                worth=1, keep=0.75, most=len(INSTANTS),
            )
        )  # fmt: skip
    if means.workers:
        found.append(
            Arm(
                name="workers", make=lambda _: Condition(workers=2),
                worth=1.5, keep=0.3, cost=2, most=2,
            )
        )  # fmt: skip
    return tuple(found)


def _of_order() -> list[Arm]:
    def shuffled(n: int) -> Condition:
        """With another hash seed each, too: which of the two it was is found out later."""
        return Condition(order=Order.SHUFFLED, order_seed=n, hash_seed=n + 1)

    return [
        Arm(name="shuffled", make=shuffled, worth=6, keep=0.65, most=40),
        Arm(
            name="reversed", make=lambda _: Condition(order=Order.REVERSED),
            worth=6, keep=0.05, most=1,
        ),
        Arm(name="repeated", make=lambda _: Condition(repeat=2), worth=3, keep=0.1, cost=2, most=2),
    ]  # fmt: skip


def next_arm(
    known: tuple[Arm, ...], made: Mapping[str, int], *, seconds_left: float, run_s: float
) -> Arm | None:
    """None when the time is over, or when no run is worth its own any more."""
    able = [arm for arm in known if arm.cost * run_s <= seconds_left]
    best = max(able, key=lambda arm: arm.value(made.get(arm.name, 0)), default=None)
    if best is None or best.value(made.get(best.name, 0)) < FLOOR:
        return None
    return best


def arm_of(condition: Condition) -> str:
    """The name of the arm that such a condition belongs to; '' for one that was made to order."""
    if condition.tests:
        return ""
    names = {
        "shuffled": condition.order is Order.SHUFFLED,
        "reversed": condition.order is Order.REVERSED,
        "repeated": condition.repeat > 1,
        "load": bool(condition.load),
        "workers": bool(condition.workers),
        "used folder": condition.reused_folder,
        "clock": condition.clock is not None,
        "time zone": bool(condition.zone),
        "locale": bool(condition.locale),
        "network": condition.network,
        "hash seed": condition.hash_seed != 0,
    }
    return next((name for name, is_so in names.items() if is_so), "plain")
