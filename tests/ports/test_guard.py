"""Frozen files on disk are what the base says, or jam says that they cannot be."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.guard import Guard, Guarded
from bot.core.contract import Gate, Oracle
from bot.core.surface import discover
from bot.errors import TrustError
from tests.ports.gitmade import FILES, Lab, everything, lab, write

ORACLE = Oracle(gates=(Gate(run="python -m pytest -q tests"),), frozen=("tests/",))
SEVERAL = {
    **FILES,
    "tests/run": "#!/bin/sh\n",
    "tests/deep/er/x.json": "{}",
    "pytest.ini": "[pytest]",
}


def guard_of(here: Lab) -> Guard:
    base = here.copy.entries(here.base)
    rules = discover(base, ORACLE, read=lambda path: here.copy.read(here.base, path))
    return here.copy.guard_of(here.base, rules)


def test_an_untouched_checkout_is_left_alone(tmp_path: Path) -> None:
    with lab(tmp_path, SEVERAL) as here:
        before = everything(here.tree)

        assert guard_of(here).restore(here.tree) == Guarded()
        assert everything(here.tree) == before


def _replace_by_link(path: Path, outside: Path) -> None:
    write(outside, {"same": path.read_bytes()})
    path.unlink()
    path.symlink_to(outside / "same")


def _replace_parent(path: Path, outside: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.symlink_to(outside)


def _replace_by_folder(path: Path, _: Path) -> None:
    path.unlink()
    write(path, {"inside/x": "1"})


def _replace_by_pipe(path: Path, _: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _same_size_and_time(path: Path, _: Path) -> None:
    before = path.stat()
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _second_name(path: Path, outside: Path) -> None:
    os.link(path, outside / "second")


def _parent_is_a_file(path: Path, _: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_text("")


def _sparse(path: Path, _: Path) -> None:
    os.truncate(path, 1 << 40)


DEEDS: dict[str, Callable[[Path, Path], object]] = {
    "edited": lambda path, _: path.write_text("tampered"),
    "edited to the same size and time": _same_size_and_time,
    "emptied": lambda path, _: path.write_bytes(b""),
    "grown without end": _sparse,
    "removed": lambda path, _: path.unlink(),
    "made executable": lambda path, _: path.chmod(0o755),
    "made unreadable": lambda path, _: path.chmod(0),
    "made setuid": lambda path, _: path.chmod(0o4644),
    "a link to outside": _replace_by_link,
    "a folder": _replace_by_folder,
    "a pipe": _replace_by_pipe,
    "given a second name": _second_name,
    "its folder removed": lambda path, _: shutil.rmtree(path.parent),
    "its folder a link": _replace_parent,
    "its folder a file": _parent_is_a_file,
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=list(DEEDS))
def test_whatever_was_done_is_undone(tmp_path: Path, deed: Callable[[Path, Path], object]) -> None:
    with lab(tmp_path, SEVERAL) as here:
        before = everything(here.tree)
        outside = tmp_path / "outside"
        write(outside, {"theirs": "theirs", "x.json": "theirs"})
        deed(here.tree / "tests/deep/er/x.json", outside)

        done = guard_of(here).restore(here.tree)

        assert done.restored == ("tests/deep/er/x.json",)
        assert everything(here.tree) == before
        found = (here.tree / "tests/deep/er/x.json").lstat()
        assert (found.st_mode & 0o7777, found.st_nlink) == (0o644, 1)
        assert (outside / "theirs").read_text() == "theirs"
        assert (outside / "x.json").read_text() == "theirs"
        assert guard_of(here).restore(here.tree) == Guarded()


def test_a_link_is_frozen_by_its_target(tmp_path: Path) -> None:
    with lab(tmp_path, SEVERAL) as here:
        (here.tree / "tests/link").symlink_to("data.json")
        taken = here.copy.checkpoint(1, parent=here.base)
        assert taken
        base = here.copy.entries(taken.tree)
        guard = here.copy.guard_of(taken.tree, discover(base, ORACLE, read=lambda _: None))
        for target in ("run", None):
            (here.tree / "tests/link").unlink()
            if target:
                (here.tree / "tests/link").symlink_to(target)
            else:
                (here.tree / "tests/link").write_text("data.json")

            assert guard.restore(here.tree).restored == ("tests/link",)
            assert (here.tree / "tests/link").readlink() == Path("data.json")


def test_what_is_new_in_a_closed_folder_or_steers_the_oracle_is_removed(tmp_path: Path) -> None:
    with lab(tmp_path, SEVERAL) as here:
        write(here.tree, {
            "tests/conftest.py": "", "conftest.py": "", "ignored/conftest.py": "",
            "pytest.toml": "",
            "tests/ignored/helper.py": "", "tests/__pycache__/test_core.cpython-311.pyc": "",
            "sitecustomize.py": "", "pkg/new.py": "", "x.egg-info/entry_points.txt": "",
        })  # fmt: skip
        os.mkfifo(here.tree / "tests/pipe")
        (here.tree / "tests/sub").symlink_to("/etc")

        done = guard_of(here).restore(here.tree)

        assert done == Guarded(
            removed=(
                "conftest.py", "ignored/conftest.py", "pytest.toml", "sitecustomize.py",
                "tests/conftest.py", "tests/ignored/helper.py", "tests/pipe", "tests/sub",
                "x.egg-info/entry_points.txt",
            ),
            swept=1,
        )  # fmt: skip
        assert (here.tree / "pkg/new.py").exists()


def test_what_setup_made_is_nobodys_intruder(tmp_path: Path) -> None:
    with lab(tmp_path, SEVERAL) as here:
        base = here.repository.tree_of(here.base)
        room = here.copy.room(base, name="setup")
        write(room, {"pkg.egg-info/PKG-INFO": "1", "venv/lib/conftest.py": "1"})
        here.copy.use_layer(here.copy.capture_layer(room, base))
        here.copy.lay(here.base)

        assert guard_of(here).restore(here.tree) == Guarded()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file immutable")
def test_what_cannot_be_put_back_is_an_error(tmp_path: Path) -> None:
    with lab(tmp_path, SEVERAL) as here:
        path = here.tree / "tests/data.json"
        path.write_text("tampered")
        if subprocess.run(["chattr", "+i", path], capture_output=True).returncode:
            pytest.skip("this file system knows no immutable files")
        try:
            with pytest.raises(TrustError, match=r"tests/data.json cannot be put back: Operation"):
                guard_of(here).restore(here.tree)
        finally:
            subprocess.run(["chattr", "-i", path], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands files over")
def test_what_is_put_back_belongs_to_the_owner_of_the_checkout(tmp_path: Path) -> None:
    with lab(tmp_path, SEVERAL) as here:
        os.chown(here.tree, 4321, 4321)
        shutil.rmtree(here.tree / "tests")

        guard_of(here).restore(here.tree)

        assert {path.lstat().st_uid for path in (here.tree / "tests").rglob("*")} == {4321}
        assert (here.tree / "tests").stat().st_uid == 4321
