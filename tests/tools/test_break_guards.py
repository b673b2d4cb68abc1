"""The guards that are broken on purpose are where they are said to be, and a test notices."""

from __future__ import annotations

import pytest

from tools.break_guards import GUARDS, ROOT, Guard, broken, main

IDENTITY = next(guard for guard in GUARDS if guard.name == "tests are compared by identity")
HARMLESS = Guard(
    name="a comment",
    file="bot/core/words.py",
    was='"""Small things of English: how many of what."""',
    broken='"""Small things."""',
    test="tests/core/test_verdict.py::test_a_doubled_id_is_not_passed",
)
LOST = Guard(
    name="gone", file="bot/core/words.py", was="no such line", broken="", test="tests/core"
)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_a_guard_stands_once_where_it_is_said_to_be(guard: Guard) -> None:
    assert (ROOT / guard.file).read_text().count(guard.was) == 1


def test_guards_have_names_of_their_own() -> None:
    names = [guard.name for guard in GUARDS]

    assert sorted(set(names)) == sorted(names)


@pytest.mark.slow
def test_a_guard_that_no_test_misses_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert broken([IDENTITY, HARMLESS, LOST]) == ["a comment", "gone"]
    assert "ok  tests are compared by identity" in capsys.readouterr().out


def test_a_name_that_is_no_guards_is_a_failure() -> None:
    assert main(["no such guard"]) == 1
