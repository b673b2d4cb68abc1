"""The agent's checkout: laid exactly, taken byte for byte, whatever the agent made of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.adapters import gitdir
from bot.adapters.snapshot import is_git_name
from bot.core.tree import FileChange, TreeEntry
from bot.errors import SessionBusy
from bot.ports import Checkpoint
from tests.ports.gitmade import FILES, Lab, git, lab, make_repository, set_traps, write


def take(here: Lab, number: int = 1, *, parent: str = "") -> Checkpoint:
    taken = here.copy.checkpoint(number, parent=parent or here.base)
    assert taken is not None
    return taken


def on_disk(tree: Path) -> set[str]:
    found = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if not path.is_dir()}
    return {name for name in found if not name.startswith(".git/")}


class TestLaying:
    def test_the_checkout_is_exactly_the_commit(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            assert on_disk(here.tree) == set(FILES)
            assert here.copy.checkpoint(1, parent=here.base) is None
            assert here.adopted == [here.tree]

    def test_laying_again_undoes_whatever_was_done(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            outside = tmp_path / "outside"
            write(outside, {"test_core.py": "theirs"})
            write(here.tree, {"new/x": "", "ignored/y": "", "pkg/core.py": "changed"})
            (here.tree / "tests/test_core.py").unlink()
            (here.tree / "tests/data.json").unlink()
            (here.tree / "tests").rmdir()
            (here.tree / "tests").symlink_to(outside)
            (here.tree / "pkg/__init__.py").unlink()
            (here.tree / "pkg/__init__.py").mkdir()
            os.mkfifo(here.tree / ".gitattributes")
            os.link(here.tree / ".gitignore", here.tree / "second-name")

            here.copy.lay(here.base)

            assert on_disk(here.tree) == set(FILES)
            assert here.copy.checkpoint(1, parent=here.base) is None
            assert (outside / "test_core.py").read_text() == "theirs"

    def test_closed_files_and_folders_are_laid_anew(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            (here.tree / "pkg/core.py").chmod(0)
            (here.tree / "tests").chmod(0)

            here.copy.lay(here.base)

            assert (here.tree / "pkg/core.py").stat().st_mode & 0o777 == 0o644
            assert (here.tree / "tests").stat().st_mode & 0o700 == 0o700

    def test_a_file_that_did_not_change_is_not_written_again(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            before = (here.tree / "pkg/core.py").stat()
            write(here.tree, {"tests/data.json": "x"})

            here.copy.lay(here.base)

            assert (here.tree / "pkg/core.py").stat() == before

    def test_a_checkpoint_can_be_laid(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"pkg/new.py": "1"})
            taken = take(here)
            here.copy.lay(here.base)

            here.copy.lay(taken.commit)

            assert on_disk(here.tree) == {*FILES, "pkg/new.py"}
            assert here.copy.checkpoint(2, parent=taken.commit) is None


class TestTaking:
    def test_the_tree_is_taken_as_it_was_left(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"pkg/core.py": "fixed\n", "new/deep/a.py": "1\n", "ignored/x": "2"})
            (here.tree / "tests/data.json").unlink()
            (here.tree / "pkg/__init__.py").chmod(0o755)
            (here.tree / "link").symlink_to("/nowhere/at/all")

            taken = take(here)

            assert here.copy.changes(here.base, taken.commit) == (
                FileChange("link", 1, 0, "", "120000"),
                FileChange("new/deep/a.py", 1, 0, "", "100644"),
                FileChange("pkg/__init__.py", 0, 0, "100644", "100755"),
                FileChange("pkg/core.py", 1, 2, "100644", "100644"),
                FileChange("tests/data.json", 0, 1, "100644", ""),
            )
            assert (taken.changed, taken.left_out) == (5, ())
            assert here.copy.read(taken.commit, "link") == b"/nowhere/at/all"
            assert here.copy.read(taken.commit, "tests/data.json") is None

    def test_repeating_gives_the_same_commit(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"pkg/core.py": "fixed"})
            first = take(here)

            assert take(here) == first
            ref = git(here.copy.place.state / "git", "rev-parse", "refs/jam/checkpoints/s1/1")
            assert ref == first.commit

    def test_a_change_that_was_taken_back_is_no_change(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"pkg/core.py": "x", "new.py": ""})
            take(here)
            write(here.tree, {"pkg/core.py": FILES["pkg/core.py"]})
            (here.tree / "new.py").unlink()

            assert here.copy.checkpoint(2, parent=here.base) is None

    @pytest.mark.parametrize(
        "content",
        [
            b"a\r\nb\r\n",
            b"\xef\xbb\xbfx",
            b"\xff\xfea\x00",
            b"$Id$ $Id: x $\n",
            b"\0\1\2" * 999,
            b"",
        ],
        ids=["crlf", "byte order mark", "utf-16", "keyword", "binary", "empty"],
    )
    def test_bytes_are_kept_whatever_attributes_say(self, tmp_path: Path, content: bytes) -> None:
        attributes = "* text=auto eol=lf ident working-tree-encoding=UTF-16 filter=none\n"
        with lab(tmp_path) as here:
            write(here.tree, {".gitattributes": attributes, "b.txt": content})

            taken = take(here)

            assert here.copy.read(taken.commit, "b.txt") == content
            here.copy.lay(here.base)
            here.copy.lay(taken.commit)
            assert (here.tree / "b.txt").read_bytes() == content
            assert here.copy.checkpoint(2, parent=taken.commit) is None

    @pytest.mark.parametrize(
        "name",
        [
            b"with space", b"new\nline", b"tab\t", b'quo"te', b"\xff\xfe", "émoji 🎉".encode(),
            b"-dash", b":colon", b":(glob)x", b"*", b"[a]", b"back\\slash", b"!neg", b"#hash",
            b"a/b c/\xe9", b"x" * 255,
        ],
    )  # fmt: skip
    def test_odd_names_survive(self, tmp_path: Path, name: bytes) -> None:
        with lab(tmp_path) as here:
            path = here.tree / os.fsdecode(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("odd")
            text = name.decode("utf-8", "surrogateescape")

            taken = take(here)

            assert (here.names(taken.commit) - set(FILES), taken.left_out) == ({text}, ())
            assert here.copy.read(taken.commit, text) == b"odd"
            here.copy.lay(here.base)
            here.copy.lay(taken.commit)
            assert path.read_text() == "odd"

    def test_a_rename_of_case_only_is_two_changes(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            (here.tree / "pkg/core.py").rename(here.tree / "pkg/Core.py")

            changed = here.copy.changes(here.base, take(here).commit)

            assert [change.path for change in changed] == ["pkg/Core.py", "pkg/core.py"]

    def test_a_folder_becomes_a_link_and_a_link_a_folder(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            (here.tree / "tests").rename(here.tree / "moved")
            (here.tree / "tests").symlink_to("moved")
            first = take(here)
            assert here.names(first.commit) - set(FILES) == {
                "tests", "moved/test_core.py", "moved/data.json"
            }  # fmt: skip
            assert "tests/data.json" not in here.names(first.commit)

            (here.tree / "tests").unlink()
            write(here.tree, {"tests/inside.py": "1"})
            second = take(here, 2, parent=first.commit)

            assert here.names(second.commit) >= {"tests/inside.py", "moved/data.json"}
            assert "tests" not in here.names(second.commit)

    def test_a_link_to_outside_is_a_link_and_never_what_it_names(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(tmp_path, {"secret/key": "s3cret"})
            (here.tree / "pkg/core.py").unlink()
            (here.tree / "pkg/core.py").symlink_to(tmp_path / "secret/key")
            (here.tree / "all").symlink_to(tmp_path / "secret")

            taken = take(here)

            target = str(tmp_path / "secret").encode()
            assert here.copy.read(taken.commit, "pkg/core.py") == target + b"/key"
            assert here.copy.read(taken.commit, "all") == target
            assert "s3cret" not in here.copy.patch(here.base, taken.commit, limit=9999)

    def test_ignored_files_and_droppings_of_tools_stay_out(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"ignored/a": "", "x.log": "", "pkg/__pycache__/core.pyc": ""})
            write(here.tree, {".pytest_cache/v/lastfailed": "", "pkg/.gitignore": "*.tmp\n"})
            write(here.tree, {"pkg/a.tmp": "", "deep/pkg/b.log": "", "deep/pkg/b.txt": ""})

            assert here.names(take(here).commit) - set(FILES) == {
                "pkg/.gitignore", "deep/pkg/b.txt"
            }  # fmt: skip

    def test_a_known_file_is_taken_though_it_is_ignored(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {".gitignore": "*\n", "pkg/core.py": "fixed", "pkg/new.py": ""})

            changed = here.copy.changes(here.base, take(here).commit)

            assert [change.path for change in changed] == [".gitignore", "pkg/core.py"]

    def test_deep_new_folders_are_taken(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            deep = "/".join("d" * 40)
            write(here.tree, {f"{deep}/x.py": "1", f"{deep}/ignored/y": "", f"{deep}/z.log": ""})

            assert here.names(take(here).commit) - set(FILES) == {f"{deep}/x.py"}


class TestWhatGitCannotHold:
    def test_it_is_left_out_by_name(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            os.mkfifo(here.tree / "pipe")
            (here.tree / "pkg/core.py").unlink()
            os.mkfifo(here.tree / "pkg/core.py")
            write(here.tree, {".Git/config": "", "sub/.git/config": "", "pkg/GIT~1": ""})
            with (here.tree / "huge").open("wb") as file:
                file.truncate((100 << 20) + 1)
            with (here.tree / "tests/data.json").open("wb") as file:
                file.truncate((100 << 20) + 1)

            taken = take(here)

            reserved, special = "a name that git keeps for itself", "neither a file nor a link"
            assert taken.left_out == (
                (".Git", reserved),
                ("huge", "larger than 100 MB"),
                ("pipe", special),
                ("pkg/GIT~1", reserved),
                ("pkg/core.py", special),
                ("sub/.git", reserved),
                ("tests/data.json", "larger than 100 MB"),
            )
            assert here.names(taken.commit) == set(FILES) - {"pkg/core.py"}
            assert here.copy.read(taken.commit, "tests/data.json") == b"[2, 3, 5]\n"

    @pytest.mark.parametrize("name", [".gitignore", ".gitattributes", "pkg/.gitignore"])
    def test_a_pipe_where_git_reads_does_not_stop_it(self, tmp_path: Path, name: str) -> None:
        with lab(tmp_path) as here:
            (here.tree / name).unlink(missing_ok=True)
            os.mkfifo(here.tree / name)
            write(here.tree, {"pkg/new.py": "1", "newer/x.py": "2"})

            taken = take(here)

            assert taken.left_out == ((name, "neither a file nor a link"),)
            assert here.names(taken.commit) >= {"pkg/new.py", "newer/x.py"}

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            (b".git", True), (b".GIT", True), (b".git ", True), (b".git.", True),
            (b"git~1", True), (b".git::$INDEX_ALLOCATION", True), (b"a\\.git", True),
            (".g\u200cit".encode(), True), ("\ufeff.git".encode(), True),
            (b".gitignore", False), (b"git", False), (b".github", False), (b"git~12", False),
        ],
    )  # fmt: skip
    def test_names_that_some_system_takes_for_gits_own(self, name: bytes, meant: bool) -> None:
        assert is_git_name(name) is meant

    def test_submodules_stay_and_what_is_inside_is_told(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        git(repo, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib/sub")
        git(repo, "commit", "-q", "-m", "with a submodule")
        with lab(tmp_path, repo=repo) as here:
            assert here.copy.checkpoint(1, parent=here.base) is None
            write(here.tree, {"lib/sub/.git/refs/x": "", "lib/sub/.git/objects/x": ""})
            os.mkfifo(here.tree / "lib/sub/.git/HEAD")  # git would wait for it, if it looked
            write(here.tree, {"lib/sub/x.py": "1", "lib/beside.py": "1"})

            taken = take(here)

            assert taken.left_out == (("lib/sub", "inside a submodule"),)
            entry = here.copy.entries(taken.commit)["lib/sub"]
            assert entry == TreeEntry("lib/sub", "160000", "1" * 40)
            assert "lib/beside.py" in here.names(taken.commit)


class TestHostileCheckouts:
    def test_an_embedded_repository_gives_its_files_and_runs_nothing(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            canary = tmp_path / "canary"
            inner = make_repository(here.tree / "vendored", {"a.py": "1", "b/c.py": "2"})
            set_traps(inner, canary)
            canary.unlink(missing_ok=True)
            for number in (1, 2, 3):
                write(here.tree, {"vendored/a.py": str(number)})
                taken = take(here, number)
            here.copy.lay(here.base)

            assert not canary.exists()
            assert here.names(taken.commit) - set(FILES) == {
                "trap.sh", "vendored/a.py", "vendored/b/c.py"
            }  # fmt: skip
            assert taken.left_out == (("vendored/.git", "a name that git keeps for itself"),)

    def test_a_pipe_inside_an_embedded_repository_stops_nothing(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"emb/.git/refs/heads/x": "", "emb/.git/objects/x": "", "emb/a": "1"})
            os.mkfifo(here.tree / "emb/.git/HEAD")

            assert "emb/a" in here.names(take(here).commit)

    def test_what_the_agent_told_its_own_git_is_not_heard(self, tmp_path: Path) -> None:
        """Skip-worktree, replaced objects, excludes, hooks and a commit of its own."""
        with lab(tmp_path) as here:
            canary = tmp_path / "canary"
            git(here.tree, "update-index", "--skip-worktree", "pkg/core.py")
            blobs = [
                git(here.tree, "rev-parse", f"HEAD:{n}") for n in ("pkg/core.py", ".gitignore")
            ]
            git(here.tree, "replace", *blobs)
            (here.tree / ".git/info/exclude").write_text("*\n")
            set_traps(here.tree, canary)
            write(here.tree, {"pkg/core.py": "fixed", "new.py": "1"})
            canary.unlink(missing_ok=True)

            taken = take(here)

            assert [c.path for c in here.copy.changes(here.base, taken.commit)] == [
                "new.py", "pkg/core.py"
            ]  # fmt: skip
            assert not canary.exists()

    def test_a_gitfile_or_link_in_place_of_its_git_leads_nowhere(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            other = make_repository(tmp_path / "other", {"o": ""})
            subprocess.run(["rm", "-rf", here.tree / ".git"], check=True)
            (here.tree / ".git").symlink_to(other / ".git")
            write(here.tree, {"pkg/core.py": "fixed"})

            taken = take(here)
            here.copy.lay(taken.commit)

            assert git(other, "status", "--porcelain") == ""
            assert (here.tree / ".git").is_dir()
            assert not (here.tree / ".git").is_symlink()

    def test_very_deep_folders_can_be_left_out_and_removed(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            script = "import os\nfor _ in range(600):\n os.mkdir('d' * 9); os.chdir('d' * 9)"
            subprocess.run([sys.executable, "-c", script], cwd=here.tree, check=True)
            write(here.tree, {"pkg/core.py": "fixed"})

            taken = take(here)
            here.copy.lay(here.base)

            assert [why for _, why in taken.left_out] == ["too deep to be named"]
            assert on_disk(here.tree) == set(FILES)


class TestComposing:
    def test_the_files_of_a_tree_are_listed_once_and_the_last_few_are_kept(
        self, tmp_path: Path
    ) -> None:
        with lab(tmp_path) as here:
            base = here.copy.entries(here.base)
            made = []
            for number in range(1, 5):
                write(here.tree, {"pkg/core.py": f"value = {number}"})
                made.append(take(here, number, parent=made[-1] if made else "").commit)
                here.copy.entries(made[-1])
                assert here.copy.entries(here.base) is base  # asked for again and again

            first = here.copy.entries(made[0])
            assert first == {**base, "pkg/core.py": first["pkg/core.py"]}
            assert first["pkg/core.py"] != base["pkg/core.py"]
            assert len(here.copy._entries) == 4

    def test_entries_are_put_and_dropped_without_a_checkout(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.copy.entries(here.base)
            write(here.tree, {"tests/data.json": "[]", "conftest.py": "", "pkg/core.py": "fixed"})
            taken = take(here)

            tree = here.copy.compose(
                taken.tree, put=[base["tests/data.json"]], drop=["conftest.py"]
            )

            assert [c.path for c in here.copy.changes(here.base, tree)] == ["pkg/core.py"]
            assert here.copy.compose(taken.tree, put=[], drop=[]) == taken.tree

    def test_a_file_and_a_folder_change_places(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.copy.entries(here.base)
            frozen = [entry for path, entry in base.items() if path.startswith("tests/")]
            for path in ("tests/test_core.py", "tests/data.json"):
                (here.tree / path).unlink()
            (here.tree / "tests").rmdir()
            (here.tree / "tests").write_text("now a file")
            taken = take(here)

            tree = here.copy.compose(taken.tree, put=frozen, drop=["tests"])

            assert here.copy.changes(here.base, tree) == ()

    def test_commits_are_the_same_for_the_same_arguments(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            tree = here.repository.tree_of(here.base)
            one = here.copy.commit(tree, parent=here.base, message="Sübject\n\nBody\n", at=1)
            time.sleep(1.1)

            again = here.copy.commit(tree, parent=here.base, message="Sübject\n\nBody\n", at=1)
            later = here.copy.commit(tree, parent=here.base, message="Sübject\n\nBody\n", at=2)

            assert (one == again, one == later) == (True, False)

    def test_binary_changes_have_no_lines_and_patches_are_bounded(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"b.bin": b"\0\1", "pkg/core.py": "line\n" * 5000})
            taken = take(here)

            assert here.copy.changes(here.base, taken.commit)[0] == FileChange(
                "b.bin", None, None, "", "100644"
            )
            patch = here.copy.patch(here.base, taken.commit, limit=500)
            assert len(patch) <= 500
            assert patch.endswith("+line\n(cut here: the change is longer)\n")
            assert "cut here" not in here.copy.patch(here.base, taken.commit, limit=50_000)

    def test_the_checkout_is_restored_without_writing_through_links(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.copy.entries(here.base)
            outside = tmp_path / "outside"
            write(outside, {"data.json": "theirs", "conftest.py": "theirs"})
            subprocess.run(["rm", "-rf", here.tree / "tests"], check=True)
            (here.tree / "tests").symlink_to(outside)
            frozen = [entry for path, entry in base.items() if path.startswith("tests/")]

            here.copy.restore(put=frozen, drop=["tests/conftest.py"])

            assert (here.tree / "tests/data.json").read_text() == "[2, 3, 5]\n"
            assert (outside / "data.json").read_text() == "theirs"
            assert (outside / "conftest.py").read_text() == "theirs"
            assert here.copy.checkpoint(1, parent=here.base) is None


class TestCrashes:
    def test_a_second_process_is_told_that_the_session_is_busy(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            second = lab(tmp_path, repo=here.repository.top)
            with pytest.raises(SessionBusy), second:
                pass

    def test_a_torn_index_is_made_anew(self, tmp_path: Path) -> None:
        for torn in (b"", b"DIRC\0\0\0\2", b"nonsense" * 100):
            at = tmp_path / str(len(torn))
            with lab(at) as here:
                write(here.tree, {"pkg/core.py": "fixed", "new.py": ""})
                here.copy.checkout._known = None
                (here.copy.place.state / "git/index").write_bytes(torn)

                assert here.names(take(here).commit) == {*FILES, "new.py"}

    @pytest.mark.slow
    def test_a_kill_in_the_middle_of_a_checkpoint_loses_nothing(self, tmp_path: Path) -> None:
        repo = make_repository(
            tmp_path / "repo", {f"d{i}/f{j}": f"{i}" for i in range(20) for j in range(20)}
        )
        for delay in (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15):
            at = tmp_path / f"after-{delay}"
            at.mkdir()
            child = subprocess.Popen(
                [sys.executable, "-c", _WORKER, str(repo), str(at)], stdout=subprocess.PIPE
            )
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            time.sleep(delay)
            child.send_signal(signal.SIGKILL)
            child.wait()
            child.stdout.close()

            _goes_on(repo, at)


def _goes_on(repo: Path, at: Path) -> None:
    from bot.adapters.repository import open_repository
    from bot.adapters.workcopy import Place, open_workcopy

    opened = open_repository(repo)
    base = opened.resolve()
    place = Place(state=at / "state", tree=at / "tree", rooms=(at / "rooms",))
    with open_workcopy(opened, session="s1", base=base, place=place, adopt=lambda _: None) as copy:
        taken = copy.checkpoint(1, parent=base)
        assert taken is not None
        assert taken.changed == 400
        assert git(at / "state/git", "fsck", "--no-dangling", taken.commit) == ""
        assert list((at / "state/git").rglob("*.lock")) == []
        assert not gitdir._in_memory(at / "state/git").exists()


_WORKER = """
import sys
from pathlib import Path
from bot.adapters.repository import open_repository
from bot.adapters.workcopy import Place, open_workcopy
repo, at = map(Path, sys.argv[1:])
opened = open_repository(repo)
base = opened.resolve()
place = Place(state=at / "state", tree=at / "tree", rooms=(at / "rooms",))
with open_workcopy(opened, session="s1", base=base, place=place, adopt=lambda _: None) as copy:
    copy.lay(base)
    for path in copy.tree_path.rglob("d*/f*"):
        path.write_text("changed")
    print("ready", flush=True)
    for number in range(1, 100):
        copy.checkpoint(1, parent=base)
        (copy.tree_path / "d1/f1").write_text(f"again {number}")
"""
