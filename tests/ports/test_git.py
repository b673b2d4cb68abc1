"""git is run so that no configuration but jam's has a say, and its last words are passed on."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters import gitdir
from bot.adapters.git import Git, as_bytes, as_text
from bot.errors import GitFailed, RequestError, SessionBusy
from tests.ports.gitmade import git, make_repository, set_traps


def test_configuration_of_the_repository_is_outranked(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    git(repo, "config", "core.hooksPath", "/evil")
    git(repo, "config", "core.fsmonitor", "/evil")

    seen = Git(git_dir=repo / ".git")

    assert seen.line("config", "core.hooksPath") == "/dev/null"
    assert seen.line("config", "core.fsmonitor") == "false"


def test_the_environment_of_jam_does_not_reach_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repository(tmp_path / "repo")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_TRACE", "1")

    assert Git(cwd=repo).line("rev-parse", "--git-dir") == ".git"
    monkeypatch.undo()


def test_what_went_wrong_is_said_in_gits_own_words(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match=r"git cat-file: fatal: Not a valid object name nonsense"):
        Git(git_dir=make_repository(tmp_path / "repo") / ".git").run("cat-file", "-p", "nonsense")


def test_a_git_that_hangs_is_given_up(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    stuck = Git(git_dir=repo / ".git", timeout_s=0.2)

    with subprocess.Popen(["sleep", "30"], stdout=subprocess.PIPE) as never:
        with pytest.raises(GitFailed, match=r"git hash-object was not done after 0\.2 s"):
            stuck.run("hash-object", "--stdin", stdin=never.stdout or b"")
        never.kill()


def test_a_folder_that_is_not_there_is_the_persons_to_fix(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="does not exist"):
        Git(cwd=tmp_path / "nowhere").run("version")


def test_output_is_read_up_to_a_limit(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"long.txt": "line\n" * 100_000})
    whole = Git(git_dir=repo / ".git")

    assert whole.head("cat-file", "blob", "HEAD:long.txt", limit=9) == (b"line\nline", True)
    assert whole.head("rev-parse", "HEAD", limit=100) == (
        git(repo, "rev-parse", "HEAD").encode() + b"\n",
        False,
    )


@pytest.mark.parametrize("name", [b"plain", b"new\nline", "émoji 🎉".encode(), b"\xff\xfe"])
def test_every_name_survives_being_text(name: bytes) -> None:
    assert as_bytes(as_text(name)) == name


def test_a_git_directory_has_one_holder(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    gitdir.make(tmp_path / "git", borrow=repo / ".git/objects")

    taken = gitdir.claim(tmp_path / "git", wait_s=0.1)
    with gitdir.claim(tmp_path / "git"), pytest.raises(SessionBusy), taken:
        pass
    with gitdir.claim(tmp_path / "git", wait_s=0.1) as again:
        assert again > 0


def test_a_git_that_outlives_its_jam_keeps_the_claim(tmp_path: Path) -> None:
    """Its half-written files must not be swept away under it."""
    repo = make_repository(tmp_path / "repo")
    gitdir.make(tmp_path / "git", borrow=repo / ".git/objects")
    with gitdir.claim(tmp_path / "git") as lock:
        orphan = subprocess.Popen(["sleep", "30"], pass_fds=(lock,))

    with pytest.raises(SessionBusy), gitdir.claim(tmp_path / "git", wait_s=0.1):
        pass
    orphan.kill()
    orphan.wait()
    with gitdir.claim(tmp_path / "git", wait_s=1) as free:
        assert free > 0


def test_what_a_killed_git_left_is_swept_by_the_next_holder(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    place = tmp_path / "git"
    gitdir.make(place, borrow=repo / ".git/objects")
    stale = ["index.lock", "refs/jam/1.lock", "objects/ab/tmp_obj_x", "objects/pack/tmp_pack_y"]
    for name in stale:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).touch()

    with gitdir.claim(place):
        assert [name for name in stale if (place / name).exists()] == []


def test_objects_are_borrowed_from_a_folder_of_any_name(tmp_path: Path) -> None:
    for name in ("plain", 'quo"te', "# comment", '"begins', "two\nlines", "ü"):
        repo = make_repository(tmp_path / name)
        with gitdir.glass(repo / ".git/objects") as seen:
            assert seen.line("cat-file", "-t", git(repo, "rev-parse", "HEAD")) == "commit"


def test_a_missing_object_is_not_fetched(tmp_path: Path) -> None:
    """A partial clone names a remote, and a remote can be any program."""
    repo = make_repository(tmp_path / "repo")
    set_traps(repo, tmp_path / "canary")
    git(repo, "config", "--unset", "remote.origin.vcs")
    git(repo, "config", "core.repositoryFormatVersion", "1")
    git(repo, "config", "extensions.partialClone", "origin")
    blob = git(repo, "rev-parse", "HEAD:tests/data.json")
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (tmp_path / "canary").unlink(missing_ok=True)

    with pytest.raises(GitFailed):
        Git(git_dir=repo / ".git").run("cat-file", "-p", blob)

    assert not (tmp_path / "canary").exists()


def test_replaced_objects_are_seen_as_they_were(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"a": "true\n", "b": "false\n"})
    git(repo, "replace", git(repo, "rev-parse", "HEAD:a"), git(repo, "rev-parse", "HEAD:b"))

    assert git(repo, "cat-file", "blob", "HEAD:a") == "false"
    assert Git(git_dir=repo / ".git").line("cat-file", "blob", "HEAD:a") == "true"
    unguarded = replace(Git(git_dir=repo / ".git"), env={"GIT_NO_REPLACE_OBJECTS": "0"})
    assert unguarded.line("cat-file", "-t", "HEAD") == "commit"
