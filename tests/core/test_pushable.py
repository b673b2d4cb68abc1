"""What is refused before anything is written to a forge."""

from __future__ import annotations

import pytest

from bot.core.forge_values import FilePut, NewCommit
from bot.core.pushable import demand, is_writable, touched
from bot.errors import ForgeRefused

BRANCH = "refs/heads/jam/issue-1-x"


def commit(*put: FilePut, **over: object) -> NewCommit:
    whole: dict[str, object] = {"tree": "1" * 40, "message": "Mend it", "put": put}
    return NewCommit(**(whole | over))  # type: ignore[arg-type]


FINE = commit(FilePut("a.py", "100755", b""), FilePut("docs/link", "120000", b"../a.py"))


@pytest.mark.parametrize(
    ("ref", "writable"),
    [
        (BRANCH, True),
        ("refs/jam/checkpoints/s1/12", True),
        (f"refs/heads/{'a' * 40}", False),
        (f"refs/heads/{'A' * 40}", False),
        ("refs/heads/a..b", False),
        ("refs/heads/-x", False),
        ("refs/heads/", False),
        ("refs/heads/a.lock", False),
        ("refs/tags/v1", False),
        ("refs/pull/1/head", False),
        ("refs/jam", False),
        ("refs/jam/../heads/main", False),
        ("refs/jam/a..b", False),
        ("refs/jam/a.lock", False),
        ("refs/jam/a b", False),
        ("refs/jammed/a", False),
        ("main", False),
    ],
)
def test_only_branches_and_jams_own_references_are_written(ref: str, writable: bool) -> None:
    assert is_writable(ref) is writable


def test_files_links_and_the_bit_are_fine() -> None:
    assert demand(BRANCH, [FINE, commit(drop=("b.py",))]) is None


@pytest.mark.parametrize(
    "path",
    [
        "a\udcff",
        "",
        "/a",
        "a//b",
        "../a",
        "a/../b",
        "./a",
        "a\0b",
        ".git/config",
        "lib/.git",
    ],
)
def test_such_a_path_cannot_be_carried(path: str) -> None:
    for wrong in (commit(FilePut(path, "100644", b"")), commit(drop=(path,))):
        with pytest.raises(ForgeRefused, match="cannot carry"):
            demand(BRANCH, [FINE, wrong])


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", ".GitHub/Workflows/deep/x"])
def test_workflow_files_are_named_and_need_a_person(path: str) -> None:
    for wrong in (commit(FilePut(path, "100644", b"")), commit(drop=(path,))):
        assert touched([FINE, wrong]) == (path,)
        with pytest.raises(ForgeRefused, match="that needs a person") as told:
            demand(BRANCH, [FINE, wrong])
        assert path in str(told.value)


def test_what_only_looks_like_a_workflow_is_fine() -> None:
    looks = commit(
        FilePut(".github/workflows.md", "100644", b""), FilePut("x/.github/a", "100644", b"")
    )

    assert touched([looks]) == ()


WRONG = {
    "nothing": [],
    "a submodule": [commit(FilePut("lib", "160000", b""))],
    "a folder": [commit(FilePut("lib", "040000", b""))],
    "no message": [commit(message=" \n")],
    "half a message": [commit(message="a\0b")],
}


@pytest.mark.parametrize("commits", WRONG.values(), ids=WRONG)
def test_such_commits_are_refused(commits: list[NewCommit]) -> None:
    with pytest.raises(ForgeRefused):
        demand(BRANCH, commits)


def test_many_workflow_files_are_told_in_short() -> None:
    many = commit(*(FilePut(f".github/workflows/{at}.yml", "100644", b"") for at in range(9)))

    with pytest.raises(ForgeRefused, match=r"4\.yml and 4 more would be changed"):
        demand(BRANCH, [many])
