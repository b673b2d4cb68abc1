"""
In what two conditions differ, and a condition in words.
"""

from __future__ import annotations

from bot.core.flaky.condition import Condition, Order

PLAIN = Condition()
#: the fields that belong together, by the name of what is varied; likely causes first
FACTORS: dict[str, tuple[str, ...]] = {
    "order": ("order", "order_seed"),
    "repetition": ("repeat",),
    "hash seed": ("hash_seed",),
    "clock": ("clock",),
    "time zone": ("zone",),
    "locale": ("locale",),
    "used folder": ("reused_folder",),
    "network": ("network",),
    "random seed": ("random_seed",),
    "workers": ("workers",),
    "load": ("load",),
}


def factors(condition: Condition) -> tuple[str, ...]:
    """What is not as in the plain run."""
    return tuple(
        name
        for name, fields in FACTORS.items()
        if any(getattr(condition, field) != getattr(PLAIN, field) for field in fields)
    )


def only(condition: Condition, factor: str) -> Condition:
    """The plain run with nothing of ``condition`` but this factor, and the same tests."""
    kept = {field: getattr(condition, field) for field in (*FACTORS[factor], "tests")}
    return PLAIN.model_copy(update=kept)


def without(condition: Condition, factor: str) -> Condition:
    plain = {field: getattr(PLAIN, field) for field in FACTORS[factor]}
    return condition.model_copy(update=plain)


def words(condition: Condition) -> str:
    """As a person would say it."""
    said = [_tests(condition), *(_word(condition, factor) for factor in factors(condition))]
    told = ", ".join(part for part in said if part)
    return told or "as the command runs it"


def _tests(condition: Condition) -> str:
    if not condition.tests:
        return ""
    if len(condition.tests) == 1:
        return "alone"
    if condition.order is Order.GIVEN:
        return f"{len(condition.tests)} tests in a given order"
    return f"{len(condition.tests)} tests"


def _word(condition: Condition, factor: str) -> str:
    at = condition.clock.strftime("%Y-%m-%d %H:%M:%S UTC") if condition.clock else ""
    orders = {
        Order.SHUFFLED: f"shuffled by seed {condition.order_seed}",
        Order.REVERSED: "in reversed order",
    }
    return {
        "order": orders.get(condition.order, ""),
        "repetition": f"each test {condition.repeat} times in one process",
        "hash seed": f"PYTHONHASHSEED={_seed(condition)}",
        "clock": f"at {at}",
        "time zone": f"TZ={condition.zone}",
        "locale": f"LC_ALL={condition.locale}",
        "used folder": "in a folder that an earlier run has used",
        "network": "with network",
        "random seed": f"random generators started from {condition.random_seed}",
        "workers": f"{condition.workers} workers",
        "load": f"beside {condition.load} busy processes",
    }[factor]


def _seed(condition: Condition) -> str:
    return "random" if condition.hash_seed is None else str(condition.hash_seed)
