"""``jam fix`` in repositories that are not a plain clone, each as git makes it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stories.project import FIX, FIXED, Project, Told, lay

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 4\n".format("a" * 64)


def git(*words: str | Path) -> None:
    subprocess.run(["git", "-c", "protocol.file.allow=always", *words], check=True)


def shallow(home: Path) -> Project:
    one = lay(home / "whole")
    one.commit({"more.txt": "more\n"}, "more")
    git("clone", "-q", "--depth", "1", f"file://{one.repo}", home / "repo")
    return Project(home=home)


def bare(home: Path) -> Project:
    git("clone", "-q", "--bare", lay(home / "whole").repo, home / "repo")
    return Project(home=home)


def worktree(home: Path) -> Project:
    one = lay(home / "whole")
    one.git("worktree", "add", "-q", "-b", "side", str(home / "repo"))
    return Project(home=home)


def with_objects_elsewhere(home: Path) -> Project:
    git("clone", "-q", "--shared", lay(home / "whole").repo, home / "repo")
    return Project(home=home)


def submodule(home: Path) -> Project:
    library = lay(home / "library")
    one = lay(home)
    git("-C", one.repo, "submodule", "--quiet", "add", library.repo, "third_party")
    one.commit({}, "with a submodule")
    return one


def pointers(home: Path) -> Project:
    files = {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "big.bin": POINTER}
    return lay(home, **files)


SHAPES: dict[str, tuple[Callable[[Path], Project], str]] = {
    "shallow": (shallow, "The history is shallow"),
    "bare": (bare, ""),
    "worktree": (worktree, ""),
    "objects elsewhere": (with_objects_elsewhere, ""),
    "submodule": (submodule, "Submodules stay empty"),
    "LFS pointers": (pointers, "LFS"),
}


@pytest.mark.parametrize(("shape", "words"), SHAPES.values(), ids=SHAPES)
def test_the_change_is_verified_and_nothing_else_moves(
    tmp_path: Path, shape: Callable[[Path], Project], words: str
) -> None:
    one = shape(tmp_path)
    (tmp_path / "issue.md").write_text("# One is left and I am told nothing is\n")
    before = (one.branches(), one.git("rev-parse", "HEAD"))
    told = one.fix(one.script(FIX))

    assert (told.exit_code, told.document.get("outcome")) == (0, "verified"), told.errors
    assert words in told.errors
    branch = str(told.document["branch"])
    assert one.git("show", f"{branch}:ledgerlib.py") == FIXED.strip()
    assert one.git("diff", "--name-only", f"{branch}^", branch) == "ledgerlib.py"
    assert sorted(one.branches()) == sorted([*before[0], branch])
    assert one.git("rev-parse", "HEAD") == before[1]


def test_a_folder_within_the_repository_means_the_repository(tmp_path: Path) -> None:
    one = lay(tmp_path)
    told: Told = one.jam(
        "fix", "--repo", str(one.repo / "tests"), "--issue", str(tmp_path / "issue.md"),
        "--agent", one.script(FIX), "--state", str(one.state), "--json",
    )  # fmt: skip

    assert (told.exit_code, told.document.get("outcome")) == (0, "verified"), told.errors


def test_names_that_are_hard_to_spell_are_kept_as_they_are(tmp_path: Path) -> None:
    odd = ['a "quote".txt', "tab\there.txt", "naïve ☃.txt", "-dash.txt", "new\nline.txt"]
    one = lay(tmp_path, **{name: f"{number}\n" for number, name in enumerate(odd)})
    told = one.fix(one.script(FIX))

    assert (told.exit_code, told.document.get("outcome")) == (0, "verified"), told.errors
    branch = str(told.document["branch"])
    assert one.git("diff", "--name-only", f"{branch}^", branch) == "ledgerlib.py"
