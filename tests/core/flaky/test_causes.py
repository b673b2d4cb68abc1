"""Victims of the same polluters are one cause."""

from __future__ import annotations

from bot.core.flaky.condition import Condition
from bot.core.flaky.mend_causes import causes
from tests.core.flaky.mending import finding


def test_victims_of_the_same_polluters_are_mended_together() -> None:
    one = finding(polluters=("p", "q"), failing=(Condition(order_seed=1), Condition(order_seed=2)))
    other = finding(
        test="t::other", tests=("t::other",), polluters=("q", "p"), failing=(Condition(zone="UTC"),)
    )

    (both,) = causes([one, other])

    assert both.test == one.test
    assert both.tests == (one.test, "t::other")
    assert [(c.order_seed, c.zone) for c in both.failing] == [(1, ""), (0, "UTC"), (2, "")]


def test_cases_of_one_test_that_fail_alike_are_mended_together() -> None:
    cases = [
        finding(test=f"t::test[{n}]", tests=(f"t::test[{n}]",), polluters=(), signature=signature)
        for n, signature in (("1", "x"), ("2", "x"), ("3", "y"))
    ]

    found = causes(cases)

    assert [one.tests for one in found] == [("t::test[1]", "t::test[2]"), ("t::test[3]",)]


def test_other_polluters_and_none_are_causes_of_their_own() -> None:
    alone = finding(polluters=())
    found = [finding(), finding(polluters=("q",)), alone, finding(polluters=(), signature="y")]

    assert causes(found) == tuple(found)
