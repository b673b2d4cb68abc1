"""What the runs of a check gave, and the word that follows."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.core.ended import Ended
from bot.core.report import Case, Mark, Report, Uncollectable, Unreadable
from bot.core.sensitivity.ids import TestName
from bot.core.sensitivity.renamed import Copy
from bot.core.sensitivity.sighting import (
    Controls,
    Disturbed,
    Sighting,
    Word,
    of_disturbing,
    of_renaming,
    of_sabotage,
    sight,
    together,
)
from bot.core.sensitivity.twin import Twin
from bot.core.verdict import Heard

A, B, NEXT = "t.py::test_a", "t.py::test_b", "t.py::test_next"


def seen(*passed: str, failed: Mapping[str, str] | None = None, **more: Any) -> Sighting:
    cases = {test: Case(test, Mark.PASSED) for test in passed}
    bad = {test: Case(test, Mark.FAILED, message) for test, message in (failed or {}).items()}
    return Sighting(cases=cases | bad, **more)


def test_a_run_is_seen_as_it_was_reported() -> None:
    report = Report(cases=(Case(A, Mark.PASSED),), uncollectable=(Uncollectable("u.py", "why"),))

    assert sight(Heard(ended=Ended.EXITED, exit_code=1, reading=report), output="o") == Sighting(
        cases={A: Case(A, Mark.PASSED)}, broken=("why",), output="o"
    )
    unread = Heard(ended=Ended.EXITED, exit_code=1, reading=Unreadable("no report"))
    assert sight(unread).trouble == "no report"
    assert sight(Heard(ended=Ended.TIMED_OUT, exit_code=None, reading=report)).cases == {}


# sabotage

SABOTAGE = {
    "noticed": (
        seen(failed={A: "E  MARK: made to raise", B: "other"}),
        Word("passed", "2 of 2 tests failed, 1 by that very failure"),
    ),
    "noticed by one": (
        seen(B, failed={A: "MARK"}),
        Word("passed", "1 of 2 tests failed, 1 by that very failure"),
    ),
    "not noticed": (seen(A, B), None),
    "only where tests are loaded": (
        seen(broken=("MARK",)),
        Word("passed", "only weakly: it failed where the tests are loaded, before any ran"),
    ),
    "in a case for the whole file": (
        seen(B, failed={"t.py": "MARK"}),
        Word("passed", "only weakly: it failed where the tests are loaded, before any ran"),
    ),
    "only before anything": (
        seen(trouble="the test run could not begin: MARK"),
        Word("passed", "only weakly: it failed where the tests are loaded, before any ran"),
    ),
    "told only in the output": (
        seen(B, failed={A: ""}, output="panic: MARK"),
        Word("not applicable", "the tests failed, but not visibly by that failure"),
    ),
    "a hang": (
        seen(trouble="the run was ended (timed out)"),
        Word("not applicable", "the run was ended (timed out)", blind=True),
    ),
    "a failure of another kind": (
        seen(failed={A: "x", B: "y"}),
        Word("not applicable", "the tests failed, but not visibly by that failure"),
    ),
}


@pytest.mark.parametrize(("sighting", "word"), SABOTAGE.values(), ids=SABOTAGE.keys())
def test_sabotage_must_be_noticed(sighting: Sighting, word: Word | None) -> None:
    assert of_sabotage({"g": sighting}, {"g": [A, B]}, "MARK", turned=False) == word


def test_the_output_is_a_sign_only_where_no_test_tells_its_own_failure() -> None:
    """What forges a report may have been broken as well, and say so where the process ends."""
    sighting = {"g": seen(B, failed={A: ""}, output="panic: MARK")}

    assert of_sabotage(sighting, {"g": [A, B]}, "MARK", turned=False, only_output=["g"]) == Word(
        "passed", "1 of 2 tests failed, and that failure was told"
    )


def test_what_is_turned_back_needs_no_mark() -> None:
    told = of_sabotage({"g": seen(B, failed={A: "x"})}, {"g": [A, B]}, "MARK", turned=True)

    assert told == Word("passed", "1 of 2 tests failed")


# renamed

GUILTY = Controls(
    again=seen(B, failed={A: "x"}),
    alone=seen(A, B),
    ground=seen(NEXT, failed={A: "x", B: "x"}),
    neighbours=frozenset({NEXT}),
    speaks=frozenset(),
)


def test_a_target_that_needs_its_name_fails() -> None:
    assert of_renaming(seen(B, failed={A: "x"}), [A, B], GUILTY, {}) == Word(
        "failed", f"{A} passed only under its own name"
    )


def test_targets_that_pass_under_another_name_pass() -> None:
    why = "2 tests passed under another name; not 1 test: no"
    assert of_renaming(seen(A, B), [A, B], None, {"c": "no"}) == Word("passed", why)


EXCUSES = {
    "it wavers": ({"again": seen(A)}, "a test wavered under another name"),
    "it speaks of it": ({"speaks": frozenset({A})}, "the tests speak of their own name"),
    "it does not run alone": (
        {"alone": seen(B, failed={A: "x"})},
        "a test does not pass when it runs alone",
    ),
    "a neighbour fails": (
        {"ground": seen(failed={A: "x", NEXT: "x"})},
        "tests beside it fail under another name on the base as well",
    ),
    "it is not found": (
        {"ground": seen(NEXT)},
        "a test was not found under another name, on the base as well",
    ),
    "nothing runs": (
        {"ground": seen(trouble="no tests")},
        "the tests cannot run under another name: no tests",
    ),
}


@pytest.mark.parametrize(("control", "why"), EXCUSES.values(), ids=EXCUSES.keys())
def test_what_is_not_the_change_s_is_not_held_against_it(
    control: Mapping[str, Any], why: str
) -> None:
    controls = replace(GUILTY, **control)

    assert of_renaming(seen(failed={A: "x"}), [A], controls, {}) == Word("not applicable", why)


# twin

HARD, SOFT = TestName(path="h.py", names=("test_a",)), TestName(path="s.py", names=("test_a",))
CANARY = TestName(path="h.py", names=("test_canary",))
TWIN = Twin(
    hard=Copy("h.py", b"", {A: HARD}),
    soft=Copy("s.py", b"", {A: SOFT}),
    held="HELD",
    canaries=(CANARY,),
    places={A: frozenset({3})},
    without=(),
)
CAME = f"HELD<<['{zlib.crc32(b'test_a'):08x}|3']>>"


def word_of(hard: Sighting, soft: Sighting, ground: list[Disturbed] | None = None) -> Word:
    pair = Disturbed(twin=TWIN, hard=hard, soft=soft)
    return of_disturbing([pair], [A], ground, {})


TWINS = {
    "noticed": (
        seen(failed={HARD.id: "x", CANARY.id: CAME}),
        seen(SOFT.id),
        Word("passed", "1 test failed once it expected something else"),
    ),
    "passes whatever it expects": (
        seen(HARD.id, failed={CANARY.id: CAME}),
        seen(SOFT.id),
        Word("failed", f"{A}: it passed though it expected something else"),
    ),
    "holds for something else": (
        seen(failed={HARD.id: "x", CANARY.id: CAME}),
        seen(failed={SOFT.id: "HELD: it equals"}),
        Word("failed", f"{A}: an expectation held for what it should not"),
    ),
    "never came to it": (
        seen(HARD.id, failed={CANARY.id: "HELD<<[]>>"}),
        seen(SOFT.id),
        Word("not applicable", "it does not come to what it expects"),
    ),
    "a canary passes": (
        seen(HARD.id, CANARY.id),
        seen(SOFT.id),
        Word("failed", "a test that always fails was reported as passed"),
    ),
    "nothing is told of a canary": (
        seen(trouble="the test run failed, though no test did", untold=True),
        seen(SOFT.id),
        Word("failed", "a test that always fails was reported as passed"),
    ),
    "did not run": (
        seen(trouble="cut"),
        seen(trouble="cut"),
        Word("not applicable", "cut"),
    ),
}


@pytest.mark.parametrize(("hard", "soft", "word"), TWINS.values(), ids=TWINS.keys())
def test_a_disturbed_twin_must_fail(hard: Sighting, soft: Sighting, word: Word) -> None:
    assert word_of(hard, soft) == word


BREAKS = {
    "only with the change": (seen(cut=True), seen(failed={CANARY.id: CAME}), True),
    "without it, too": (seen(cut=True), seen(trouble="cut", cut=True), False),
    "nowhere": (seen(failed={CANARY.id: CAME}), seen(failed={CANARY.id: CAME}), False),
}


@pytest.mark.parametrize(("hard", "ground", "breaks"), BREAKS.values(), ids=BREAKS)
def test_a_change_with_which_failing_tests_end_the_run(
    hard: Sighting, ground: Sighting, *, breaks: bool
) -> None:
    assert Disturbed(twin=TWIN, hard=hard, soft=seen()).breaks(ground) is breaks


def test_neighbours_that_hold_on_the_base_as_well_excuse_a_target() -> None:
    hard, soft = seen(failed={HARD.id: "x"}), seen(failed={SOFT.id: "HELD"})
    ground = [Disturbed(twin=TWIN, hard=hard, soft=soft)]

    assert word_of(hard, soft, ground) == Word(
        "not applicable", "tests beside it pass whatever they expect, on the base as well"
    )


def test_a_failure_says_nothing_where_the_undisturbed_copy_fails() -> None:
    pair = Disturbed(twin=TWIN, hard=seen(failed={HARD.id: "x"}), soft=seen(SOFT.id))

    assert of_disturbing([pair], [], None, {}) == Word(
        "not applicable", "its undisturbed copy does not pass"
    )


def test_the_worst_word_of_several_gates_counts() -> None:
    good, bad, none = Word("passed", "g"), Word("failed", "b"), Word("not applicable", "n")

    assert [together(w) for w in ([good, none], [good, bad], [none, none])] == [good, bad, none]
