"""How runs are counted: what failed so, what passed, and what judged nothing."""

from __future__ import annotations

from bot.core.flaky.condition import Condition
from bot.core.flaky.runs import Run
from bot.core.flaky.screen import count_of

TEST = "t.py::test_a"


def run(number: int, *, failed: str = "", passed: bool = False, invalid: str = "") -> Run:
    return Run(
        number=number,
        condition=Condition(),
        passed=frozenset({TEST} if passed else ()),
        failures={TEST: failed} if failed else {},
        invalid=invalid,
    )


def test_what_did_not_fail_so_and_did_not_pass_is_counted_apart() -> None:
    made = [
        run(1, passed=True),
        run(2, failed="KeyError"),
        run(3, failed="OSError"),
        run(4),  # it did not run
        run(5, passed=True, invalid="the run was killed"),
    ]
    count = count_of(made, (TEST,), Condition(), signature="KeyError")

    assert (count.runs, count.failed, count.invalid) == (2, 1, 3)
    assert count_of(made, (TEST,), Condition()).failed == 2
