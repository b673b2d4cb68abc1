"""The bundled example is a real project with one real bug, laid out where it does no harm."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bot.adapters.example import ExampleUnusable, lay
from bot.core import contract_file

FAILING = {
    "test_a_meeting_that_fits_exactly_is_offered",
    "test_a_meeting_may_end_when_the_day_does",
}


def failing(repo: Path) -> tuple[set[str], str]:
    argv = [sys.executable, "-B", "-m", "pytest", "-rf", "-q", "-p", "no:cacheprovider"]
    said = subprocess.run(argv, cwd=repo, capture_output=True, text=True).stdout
    return set(re.findall(r"^FAILED .*::(\w+)", said, re.M)), said.splitlines()[-1].split(" in ")[0]


def test_it_is_red_by_two_tests_and_one_token_makes_it_green(tmp_path: Path) -> None:
    repo = lay(tmp_path / "demo").repo
    assert failing(repo) == (FAILING, "2 failed, 20 passed")

    source = repo / "meetings" / "calendar.py"
    source.write_text(source.read_text().replace("minutes < gap.end", "minutes <= gap.end"))
    assert failing(repo) == (set(), "22 passed")


def test_it_is_a_repository_of_one_commit_with_a_contract_for_this_interpreter(
    tmp_path: Path,
) -> None:
    laid = lay(tmp_path / "a demo")
    git = ["git", "-C", str(laid.repo)]
    log = subprocess.run([*git, "log", "--format=%s"], capture_output=True, text=True).stdout
    status = subprocess.run([*git, "status", "-s"], capture_output=True, text=True).stdout
    said = contract_file.read((laid.repo / ".github/jam.yml").read_bytes(), name="x")

    assert (log, status) == ("Find free time between appointments\n", "")
    assert said.oracles["unit"].gates[0].run == f"{sys.executable} -m pytest -q"
    assert laid.issue.read_text().startswith("# A meeting that fits exactly is never offered\n")


def test_laying_it_out_again_begins_anew(tmp_path: Path) -> None:
    first = lay(tmp_path / "demo")
    (first.repo / "stray").touch()

    assert lay(tmp_path / "demo") == first
    assert not (first.repo / "stray").exists()


def test_a_folder_of_somebody_else_s_is_kept(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "mine").touch()

    with pytest.raises(ExampleUnusable, match=r"is there already, and was not made by `jam demo`$"):
        lay(tmp_path / "demo")

    assert (tmp_path / "demo" / "mine").exists()
