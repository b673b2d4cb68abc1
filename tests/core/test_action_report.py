from __future__ import annotations

import pytest

from bot.core import action_report, fence

ENDS = {"verified": 0, "failed": 1, "refused": 2, "unverified": 3, "cancelled": 4, "broken": 5}
ALL = {**ENDS, "bug": 70, "paused": 75}


@pytest.mark.parametrize(
    ("fail_on", "red"),
    [
        ("never", set()),
        ("error", {"broken", "bug"}),
        ("failed", {"failed", "refused", "broken", "bug"}),
        ("unverified", ALL.keys() - {"verified"}),
    ],
)
def test_which_ends_make_the_step_red(fail_on: str, red: set[str]) -> None:
    codes = {end: action_report.step_code(code, fail_on=fail_on) for end, code in ALL.items()}

    assert {end for end, code in codes.items() if code} == red
    assert all(code in (0, ALL[end]) for end, code in codes.items())


def test_foreign_words_in_a_summary_are_fenced() -> None:
    said = action_report.summary("refused", "@ada <b>x</b>", entries=(), thread=0, text="")

    assert said == f"## jam: refused: {fence.prose('@ada <b>x</b>')}"
    assert "@ada" not in said.replace("`@ada`", "")
