"""A check run says what happened, and is green for nothing but *verified*."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.annotations import (
    AT_ONCE,
    MANY,
    MESSAGE_BYTES,
    Annotation,
    Level,
    annotate,
    batches,
    of_remarks,
)
from bot.core.check_text import (
    BYTES,
    CONCLUSIONS,
    VERIFY,
    Button,
    CheckText,
    Status,
    broken,
    render,
)
from bot.core.parts import Remark
from bot.core.report import Case, Mark, Report, Uncollectable
from bot.core.trigger import BUTTONS
from tests import make

STORY = make.verified_story()
SESSION = "20261130-120000-abcd"
SATISFIES = {"success", "neutral", "skipped"}
"""What GitHub takes for a required check that is met."""


def ended(end: str, **word: Any) -> CheckText:
    told = render(
        make.sealed(
            *STORY[:12], make.adjudicated(end=end, **word), make.ended(end=end, exit_code=1)
        )
    )
    assert told is not None
    return told


@pytest.mark.parametrize(
    ("end", "conclusion"),
    [
        ("verified", "success"),
        ("partial", "failure"),
        ("failed", "failure"),
        ("unverified", "action_required"),
        ("cancelled", "cancelled"),
    ],
)
def test_the_conclusion_of_an_end(end: str, conclusion: str) -> None:
    told = ended(end)

    assert (told.status, told.conclusion) == (Status.COMPLETED, conclusion)


def test_only_verified_satisfies_a_required_check() -> None:
    assert {end for end, conclusion in CONCLUSIONS.items() if conclusion in SATISFIES} == {
        "verified"
    }


def test_where_nothing_ran_there_is_no_check() -> None:
    assert render(()) is None


@pytest.mark.parametrize("count", range(1, len(STORY)))
def test_before_the_end_there_is_no_conclusion(count: int) -> None:
    told = render(make.sealed(*STORY[:count]))

    assert told is not None
    assert (told.status, told.conclusion) == (Status.IN_PROGRESS, "")


def test_a_running_check_says_what_is_next() -> None:
    assert render(make.sealed(*STORY[:3])) == CheckText(
        name="jam",
        external_id=SESSION,
        status=Status.IN_PROGRESS,
        conclusion="",
        title="To do: run the tests on the untouched base",
        summary="- [x] began at `bbbbbbbbbbbb` of `main`, judged by `unit`\n"
        "- [x] prepared the environment\n"
        "- [ ] run the tests on the untouched base\n"
        "- [ ] change the code\n"
        "- [ ] judge it in clean rooms\n"
        "- [ ] publish the change",
        text="### Evidence\n\n"
        "| # | step | tree | verdict | passed / failed / skipped | seconds | seal |\n"
        "|--:|---|---|---|---|--:|---|\n"
        f"| 2 | frozen paths |  | 4 files held |  |  | `{make.sealed(*STORY[:3])[2].seal[:12]}` |",
        buttons=(Button("stop", "Stop", "End the session; its work is kept"),),
    )


def test_every_button_is_one_that_jam_listens_to_and_github_takes() -> None:
    running = render(make.sealed(*STORY[:3]))
    assert running is not None
    buttons = [*running.buttons, *ended("failed").buttons]

    assert {button.identifier for button in buttons} == set(BUTTONS)
    assert all(len(b.identifier) <= 20 and len(b.label) <= 20 for b in buttons)
    assert all(len(button.words) <= 40 for button in buttons)


def test_a_finished_check_tells_the_verdict_the_counts_and_what_is_open() -> None:
    told = ended("verified", not_verified=("whether it helps on Windows",))

    assert told.title == "Verified: 1 test mended"
    assert told.summary.split("\n")[:11] == [
        "**Verified.** Green.",
        "",
        "- `tests`: 15 passed, 0 failed, 0 skipped",
        "",
        "Not verified:",
        "",
        "- whether it helps on Windows",
        "",
        "Steps:",  # or they would be read as more of what is not verified
        "",
        "- [x] began at `bbbbbbbbbbbb` of `main`, judged by `unit`",
    ]
    assert "| 3 | preflight 1 | `000000000000` | **red** | 14 / 1 / 0 | 0.5 |" in told.text
    assert "| `lib/a.py` | 1 | 1 |" in told.text


def test_a_verification_goes_by_its_own_name() -> None:
    told = render(make.sealed(*STORY), name=VERIFY)

    assert told is not None
    assert told.name == "jam / verify"


def test_a_fault_of_jam_itself_is_a_failure_for_a_person() -> None:
    assert broken("gh-1", "entry 3 does not follow from the one before it") == CheckText(
        name="jam",
        external_id="gh-1",
        status=Status.COMPLETED,
        conclusion="failure",
        title="Something is wrong with jam itself",
        summary="entry 3 does not follow from the one before it\n\nA person has to look.",
    )


def test_what_is_too_long_is_cut_at_a_line_and_says_so() -> None:
    told = ended("unverified", not_verified=tuple(f"🙂 {'ä' * 400} {n}" for n in range(200)))

    assert len(told.summary.encode()) <= BYTES
    assert told.summary.endswith("\n\n… cut here; the ledger has all of it.")
    assert told.summary.split("\n")[6].endswith("ä 0")


FILES = frozenset({"tests/test_a.py", "tests/test_b.py"})


def case(name: str, mark: Mark = Mark.FAILED, message: str = "") -> Case:
    return Case(f"tests/test_a.py::{name}", mark, message)


class TestAnnotations:
    def test_stand_where_the_message_says_worst_first(self) -> None:
        report = Report(
            cases=(
                case("test_fine", Mark.PASSED),
                case("test_b", message="lib/a.py:3: in f\ntests/test_a.py:12: AssertionError"),
                case("test_a", Mark.ERRORED, "fixture 'x' not found"),
                case("test_skipped", Mark.SKIPPED),
                Case("gone.py::test_c", Mark.FAILED, "no such file in the tree"),
            ),
            uncollectable=(Uncollectable("tests/test_b.py", "tests/test_b.py:1: ImportError"),),
        )

        assert annotate(report, files=FILES) == (
            Annotation("tests/test_a.py", 1, "tests/test_a.py::test_a", "fixture 'x' not found"),
            Annotation(
                "tests/test_a.py",
                12,
                "tests/test_a.py::test_b",
                "lib/a.py:3: in f\ntests/test_a.py:12: AssertionError",
            ),
            Annotation("tests/test_b.py", 1, "tests/test_b.py", "tests/test_b.py:1: ImportError"),
        )

    @pytest.mark.parametrize(
        ("message", "line"),
        [
            ("tests/test_a.py:7: x\ntests/test_a.py:9: y", 9),
            ("tests/test_a.py:0: x", 1),
            ("other_tests/test_a.py:7: x", 1),
            ("see tests/test_a.py:7", 1),
            ("tests/test_axpy:7: x", 1),
            ("", 1),
        ],
    )
    def test_find_their_line(self, message: str, line: int) -> None:
        report = Report(cases=(case("test_b", message=message),))

        assert [note.line for note in annotate(report, files=FILES)] == [line]

    def test_keep_the_end_of_a_long_message_within_bytes(self) -> None:
        report = Report(cases=(case("test_b", message="\x1b[31m" + "🙂" * 40_000 + " the end"),))
        note = annotate(report, files=FILES)[0]

        assert len(note.message.encode()) <= MESSAGE_BYTES
        assert note.message.endswith("🙂 the end")

    def test_never_say_nothing(self) -> None:
        note = annotate(Report(cases=(case("test_b"),)), files=FILES)[0]

        assert note.message == "It failed without a word."

    def test_are_bounded_in_all(self) -> None:
        report = Report(cases=tuple(case(f"test_{n}") for n in range(500)))

        assert len(annotate(report, files=FILES)) == MANY

    def test_are_of_what_is_held_against_the_change_alone(self) -> None:
        report = Report(cases=(case("test_before"), case("test_lost")))
        notes = annotate(report, files=FILES, only={"tests/test_a.py::test_lost"})

        assert [note.title for note in notes] == ["tests/test_a.py::test_lost"]

    def test_say_what_to_look_at_first_where_it_is(self) -> None:
        remarks = (
            Remark(path="a.py", line=3, what="leaves\nwith os._exit", blocks=True),
            Remark(path="a.py", line=0, what="is binary"),
        )

        assert of_remarks(remarks) == (
            Annotation("a.py", 3, "Needs a person", "leaves with os._exit", Level.FAILURE),
            Annotation("a.py", 1, "Look at this first", "is binary", Level.WARNING),
        )

    @given(st.integers(0, 230))
    def test_go_in_portions_that_lose_none(self, count: int) -> None:
        notes = [Annotation("a", 1, str(n), "x") for n in range(count)]
        portions = batches(notes)

        assert [note for portion in portions for note in portion] == notes
        assert all(0 < len(portion) <= AT_ONCE for portion in portions)
