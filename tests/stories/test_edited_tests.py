"""A change that edits old tests is not proven by the tests that it left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.project import FIXED, PRODUCT, TARGET, TESTS, lay

BROKEN = FIXED.replace("total // people", "total // people + 1")
SHARES = "\n\ndef test_shares():\n    assert share(9, 3) == 3\n"
assert SHARES in TESTS


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "tests",
    [TESTS.replace(SHARES, ""), TESTS.replace("== 3", "== 4")],
    ids=["removed", "turned round"],
)
def test_a_test_taken_out_of_the_way_needs_a_person(tmp_path: Path, tests: str) -> None:
    project = lay(tmp_path)
    project.git("checkout", "-qb", "feature")
    project.commit({"ledgerlib.py": BROKEN, "tests/test_free.py": tests}, "fix, and more")
    told = project.jam(
        "verify", "--base", "main", "--head", "feature",
        "--repo", str(project.repo), "--state", str(project.state), "--json",
    )  # fmt: skip

    assert (told.exit_code, told.document["outcome"]) == (3, "unverified"), told.errors
    assert (
        "as it was these do not pass any more: tests/test_free.py::test_shares"
        in (told.document["why"])
    )


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_test_more_beside_the_old_ones_is_verified(tmp_path: Path) -> None:
    project = lay(tmp_path, **{"ledgerlib.py": PRODUCT})
    more = TESTS + "\n\ndef test_two_are_left():\n    assert free(3, 1) == 2\n"
    project.git("checkout", "-qb", "feature")
    project.commit({"ledgerlib.py": FIXED, "tests/test_free.py": more}, "fix")
    told = project.jam(
        "verify", "--base", "main", "--head", "feature",
        "--repo", str(project.repo), "--state", str(project.state), "--json",
    )  # fmt: skip

    assert (told.exit_code, told.document["outcome"]) == (0, "verified"), told.errors
    assert told.document["oracle"]["baseline"]["targets"] == [TARGET]
    assert "Judged against the tests of the change itself." in told.document["body"]


def test_a_change_that_deletes_every_test_is_told_so(tmp_path: Path) -> None:
    project = lay(tmp_path)
    project.git("checkout", "-q", "-b", "theirs")
    project.git("rm", "-q", "-r", "tests")
    project.commit({"ledgerlib.py": FIXED}, "mend")
    words = ("verify", "--repo", str(project.repo), "--base", "main", "--head", "theirs")

    told = project.jam(*words, "--state", str(project.state), "--json")

    assert (told.exit_code, told.document["outcome"]) == (3, "unverified"), told.errors
    assert told.document["why"] == (
        "The change deletes every test that this oracle runs: none is left to tell it from the base"
    )
    assert list((project.state / "sessions").iterdir()) == []
