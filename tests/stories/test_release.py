"""A test that pins the bug is released by a person, by its exact name and by nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.project import FIX, TESTS, Project, lay

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
PIN = "tests/test_pin.py::test_one_counts_as_none"
PINNED = (
    "from ledgerlib import free\n\n\ndef test_one_counts_as_none():\n    assert free(4, 3) == 0\n"
)


def project(home: Path) -> Project:
    return lay(home, **{"tests/test_free.py": TESTS, "tests/test_pin.py": PINNED})


def test_a_released_test_is_not_held_against_the_change_and_is_told_first(tmp_path: Path) -> None:
    one = project(tmp_path)
    before = one.fix(one.script(FIX + "- give_up: it cannot be\n"))
    after = one.fix(one.script(FIX), "--release", PIN)

    assert (before.document["outcome"], before.exit_code) == ("failed", 1)
    assert (after.document["outcome"], after.exit_code) == ("verified", 0)
    body = str(after.document["body"])
    first = body[body.index("### Look at this first") :]
    assert f"whoever asked released it: {PIN}" in first.replace("\\", "")
    assert "| 0 | released |  | 1 test need not pass |" in body
    branch = str(after.document["branch"])
    assert one.git("show", f"{branch}:tests/test_pin.py") == PINNED.strip()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tests/test_free.py::test_one_is_left", "is a target"),
        ("tests/test_pin.py", "no test to release is called 'tests/test_pin.py'"),
        ("tests/test_pin.py::test_one_counts_as_non", f"did you mean '{PIN}'?"),
    ],
    ids=["target", "file", "almost"],
)
def test_what_cannot_be_released_is_said_before_any_agent(
    tmp_path: Path, name: str, words: str
) -> None:
    one = project(tmp_path)
    told = one.fix(one.script(FIX), "--release", name)

    assert told.exit_code == 2
    assert words in told.errors
    assert "turn 1" not in told.errors
    assert one.branches() == ["main"]
