"""
Mount points inside of a tree that a stranger wrote.

bubblewrap makes a missing mount point itself, as root, and follows links on the way, out of the
jail if it is led there. So they are made here first, and a link on the way is a refusal. This
holds as long as nothing else runs in the same tree meanwhile.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from bot.ports import Bind, View

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def prepare(view: View, binds: Iterable[Bind], *, uid: int) -> str:
    """Why a mount point cannot be had, or ``''`` when all are there."""
    for bind in binds:
        parts = bind.target.relative_to(view.at).parts
        try:
            _make(view.tree, parts, is_folder=bind.source.is_dir(), uid=uid)
        except OSError as refused:
            return f"{bind.target}: no mount point inside of the tree: {refused.strerror}"
    return ""


def _make(tree: Path, parts: tuple[str, ...], *, is_folder: bool, uid: int) -> None:
    folder = os.open(tree, DIRECTORY)
    try:
        for place, part in enumerate(parts):
            is_last = place == len(parts) - 1
            if is_last and not is_folder:
                _make_file(part, folder, uid=uid)
                return
            folder = _enter(part, folder, uid=uid)
    finally:
        os.close(folder)


def _enter(name: str, folder: int, *, uid: int) -> int:
    """Gives ``folder`` up for the one in it, which is made if need be."""
    try:
        os.mkdir(name, 0o755, dir_fd=folder)
    except FileExistsError:
        inner = os.open(name, DIRECTORY, dir_fd=folder)  # refuses a link
    else:
        inner = os.open(name, DIRECTORY, dir_fd=folder)
        os.fchown(inner, uid, uid) if os.geteuid() == 0 else None
    os.close(folder)
    return inner


def _make_file(name: str, folder: int, *, uid: int) -> None:
    try:
        os.close(os.open(name, NEW_FILE, 0o644, dir_fd=folder))
        if os.geteuid() == 0:
            os.chown(name, uid, uid, dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise
