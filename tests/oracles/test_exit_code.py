"""The exit dialect: one case that bears the gate's name, or nothing to go by."""

from __future__ import annotations

import pytest

from bot.core.contract import Dialect, Gate
from bot.core.report import Case, Mark, Reading, Report, Unreadable
from bot.oracles import PARSERS, Raw


def read(exit_code: int | None, output: str = "") -> Reading:
    return PARSERS[Dialect.EXIT](
        Raw(
            exit_code=exit_code,
            output=output,
            recording=b"",
            report_file=None,
            gate=Gate(name="lint", run="make lint", report=Dialect.EXIT),
        )
    )


def test_zero_is_a_pass() -> None:
    assert read(0) == Report(cases=(Case("lint", Mark.PASSED),))


@pytest.mark.parametrize("code", [1, 2, 77, 128, 255])
def test_another_code_is_a_failure_with_the_end_of_the_output(code: int) -> None:
    message = f"exit {code}\nline 3 is too long\n"

    assert read(code, "line 3 is too long\n") == Report(cases=(Case("lint", Mark.FAILED, message),))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (126, Unreadable("the shell found the command, but could not run it (exit 126)")),
        (127, Unreadable("the shell did not find the command (exit 127)")),
        (137, Unreadable("a signal ended the command (exit 137)", cut=True)),
        (139, Unreadable("a signal ended the command (exit 139)", cut=True)),
        (None, Unreadable("the command did not end by itself", cut=True)),
    ],
    ids=["cannot-run", "not-found", "killed", "crashed", "timed-out"],
)
def test_what_is_no_answer_is_no_failure(code: int | None, expected: Unreadable) -> None:
    assert read(code) == expected


def test_a_long_output_is_kept_at_its_end() -> None:
    reading = read(1, "x" * 10_000 + "the end")

    assert isinstance(reading, Report)
    assert (len(reading.cases[0].message), reading.cases[0].message[-7:]) == (4000, "the end")
