"""Ledgers of mends, made by hand: a whole one, and what differs."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.core import ledger
from bot.core.entries import AnyFact, Opened, Prepared, Turned
from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Category, Finding, Standing
from bot.core.flaky.mend_facts import Arm, Guarded, Mutated, Planned, Sampled, SuiteRan
from bot.core.flaky.runs import Count
from bot.core.ledger import Sealed
from bot.core.parts import Held

BASE, TREE, OTHER = "a" * 40, "b" * 40, "c" * 40
DIGEST = "d" * 64
TEST = "tests/test_a.py::test_a"
AT = datetime(2026, 3, 1, tzinfo=UTC)


def opened() -> Opened:
    return Opened(
        session="20260301-000000-abcd", at=AT, jam="1", repository="/r", base=BASE, base_tree=BASE,
        base_name="HEAD", contract_sha256=DIGEST, contract_from="x", objective_sha256=DIGEST,
        title=f"Mend {TEST}", oracle="unit", commands=(("tests", "pytest"),), agents=("repair",),
        branch="jam/mend", sandbox="bwrap", network="none",
    )  # fmt: skip


def finding(**over: object) -> Finding:
    condition = Condition(tests=("tests/test_b.py::test_b", TEST))
    given: dict[str, object] = {
        "commit": BASE, "gate": "tests", "test": TEST, "tests": (TEST,),
        "standing": Standing.FLAKY, "category": Category.VICTIM, "condition": condition,
        "before": Count(condition=condition, runs=60, failed=7),
        "plain": Count(condition=Condition(), runs=5, failed=0),
        "polluters": ("tests/test_b.py::test_b",), "signature": "AssertionError | assert 1 == 2",
        "command": "pytest tests/test_b.py tests/test_a.py",
    }  # fmt: skip
    return Finding(**{**given, **over})  # type: ignore[arg-type]


def turned(number: int = 1, *, tree: str = TREE, wish: str = "finish") -> Turned:
    held = Held(number=number, commit=tree, tree=tree, changed=1)
    return Turned(
        number=number, agent="repair", wish=wish, seconds=1.0, memory_sha256=DIGEST,  # type: ignore[arg-type]
        checkpoint=held if wish == "finish" else None,
    )  # fmt: skip


def sampled(arm: Arm, needed: int, *, failed: int = 0, **over: object) -> Sampled:
    runs = needed if not failed else needed // 2
    marks = "●" * (runs - failed) + "○" * failed
    given: dict[str, object] = {
        "attempt": 1, "arm": arm, "tree": TREE, "needed": needed, "runs": runs, "failed": failed,
        "marks": marks,
    }  # fmt: skip
    return Sampled(**{**given, **over})  # type: ignore[arg-type]


def suite(attempt: int, **over: object) -> SuiteRan:
    given: dict[str, object] = {
        "attempt": attempt, "tree": TREE if attempt else BASE, "fixed": 3, "shuffled": 5,
        "tests": 9, "counts_sha256": DIGEST,
    }  # fmt: skip
    return SuiteRan(**{**given, **over})  # type: ignore[arg-type]


PLANNED = Planned(
    attempts=3, low=0.05, high=0.23, same=60, free=59, bound=0.05, wanted=0.05, seconds=0.4,
    affordable=True,
)  # fmt: skip


def before() -> tuple[AnyFact, ...]:
    """Up to the first turn."""
    prepared = Prepared(environment_sha256=DIGEST)
    red = sampled(Arm.RED, 1, attempt=0, tree=BASE, runs=2, failed=1, marks="●○")
    return (opened(), finding(), prepared, red, PLANNED, suite(0))


def patch() -> dict[str, AnyFact]:
    """One that met every rule, by the name of each part."""
    return {
        "turn": turned(),
        "guard": Guarded(attempt=1, tree=TREE),
        "replay": sampled(Arm.REPLAY, 2),
        "same": sampled(Arm.SAME, 60),
        "free": sampled(Arm.FREE, 59),
        "suite": suite(1),
        "mutants": Mutated(attempt=1, tree=TREE, tried=5, before=4, after=4),
    }


def entries(*facts: AnyFact) -> tuple[Sealed, ...]:
    made: tuple[Sealed, ...] = ()
    for fact in facts:
        made = ledger.append(made, fact)
    return made
