"""Clean rooms hold one tree, what setup made, and a git of their own that tells nothing new."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.adapters import gitdir
from bot.adapters.rooms import Rooms
from bot.errors import DiskFull, StateUnusable
from tests.ports.gitmade import FILES, Lab, everything, git, lab, make_repository, write


def take(here: Lab) -> str:
    taken = here.copy.checkpoint(1, parent=here.base)
    assert taken is not None
    return taken.tree


def files(room: Path) -> dict[str, bytes | str]:
    return {name: held for name, held in everything(room).items() if not name.startswith(".git/")}


class TestARoom:
    def test_it_holds_exactly_the_tree(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            write(here.tree, {"pkg/core.py": "fixed\r\n", "ignored/x": "left behind"})
            (here.tree / "run").write_text("#!/bin/sh\n")
            (here.tree / "run").chmod(0o755)
            (here.tree / "link").symlink_to("pkg/core.py")

            room = here.copy.room(take(here), name="judge")

            kept = {name: text.encode() for name, text in FILES.items()}
            new = {"pkg/core.py": b"fixed\r\n", "run": b"#!/bin/sh\n", "link": "pkg/core.py"}
            assert files(room) == {**kept, **new}
            assert os.access(room / "run", os.X_OK)
            assert room not in here.tree.parents
            assert here.adopted[-1] == room

    def test_the_same_name_again_replaces_the_old_one(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.repository.tree_of(here.base)
            first = here.copy.room(base, name="judge")
            write(first, {"left": "by a test", "pkg/core.py": "changed"})

            again = here.copy.room(base, name="judge")

            assert again == first
            assert files(again) == {name: text.encode() for name, text in FILES.items()}

    def test_it_is_gone_when_discarded_however_it_was_left(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            room = here.copy.room(here.repository.tree_of(here.base), name="judge")
            write(tmp_path / "outside", {"kept": "1"})
            (room / "out").symlink_to(tmp_path / "outside")
            (room / "pkg").chmod(0)
            os.mkfifo(room / "pipe")

            here.copy.discard(room)

            assert not room.exists()
            assert (tmp_path / "outside/kept").read_text() == "1"

    def test_nothing_but_a_room_is_discarded(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            for place in (here.tree, tmp_path, here.copy.place.rooms[0]):
                with pytest.raises(ValueError, match="is not a room of this session"):
                    here.copy.discard(place)
            with pytest.raises(ValueError, match="is not a name for a room"):
                here.copy.rooms.room(here.repository.tree_of(here.base), name="../tree")

    def test_a_place_that_is_too_small_is_passed_over(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            nowhere = Path("/proc")  # no space at all
            rooms = Rooms(
                git=here.copy.git,
                base=here.copy.rooms.base,
                places=(nowhere,),
                template=here.copy.rooms.template,
                adopt=lambda _: None,
            )

            with pytest.raises(DiskFull, match=r"a clean room needs \d+ MB free .* /proc"):
                rooms.room(here.repository.tree_of(here.base), name="judge")


class TestItsGit:
    def test_it_is_clean_and_describes_itself_by_the_tags_of_the_base(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        git(repo, "tag", "-a", "v1.0", "-m", "one")
        git(repo, "commit", "-q", "--allow-empty", "-m", "after it")
        git(repo, "tag", "light")
        with lab(tmp_path, repo=repo) as here:
            at_base = here.copy.room(here.repository.tree_of(here.base), name="base")
            write(here.tree, {"pkg/core.py": "fixed", "new/x": "1"})
            changed = here.copy.room(take(here), name="changed")

            assert git(at_base, "rev-parse", "HEAD") == here.base
            assert git(at_base, "describe", "--tags") == "light"
            assert git(changed, "describe", "--long").startswith("v1.0-2-g")
            for room in (at_base, changed, here.tree):
                if room != here.tree:
                    assert git(room, "status", "--porcelain", "--ignored") == ""
                assert git(room, "fsck", "--full") == ""
                assert git(room, "remote") == ""
                assert "after it" in git(room, "log", "--oneline")

    def test_it_holds_nothing_that_came_after_the_base(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "repo")
        base = git(repo, "rev-parse", "HEAD")
        write(repo, {"pkg/core.py": "the fix that upstream made"})
        git(repo, "commit", "-qam", "Fix it")
        git(repo, "tag", "v2")
        fix = git(repo, "rev-parse", "HEAD:pkg/core.py")
        git(repo, "checkout", "-q", base)
        with lab(tmp_path, repo=repo) as here:
            room = here.copy.room(here.repository.tree_of(base), name="judge")

            for place in (room, here.tree):
                assert git(place, "cat-file", "-t", fix, check=False) == ""
                assert git(place, "tag") == ""
                assert git(place, "log", "--all", "--format=%s") == "Begin"

    def test_a_large_history_is_lent_and_not_copied(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            assert here.copy.readable == ()
            here.copy.rooms.copy_bytes = 0
            room = here.copy.room(here.repository.tree_of(here.base), name="judge")

            assert here.copy.readable == (here.copy.rooms.template / "objects",)
            assert list((room / ".git/objects/pack").iterdir()) == []
            assert git(room, "log", "--format=%s") == "Begin"

    def test_a_shallow_history_stays_shallow(self, tmp_path: Path) -> None:
        repo = make_repository(tmp_path / "full")
        git(repo, "commit", "-q", "--allow-empty", "-m", "two")
        git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "shallow")
        with lab(tmp_path, repo=tmp_path / "shallow") as here:
            room = here.copy.room(here.repository.tree_of(here.base), name="judge")

            assert git(room, "log", "--format=%s") == "two"
            assert git(room, "fsck") == ""

    def test_an_agent_may_use_it_and_is_laid_a_new_one(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            git(here.tree, "commit", "-q", "--allow-empty", "-m", "mine")
            git(here.tree, "checkout", "-q", "-b", "topic")
            here.copy.lay(here.base)

            assert git(here.tree, "log", "--all", "--format=%s") == "Begin"
            assert git(here.tree, "status", "--porcelain") == ""


class TestTheSetupLayer:
    def prepared(self, here: Lab) -> Path:
        room = here.copy.room(here.repository.tree_of(here.base), name="setup")
        write(room, {
            "pkg.egg-info/PKG-INFO": "Name: pkg\n", "ignored/built.so": b"\x7fELF",
            "pkg/_v.py": "1",
            "pkg/__pycache__/core.pyc": "stale", "venv/lib/__pycache__/x.pyc": "kept",
            ".pytest_cache/lastfailed": "x", ".git/hooks/pre-commit": "x", "pkg/core.py": "edited",
        })  # fmt: skip
        (room / "venv/bin").mkdir()
        (room / "venv/bin/python").symlink_to("/usr/bin/python3")
        (room / "venv/empty").mkdir()
        (room / "ignored/built.so").chmod(0o755)
        os.utime(room / "pkg/_v.py", ns=(1, 1_500_000_000_123_456_789))
        return room

    MADE = frozenset({
        "pkg.egg-info/PKG-INFO", "ignored/built.so", "pkg/_v.py", "venv/bin/python", "venv/empty",
        "venv/lib/__pycache__/x.pyc",
    })  # fmt: skip

    def test_it_is_what_setup_made_and_no_byte_code_beside_sources(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            layer = here.copy.capture_layer(self.prepared(here), here.repository.tree_of(here.base))

            assert {path.decode() for path in layer.made} == self.MADE
            assert here.copy.load_layer(layer.digest) == layer

    def test_every_room_has_it_as_it_was(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.repository.tree_of(here.base)
            here.copy.use_layer(here.copy.capture_layer(self.prepared(here), base))

            room = here.copy.room(base, name="judge")

            assert files(room).keys() == (set(FILES) | self.MADE) - {"venv/empty"}
            assert (room / "venv/empty").is_dir()
            assert (room / "pkg/core.py").read_text() == FILES["pkg/core.py"]
            assert (room / "pkg/_v.py").stat().st_mtime_ns == 1_500_000_000_123_456_789
            assert os.access(room / "ignored/built.so", os.X_OK)

    def test_it_is_in_the_checkout_and_in_no_checkpoint(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.repository.tree_of(here.base)
            here.copy.use_layer(here.copy.capture_layer(self.prepared(here), base))
            here.copy.lay(here.base)

            assert here.copy.checkpoint(1, parent=here.base) is None
            write(here.tree, {"pkg/_v.py": "tampered", "pkg/core.py": "fixed"})
            taken = here.copy.checkpoint(1, parent=here.base)

            assert taken is not None
            why = "made by setup, which is laid out anew for every judgement"
            assert (taken.changed, taken.left_out) == (1, (("pkg/_v.py", why),))
            here.copy.lay(here.base)
            assert (here.tree / "pkg/_v.py").read_text() == "1"

    def test_the_tree_wins_and_nothing_is_written_through_its_links(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.repository.tree_of(here.base)
            layer = here.copy.capture_layer(self.prepared(here), base)
            outside = tmp_path / "outside"
            write(outside, {"kept": "1"})
            write(here.tree, {"pkg/_v.py": "the candidate's own"})
            (here.tree / "pkg.egg-info").symlink_to(outside)
            tree = take(here)
            here.copy.use_layer(layer)

            room = here.copy.room(tree, name="judge")

            assert (room / "pkg/_v.py").read_text() == "the candidate's own"
            assert everything(outside) == {"kept": b"1"}

    def test_its_digest_is_of_what_it_is_and_not_of_when(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.repository.tree_of(here.base)
            one = here.copy.capture_layer(self.prepared(here), base)
            again = here.copy.capture_layer(self.prepared(here), base)
            room = self.prepared(here)
            (room / "pkg/_v.py").write_text("2")
            other = here.copy.capture_layer(room, base)

            assert (one.digest == again.digest, one.digest == other.digest) == (True, False)

    def test_one_that_was_lost_or_changed_is_not_used(self, tmp_path: Path) -> None:
        with lab(tmp_path) as here:
            base = here.repository.tree_of(here.base)
            layer = here.copy.capture_layer(self.prepared(here), base)
            with pytest.raises(StateUnusable, match="no longer"):
                here.copy.load_layer("0" * 64)
            (layer.folder / "made.json").write_text("{}")

            with pytest.raises(StateUnusable, match="was changed"):
                here.copy.load_layer(layer.digest)


def test_a_git_directory_is_made_once_and_whole(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    gitdir.make(tmp_path / "git", borrow=repo / ".git/objects")
    (tmp_path / "git/mark").touch()

    gitdir.make(tmp_path / "git", borrow=repo / ".git/objects")

    assert (tmp_path / "git/mark").exists()
    assert [path.name for path in tmp_path.iterdir() if "making" in path.name] == []
