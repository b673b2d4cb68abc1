"""Only what every run of the base agrees on counts."""

from __future__ import annotations

import re

import pytest

from bot.core.baseline import Baseline, settle
from bot.core.canonical import spell, unspell
from bot.core.verdict import Expectation, Standing
from bot.errors import ReleaseImpossible, SpecError


def standing(passed: str = "", failing: str = "", known: str = "") -> Standing:
    names = [frozenset(f"t::{n}" for n in text) for text in (passed, failing, known)]
    return Standing(passed=names[0], failing=names[1], known=frozenset().union(*names))


def test_targets_fail_every_time_and_what_is_kept_passes_every_time() -> None:
    found = settle([{"unit": standing("ab", "x")}, {"unit": standing("ab", "x")}])

    assert (found.targets, found.passed, found.wavering) == (
        ("t::x",),
        frozenset({"t::a", "t::b"}),
        (),
    )


def test_what_is_released_is_kept_no_more_and_still_known() -> None:
    found = settle([{"unit": standing("ab", "x")}] * 2).releasing(["t::a"])

    assert found.passed == {"t::b"}
    assert found.targets == ("t::x",)
    assert "t::a" in found.expectation("unit").known


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t::x", "'t::x' is a target: it has to pass, so it is not released"),
        ("t::w", "'t::w' does not pass on the base every time"),
        ("t::aa", "no test to release is called 't::aa'; did you mean 't::a'?"),
        ("t::", "no test to release is called 't::'"),
    ],
)
def test_only_a_test_that_the_base_passes_is_released(name: str, words: str) -> None:
    found = settle([{"unit": standing("abw", "x")}, {"unit": standing("ab", "xw")}])

    with pytest.raises(ReleaseImpossible, match=re.escape(words)):
        found.releasing([name])


def test_what_wavers_is_neither_target_nor_kept() -> None:
    found = settle([{"unit": standing("abw", "x")}, {"unit": standing("ab", "xw")}])

    assert (found.targets, found.wavering) == (("t::x",), ("t::w",))
    assert "t::w" not in found.passed


def test_a_test_that_ran_once_and_was_skipped_once_wavers() -> None:
    found = settle([{"unit": standing("ab")}, {"unit": standing("a", known="b")}])

    assert found.wavering == ("t::b",)


def test_named_targets_are_the_only_ones_and_the_rest_is_not_held_against_anyone() -> None:
    runs = [{"unit": standing("a", "xy")}] * 2
    found = settle(runs, named=("t::x",))

    assert (found.targets, found.failing) == (("t::x",), 1)


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("t::a", "target 't::a' is not red on the base"),
        ("t::w", "target 't::w' does not fail every time"),
        ("t::xx", "no test is called 't::xx'; did you mean 't::x'?"),
    ],
)
def test_a_named_target_that_is_not_red_is_refused(named: str, sentence: str) -> None:
    runs = [{"unit": standing("aw", "x")}, {"unit": standing("a", "xw")}]

    with pytest.raises(SpecError) as refused:
        settle(runs, named=(named,))

    assert (refused.value.code, str(refused.value)) == ("spec.not_red", sentence)


def test_a_target_belongs_to_the_gate_that_sees_it() -> None:
    found = settle([{"unit": standing("a", "x"), "slow": standing("b", "y")}] * 2)

    assert found.gates["unit"].targets == ("t::x",)
    assert found.expectation("slow").targets == frozenset({"t::y"})


def test_an_expectation_of_some_ids_asks_only_for_them() -> None:
    found = settle([{"unit": standing("ab", "xy")}] * 2)

    assert found.expectation("unit", select=("t::a", "t::x")) == Expectation(
        passed=frozenset({"t::a"}),
        targets=frozenset({"t::x"}),
        known=frozenset({"t::a", "t::b", "t::x", "t::y"}),
        whole=False,
    )


def test_it_is_kept_as_bytes_and_comes_back() -> None:
    found = settle([{"unit": standing("ab", "x")}] * 2)

    assert Baseline.model_validate(unspell(spell(found))) == found
