"""Identity decides: what was passed must be passed, and every target too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.contract import Gate
from bot.core.ended import Ended
from bot.core.parts import Colour
from bot.core.report import Case, Mark, Report, Uncollectable, Unreadable
from bot.core.verdict import (
    Error,
    Expectation,
    Green,
    Heard,
    Red,
    Standing,
    compose,
    judge,
    stand,
)

GATE = Gate(run="pytest", min_pass="baseline")
EXPECTED = Expectation(
    passed=frozenset({"t::a", "t::b"}), targets=frozenset({"t::x"}), known=frozenset({"t::a"})
)


def heard(
    *cases: Case,
    exit_code: int = 0,
    ended: Ended = Ended.EXITED,
    root: str = "",
    **more: object,
) -> Heard:
    reading = Report(cases=cases, **more)  # type: ignore[arg-type]
    return Heard(ended=ended, exit_code=exit_code, reading=reading, root=root)


def case(name: str, mark: Mark = Mark.PASSED, *, doubled: bool = False) -> Case:
    return Case(f"t::{name}", mark, doubled=doubled)


ALL = (case("a"), case("b"), case("x"))


def test_everything_passed_is_green() -> None:
    assert judge(heard(*ALL), GATE, EXPECTED) == Green()


@pytest.mark.parametrize(
    "mark", [Mark.FAILED, Mark.ERRORED, Mark.SKIPPED, Mark.XFAILED, Mark.XPASSED]
)
def test_a_target_that_is_anything_but_passed_is_unmended(mark: Mark) -> None:
    verdict = judge(heard(case("a"), case("b"), case("x", mark)), GATE, EXPECTED)

    assert verdict == Red(unmended=frozenset({"t::x"}))


@pytest.mark.parametrize("mark", [Mark.FAILED, Mark.SKIPPED, Mark.XFAILED])
def test_a_test_that_passed_before_and_does_not_now_is_lost(mark: Mark) -> None:
    verdict = judge(heard(case("a"), case("b", mark), case("x")), GATE, EXPECTED)

    assert isinstance(verdict, Red)
    assert verdict.lost == frozenset({"t::b"})


def test_a_test_that_vanished_counts_as_lost_though_the_count_is_right() -> None:
    verdict = judge(heard(case("a"), case("x"), case("new")), GATE, EXPECTED)

    assert verdict == Red(lost=frozenset({"t::b"}))


def test_a_doubled_id_is_not_passed() -> None:
    verdict = judge(heard(case("a"), case("b"), case("x", doubled=True)), GATE, EXPECTED)

    assert isinstance(verdict, Red)
    assert verdict.unmended == frozenset({"t::x"})


def test_a_new_test_that_fails_is_red() -> None:
    verdict = judge(heard(*ALL, case("new", Mark.FAILED)), GATE, EXPECTED)

    assert verdict == Red(failing=frozenset({"t::new"}))


def test_a_test_that_failed_on_the_base_and_is_no_target_is_not_held_against_it() -> None:
    expected = Expectation(
        passed=EXPECTED.passed, targets=EXPECTED.targets, known=frozenset({"t::old"})
    )

    assert judge(heard(*ALL, case("old", Mark.FAILED)), GATE, expected) == Green()


def test_too_few_passed_is_red_even_when_every_id_is_there() -> None:
    verdict = judge(heard(*ALL), Gate(run="pytest", min_pass=9), EXPECTED)

    assert verdict == Red(reasons=("3 passed, at least 9 must",))


def test_no_count_is_expected_where_only_some_ids_were_asked_for() -> None:
    some = replace(EXPECTED, whole=False)

    assert judge(heard(*ALL), Gate(run="pytest", min_pass=9), some) == Green()


@pytest.mark.parametrize("ended", [Ended.TIMED_OUT, Ended.FLOODED, Ended.STOPPED])
def test_a_candidate_that_never_ends_is_red(ended: Ended) -> None:
    verdict = judge(heard(*ALL, ended=ended), GATE, EXPECTED)

    assert isinstance(verdict, Red)
    assert verdict.unmended == EXPECTED.targets


def test_a_candidate_whose_report_is_cut_is_red() -> None:
    broken = Heard(ended=Ended.EXITED, exit_code=0, reading=Unreadable("no end", cut=True))

    assert judge(broken, GATE, EXPECTED) == Red(unmended=EXPECTED.targets, reasons=("no end",))


@pytest.mark.parametrize("exit_code", [126, 127])
def test_a_command_that_cannot_be_run_is_an_error(exit_code: int) -> None:
    assert isinstance(judge(heard(*ALL, exit_code=exit_code), GATE, EXPECTED), Error)


def test_a_framework_that_was_tampered_with_is_red_for_integrity() -> None:
    verdict = judge(heard(*ALL, tampering=("unittest.TestCase.run",)), GATE, EXPECTED)

    assert verdict == Red(integrity=("the tests were tampered with: unittest.TestCase.run",))


def test_what_the_base_patches_itself_is_not_held_against_the_change() -> None:
    standing = stand(heard(*ALL, tampering=("unittest.TestCase.run",)), ours=frozenset())
    assert isinstance(standing, Standing)
    expected = replace(EXPECTED, patched=standing.patched)
    both = heard(*ALL, tampering=("unittest.TestCase.run", "_pytest.runner.main"))

    assert judge(heard(*ALL, tampering=("unittest.TestCase.run",)), GATE, expected) == Green()
    assert judge(both, GATE, expected) == Red(
        integrity=("the tests were tampered with: _pytest.runner.main",)
    )


def test_a_changed_module_that_came_from_elsewhere_is_an_error() -> None:
    expected = Expectation(
        passed=EXPECTED.passed,
        targets=EXPECTED.targets,
        known=frozenset(),
        watched=frozenset({"lib/a.py"}),
    )
    elsewhere = heard(*ALL, root="/repo", origins={"lib/a.py": "/usr/lib/python3/lib/a.py"})
    here = heard(*ALL, root="/repo", origins={"lib/a.py": "/repo/lib/a.py"})

    assert isinstance(judge(elsewhere, GATE, expected), Error)
    assert judge(here, GATE, expected) == Green()


def test_a_file_that_could_not_be_collected_must_collect_and_pass() -> None:
    expected = Expectation(
        passed=frozenset(), targets=frozenset({"t.py"}), known=frozenset({"t.py"})
    )
    mended = heard(Case("t.py::one", Mark.PASSED), Case("t.py::two", Mark.SKIPPED))
    only_skipped = heard(Case("t.py::one", Mark.SKIPPED))
    one_fails = heard(Case("t.py::one", Mark.PASSED), Case("t.py::two", Mark.FAILED))

    assert judge(mended, GATE, expected) == Green()
    assert judge(only_skipped, GATE, expected) == Red(unmended=frozenset({"t.py"}))
    assert isinstance(judge(one_fails, GATE, expected), Red)


def test_a_base_without_a_module_of_others_cannot_judge() -> None:
    broken = Uncollectable("tests/test_a.py", "ModuleNotFoundError", missing_module="requests")

    assert stand(heard(case("a"), uncollectable=(broken,)), ours=frozenset({"lib"})) == Error(
        ("module 'requests' is not installed where the tests run",)
    )


def test_a_base_without_a_module_of_its_own_is_red() -> None:
    broken = Uncollectable("tests/test_a.py", "ModuleNotFoundError", missing_module="lib")

    assert stand(heard(case("a"), uncollectable=(broken,)), ours=frozenset({"lib"})) == Standing(
        passed=frozenset({"t::a"}),
        failing=frozenset({"tests/test_a.py"}),
        known=frozenset({"t::a", "tests/test_a.py"}),
    )


def test_a_test_that_fails_outside_its_call_is_no_target() -> None:
    standing = stand(heard(case("a"), case("b", Mark.ERRORED)), ours=frozenset())

    assert isinstance(standing, Standing)
    assert standing.failing == frozenset()


@pytest.mark.parametrize(
    ("colours", "expected"),
    [
        ([Colour.GREEN, Colour.GREEN], Colour.GREEN),
        ([Colour.GREEN, Colour.ERROR], Colour.ERROR),
        ([Colour.ERROR, Colour.RED, Colour.GREEN], Colour.RED),
        ([], Colour.ERROR),
    ],
    ids=["all green", "error over green", "red over error", "nothing judged"],
)
def test_red_wins_over_error(colours: list[Colour], expected: Colour) -> None:
    assert compose(colours) is expected
