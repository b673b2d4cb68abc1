"""
Folders that a stranger may have arranged: walked, removed and written into without ever following
a link, opening a pipe or trusting a path to mean the same twice.

Knows nothing of git and decides nothing about what belongs where.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

#: A longer path cannot be opened by name; nobody keeps work that deep.
MAX_PATH = 3800


def entries(folder: bytes) -> list[os.DirEntry[bytes]]:
    """What is in ``folder``. A folder that its owner closed is opened first."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except PermissionError:
        unlock(folder)
        with os.scandir(folder) as found:
            return list(found)


def unlock(folder: bytes, *, at: int | None = None) -> None:
    """Make a folder that we own accessible to us. Never reaches through a link."""
    held = os.open(folder, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=at)
    try:
        os.chmod(f"/proc/self/fd/{held}", 0o700)  # noqa: PTH101  # a descriptor, not a path
    finally:
        os.close(held)


def walk(top: Path) -> Iterator[tuple[bytes, os.DirEntry[bytes]]]:
    """Every entry below ``top`` but folders, with its path from there. Links are entries."""
    root = os.fsencode(top) + b"/"
    waiting = [b""]
    while waiting:
        below = waiting.pop()
        for entry in entries(root + below):
            path = below + entry.name
            if entry.is_dir(follow_symlinks=False):
                if len(path) < MAX_PATH:
                    waiting.append(path + b"/")
            else:
                yield path, entry


def remove(path: Path | bytes) -> None:
    """Remove a file, a link or a folder with all in it, however deep and however closed."""
    name = os.fsencode(path)
    try:
        kind = os.lstat(name)
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISDIR(kind.st_mode):
        os.unlink(name)  # noqa: PTH108  # bytes: the name need not be text
        return
    _empty(name)
    os.rmdir(name)  # noqa: PTH106  # as above


def clear(folder: Path) -> None:
    """Remove all in ``folder`` and keep it."""
    _empty(os.fsencode(folder))


def _empty(folder: bytes) -> None:
    """
    Subfolders of subfolders are moved up before they are emptied, so that no path grows: a tree
    ten thousand folders deep can neither be named nor be walked with a call for each.
    """
    names = _free_names(folder)
    _open_for_us(folder)
    while inside := entries(folder):
        for entry in inside:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)  # noqa: PTH108  # as above
                continue
            _open_for_us(entry.path)
            for below in entries(entry.path):
                if below.is_dir(follow_symlinks=False):
                    _open_for_us(below.path)  # moving a folder rewrites its ``..``
                    os.rename(below.path, next(names))  # noqa: PTH104
                else:
                    os.unlink(below.path)  # noqa: PTH108
            os.rmdir(entry.path)  # noqa: PTH106


def _free_names(folder: bytes) -> Iterator[bytes]:
    number = 0
    while True:
        name = folder + b"/.jam-%d" % number
        if not os.path.lexists(name):
            yield name
        number += 1


def _open_for_us(folder: bytes) -> None:
    if os.geteuid():  # root needs no permission
        unlock(folder)


def hand_over(top: Path, *, like: Path) -> None:
    """Give ``top`` and all in it to the owner of ``like``, where we may. Follows no link."""
    owner = like.lstat()
    if os.geteuid() or (owner.st_uid, owner.st_gid) == (0, 0):
        return
    os.chown(top, owner.st_uid, owner.st_gid, follow_symlinks=False)
    root = os.fsencode(top)
    for here, folders, files in os.walk(root):
        for name in (*folders, *files):
            os.chown(here + b"/" + name, owner.st_uid, owner.st_gid, follow_symlinks=False)


def fresh(target: Path, fill: Callable[[Path], None]) -> None:
    """Make the folder ``target`` whole or not at all: filled beside its place, then moved in."""
    target.parent.mkdir(parents=True, exist_ok=True)
    making = target.with_name(f".{target.name}.{os.getpid()}.making")
    remove(making)
    making.mkdir()
    try:
        fill(making)
        try:
            making.rename(target)
        except OSError:
            if not target.exists():  # else somebody made the same meanwhile
                raise
    finally:
        remove(making)
