"""Runs as marks and rates as lines: what a reader of a mend sees at a glance."""

from __future__ import annotations

import pytest

from bot.core.flaky import plot
from bot.core.flaky.mend_facts import Arm
from bot.core.flaky.mend_steps import fold_facts
from bot.core.flaky.statistics import interval
from tests.core.flaky.mending import before, patch, sampled

DRAWN = """\
before  ○○○○○○○●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●
again   ●○
replay  ●●
after   ●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●
fresh   ●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●●

● passed  ○ failed  · could not be judged

The rate that fails, and its 95% interval (Clopper and Pearson's, two-sided):

        0%        25%       50%       75%       100%
before    ├──◆───┤                                 7 of 60 failed: 12% (5% to 23%)
after   ◆─┤                                        0 of 60 failed: 0% (0% to 6.0%)
fresh   ◆─┤                                        0 of 59 failed: 0% (0% to 6.1%)"""


def test_a_mend_is_drawn_before_beside_after() -> None:
    assert plot.text(plot.rows(fold_facts([*before(), *patch().values()]))) == DRAWN


@pytest.mark.parametrize("runs", [1, 2, 7, 60, 200])
def test_the_interval_of_clean_runs_is_the_exact_one(runs: int) -> None:
    parts = {**patch(), "same": sampled(Arm.SAME, runs)}

    row = next(one for one in plot.rows(fold_facts([*before(), *parts.values()]))
               if one.name == "after")  # fmt: skip

    exact = interval(0, runs)
    assert (row.low, row.high) == (exact.low, pytest.approx(exact.high))


def test_runs_that_ended_at_a_failure_are_no_sample() -> None:
    parts = [*patch().values()][:3]
    failing = sampled(Arm.SAME, 60, failed=1, runs=8, marks="●●●○●●·●●")

    drawn = plot.rows(fold_facts([*before(), *parts, failing]))

    assert [(row.name, row.low, row.said) for row in drawn[3:]] == [
        ("after", None, "1 of 8 failed")
    ]
    assert "after   ●●●○●●·●●" in plot.text(drawn)


def test_long_series_are_cut_and_nothing_is_drawn_of_nothing() -> None:
    parts = {**patch(), "same": sampled(Arm.SAME, 500)}

    lines = plot.text(plot.rows(fold_facts([*before(), *parts.values()]))).splitlines()

    assert [line for line in lines if line.endswith("…")] == ["        …"]
    assert plot.text(plot.rows(fold_facts(before()[:2]))) == ""
