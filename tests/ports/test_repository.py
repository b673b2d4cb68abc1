"""A person's repository: understood, never run, and written to in two places only."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bot.adapters.caveats import caveats, uncommitted
from bot.adapters.local_publisher import LocalPublisher
from bot.adapters.repository import open_repository
from bot.errors import RepositoryUnusable, RequestError
from tests.ports.gitmade import everything, git, lab, make_repository, set_traps, write


def why_not(path: Path) -> str:
    with pytest.raises(RepositoryUnusable) as refused:
        open_repository(path).resolve()
    return str(refused.value).replace(str(path), "HERE")


class TestWhatCannotBeUsed:
    def test_a_folder_without_a_repository(self, tmp_path: Path) -> None:
        assert why_not(tmp_path) == "HERE is not in a git repository"
        assert why_not(tmp_path / "no") == "there is no HERE"
        (tmp_path / "file").touch()
        assert why_not(tmp_path / "file") == "HERE is not a folder"

    def test_a_repository_without_a_commit(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "-q", "-b", "main")

        assert why_not(tmp_path) == "HERE has no commit yet: there is nothing to change"

    def test_a_branch_without_a_commit(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        git(repo, "checkout", "-q", "--orphan", "new")

        assert why_not(repo) == "the branch new has no commit yet: name another one with --base"
        assert open_repository(repo).resolve("main") == git(repo, "rev-parse", "main")

    def test_a_damaged_head(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        (repo / ".git/HEAD").write_text("")

        assert why_not(repo) == (
            "git does not recognise the repository in HERE: is its HEAD damaged?"
        )

    def test_a_head_without_its_commit(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        commit = git(repo, "rev-parse", "HEAD")
        (repo / ".git/objects" / commit[:2] / commit[2:]).unlink()

        assert "cannot be read" in why_not(repo) or "is not there" in why_not(repo)

    def test_missing_objects_are_counted(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        blob = git(repo, "rev-parse", "HEAD:pkg/core.py")
        (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()

        assert why_not(repo).startswith("1 objects of ")
        assert "git fetch --refetch" in why_not(repo)

    def test_another_object_format(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "-q", "--object-format=sha256")
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x")

        assert why_not(tmp_path) == "HERE names its objects by sha256; jam knows sha1 only"

    def test_a_broken_configuration(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        (repo / ".git/config").write_text("[core\n")

        assert "bad config line 1" in why_not(repo)

    def test_an_unknown_name_is_told_with_the_nearest(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        git(repo, "branch", "release")
        opened = open_repository(repo)

        with pytest.raises(RepositoryUnusable, match=r"'relaese' in .*did you mean release\?"):
            opened.resolve("relaese")
        for odd in ("-n", "--all", "main..release", "HEAD:pkg", "", "nonsense\n"):
            with pytest.raises(RepositoryUnusable, match="there is no commit called"):
                opened.resolve(odd)


class TestWhatCanBeUsed:
    def test_a_folder_inside_is_resolved_to_the_top(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")

        assert open_repository(repo / "pkg").top == repo
        assert open_repository(repo / "pkg") == open_repository(repo)

    def test_a_folder_of_any_name(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "two\nlines, 'quotes\" and \U0001f980")
        commit = git(repo, "rev-parse", "HEAD")

        opened = open_repository(repo)

        assert (opened.top, opened.git_dir, opened.resolve()) == (repo, repo / ".git", commit)
        assert opened.tree_of(commit) == git(repo, "rev-parse", "HEAD^{tree}")

    def test_bare_detached_and_worktree(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        commit = git(repo, "rev-parse", "HEAD")
        git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
        git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "work"))

        bare, work = open_repository(tmp_path / "bare.git"), open_repository(tmp_path / "work")

        assert (bare.bare, bare.resolve(), bare.branch()) == (True, commit, "main")
        assert (work.top, work.resolve(), work.branch()) == (tmp_path / "work", commit, None)
        assert work.objects == repo / ".git/objects"

    def test_a_shallow_one_says_so(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        git(repo, "commit", "-q", "--allow-empty", "-m", "two")
        git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "shallow")
        opened = open_repository(tmp_path / "shallow")

        assert caveats(opened, opened.resolve()) == (
            "The history is shallow: what was cut off is not there for the tests either.",
        )

    def test_submodules_pointers_and_conversions_are_told(self, tmp_path: Path) -> None:
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
        attributes = "*.bin filter=lfs -text\n*.bat text eol=crlf\n"
        repo = make_repository(
            tmp_path / "repo", {"big.txt": pointer, "x.bat": "a\n", "sub/y": "", "n": "n" * 130}
        )
        write(repo, {".gitattributes": attributes})
        git(repo, "add", ".gitattributes")
        git(repo, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
        git(repo, "commit", "-q", "-m", "odd")
        opened = open_repository(repo)

        assert caveats(opened, opened.resolve()) == (
            "Submodules stay empty and as they are: lib.",
            "Large files (LFS) are there as pointers only: big.txt.",
            "Files are laid out as they were committed: .gitattributes converts nothing.",
        )

    def test_files_are_read_from_commits(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        (repo / "pkg/core.py").write_text("not committed")
        opened = open_repository(repo)
        commit = opened.resolve()

        assert opened.read(commit, "tests/data.json") == b"[2, 3, 5]\n"
        assert opened.read(commit, "pkg/core.py") == b"def add(a, b):\n    return a - b\n"
        assert [opened.read(commit, name) for name in ("pkg", "no", "../x", "*")] == [None] * 4
        assert opened.tree_of(commit) == git(repo, "rev-parse", "HEAD^{tree}")

    def test_uncommitted_changes_are_told_by_name(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        opened = open_repository(repo)
        commit = opened.resolve()
        assert uncommitted(opened, commit) == ()

        write(repo, {"pkg/core.py": "changed", "new.py": "", "ignored/x": "", "staged.py": ""})
        git(repo, "add", "staged.py")
        before = everything(repo)

        assert uncommitted(opened, commit) == ("new.py", "pkg/core.py", "staged.py")
        assert everything(repo) == before


class TestPublishing:
    def test_a_branch_appears_and_nothing_else_changes(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            repo = here.repository.top
            write(repo, {"mine.py": "the person is at work"})
            git(repo, "add", "mine.py")
            write(repo, {"pkg/core.py": "and here too"})
            before = {k: v for k, v in everything(repo).items() if "objects/" not in k}
            write(here.tree, {"pkg/core.py": "fixed"})
            taken = here.copy.checkpoint(1, parent=here.base)
            assert taken

            for _ in range(2):  # repeating is harmless
                here.repository.publish(
                    "jam/fix", taken.commit, source=here.copy.git, base=here.base
                )

            after = {k: v for k, v in everything(repo).items() if "objects/" not in k}
            assert after.keys() - before.keys() == {
                ".git/refs/heads/jam/fix",
                ".git/logs/refs/heads/jam/fix",
            }
            assert {k: after[k] for k in before} == before
            assert git(repo, "show", "jam/fix:pkg/core.py") == "fixed"
            shutil.rmtree(here.copy.git.git_dir or tmp_path)
            assert git(repo, "fsck", "--full", "--strict") == ""

    def test_a_branch_that_holds_something_else_is_not_moved(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            repo = here.repository.top
            first = here.copy.commit(
                here.repository.tree_of(here.base), parent=here.base, message="a", at=1
            )
            git(repo, "branch", "jam/fix")

            with pytest.raises(RequestError, match="is there already and holds something else"):
                here.repository.publish("jam/fix", first, source=here.copy.git, base=here.base)
            with pytest.raises(RequestError, match="is not there any more"):
                here.repository.publish(
                    "gone", first, source=here.copy.git, base=here.base, old=here.base
                )
            here.repository.publish(
                "jam/fix", first, source=here.copy.git, base=here.base, old=here.base
            )
            assert git(repo, "rev-parse", "jam/fix") == first

    def test_a_branch_that_is_checked_out_is_not_moved(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            repo = here.repository.top
            git(repo, "branch", "elsewhere")
            git(repo, "worktree", "add", "-q", str(tmp_path / "work"), "elsewhere")
            git(tmp_path / "work", "checkout", "-q", "--orphan", "unborn")
            commit = here.copy.commit(
                here.repository.tree_of(here.base), parent=here.base, message="a", at=1
            )

            for branch, old in (("main", here.base), ("unborn", None)):
                with pytest.raises(RequestError, match=f"the branch {branch} is checked out"):
                    here.repository.publish(
                        branch, commit, source=here.copy.git, base=here.base, old=old
                    )

    @pytest.mark.parametrize(
        "name", ["-d", "HEAD", "a..b", "a b", "x.lock", "", "a" * 40, "/x", "a//b", "@{-1}"]
    )
    def test_a_name_that_means_something_else_is_refused(self, tmp_path: Path, name: str) -> None:
        opened = open_repository(make_repository(tmp_path / "repo"))

        with opened.reader() as source, pytest.raises(RequestError, match="cannot be the name"):
            opened.publish(name, opened.resolve(), source=source, base=opened.resolve())

    def test_a_branch_in_the_way_of_a_folder_is_told(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            git(here.repository.top, "branch", "jam")
            commit = here.copy.commit(
                here.repository.tree_of(here.base), parent=here.base, message="a", at=1
            )

            with pytest.raises(RequestError, match="jam/fix could not be made"):
                here.repository.publish("jam/fix", commit, source=here.copy.git, base=here.base)

    @pytest.mark.parametrize("other", ["jam", "jam/fix/it"])
    def test_what_has_no_room_beside_a_branch_gets_a_name_that_has(
        self, tmp_path: Path, other: str
    ) -> None:
        with lab(tmp_path) as here:
            repo = here.repository.top
            git(repo, "branch", other)
            publisher = LocalPublisher(
                repository=here.repository, workcopy=here.copy, base=here.base
            )
            tree = here.repository.tree_of(here.base)
            first, second = (
                here.copy.commit(tree, parent=here.base, message=text, at=1) for text in "ab"
            )

            with pytest.raises(RequestError, match=f"cannot be beside the branch {other}: name"):
                here.repository.demand_new("jam/fix")
            assert publisher.publish("jam/fix", first) == "jam-fix"
            assert publisher.publish("jam/fix", first) == "jam-fix"
            assert publisher.publish("jam/fix", second) == "jam-fix-2"
            assert git(repo, "rev-parse", "jam-fix", "jam-fix-2").split() == [first, second]


class TestCheckpoints:
    def test_they_are_kept_found_restored_and_pruned(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            parent = here.base
            for number in (1, 2, 10):
                write(here.tree, {"pkg/core.py": f"try {number}\n"})
                taken = here.copy.checkpoint(number, parent=parent)
                assert taken
                parent = taken.commit
                ref = f"refs/jam/checkpoints/s1/{number}"
                here.repository.keep({ref: parent}, source=here.copy.git, base=here.base)
        opened = here.repository

        assert [(one.number, one.at) for one in opened.checkpoints("s1")] == [
            (1, 1700000001), (2, 1700000002), (10, 1700000003)
        ]  # fmt: skip
        opened.restore_folder("s1", 2, folder=tmp_path / "out")
        assert (tmp_path / "out/pkg/core.py").read_text() == "try 2\n"
        with pytest.raises(RequestError, match="is not empty"):
            opened.restore_folder("s1", 2, folder=tmp_path / "out")
        opened.restore_branch("s1", 10, branch="from-ten")
        assert git(opened.top, "show", "from-ten:pkg/core.py") == "try 10"
        assert "+try 10" in opened.diff(here.base, parent, limit=10_000)
        with pytest.raises(RequestError, match=r"no checkpoint 3 here \(has: 1, 2, 10\)"):
            opened.checkpoint("s1", 3)
        assert (opened.prune("s1"), opened.prune("s1"), opened.checkpoints("s1")) == (3, 0, ())

    @pytest.mark.parametrize("session", ["../heads", "a/b", "", "x.lock", "..", "a\nb"])
    def test_a_session_cannot_name_other_references(self, tmp_path: Path, session: str) -> None:
        opened = open_repository(make_repository(tmp_path / "repo"))

        with pytest.raises(RequestError, match="is not a session's name"):
            opened.prune(session)

    def test_only_jams_own_references_are_written(self, tmp_path: Path) -> None:
        opened = open_repository(make_repository(tmp_path / "repo"))

        with opened.reader() as source, pytest.raises(RequestError, match="is not jam's to write"):
            opened.keep({"refs/heads/main": opened.resolve()}, source=source, base=opened.resolve())


def test_nothing_that_a_repository_brings_is_run(tmp_path: Path) -> None:
    """Hooks, fsmonitor, filters, drivers, aliases, proxies, a promisor: all set, none run."""
    repo = make_repository(tmp_path / "repo")
    canary = tmp_path / "canary"
    set_traps(repo, canary)
    write(repo, {"pkg/core.py": "dirty", ".gitattributes": "* filter=evil diff=evil\n"})
    blob = git(repo, "rev-parse", "HEAD:tests/data.json")
    canary.unlink(missing_ok=True)

    with lab(tmp_path / "lab", repo=repo) as here:
        opened = here.repository
        assert uncommitted(opened, here.base) == (".gitattributes", "pkg/core.py")
        assert caveats(opened, here.base) == ()
        write(here.tree, {"pkg/core.py": "fixed", ".gitattributes": "* filter=evil diff=evil\n"})
        taken = here.copy.checkpoint(1, parent=here.base)
        assert taken
        here.copy.patch(here.base, taken.commit, limit=1000)
        here.copy.discard(here.copy.room(taken.tree, name="a"))
        opened.keep(
            {"refs/jam/checkpoints/s1/1": taken.commit}, source=here.copy.git, base=here.base
        )
        opened.publish("jam/fix", taken.commit, source=here.copy.git, base=here.base)
        opened.diff(here.base, taken.commit, limit=1000)
        opened.prune("s1")
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert "are missing in" in why_not(repo)

    assert not canary.exists()


def test_the_traps_of_these_tests_do_spring(tmp_path: Path) -> None:
    """Else the test above shows nothing."""
    repo = make_repository(tmp_path / "repo")
    set_traps(repo, tmp_path / "canary")

    git(repo, "status", check=False)
    git(repo, "update-ref", "refs/heads/x", "HEAD", check=False)

    said = (tmp_path / "canary").read_text()
    assert "trap.sh" in said
    assert "reference-transaction" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes into what others own")
def test_what_root_publishes_belongs_to_the_repositorys_owner(tmp_path: Path) -> None:
    """Else the owner's own git could not write beside it."""
    repo = make_repository(tmp_path / "repo")
    for path in (repo, *repo.rglob("*")):
        os.chown(path, 4321, 4321, follow_symlinks=False)

    with lab(tmp_path / "lab", repo=repo) as here:
        write(here.tree, {"pkg/core.py": "fixed"})
        taken = here.copy.checkpoint(1, parent=here.base)
        assert taken
        here.repository.publish("jam/fix", taken.commit, source=here.copy.git, base=here.base)

    assert {path.lstat().st_uid for path in repo.rglob("*")} == {4321}
