"""
Files that a job leaves for the steps that follow it, and for people: a folder to be uploaded, and
lines at the end of the runner's own files.

A file that holds a known secret is left out, by name. What runs as root for the sandbox's sake
leaves its files to the user who started it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bot.adapters import folders
from bot.core.redact import Redactor
from bot.errors import StateUnusable

MOST = 64 << 20
LEFT_OUT = "left-out.txt"


def lay(folder: Path, files: Mapping[str, bytes], *, redactor: Redactor) -> Path:
    """``files`` by their importance: what there is no room for is left out, too."""
    folders.remove(folder)
    left, out = MOST, []
    try:
        folder.mkdir(parents=True, mode=0o755)
        for name, content in files.items():
            if len(content) > left or redactor.holds(content):
                out.append(name)
                continue
            left -= len(content)
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if out:
            (folder / LEFT_OUT).write_text("\n".join([*out, ""]))
    except OSError as error:
        raise StateUnusable(f"{folder} cannot be written: {error.strerror}") from error
    return folder


def add(path: Path, content: bytes) -> None:
    """To the end of a file of the runner's, which others add to as well."""
    try:
        with path.open("ab") as file:
            file.write(content)
    except OSError as error:
        raise StateUnusable(f"{path} cannot be written: {error.strerror}") from error


def hand_over(folder: Path) -> None:
    """To the owner of the folder that it is in, who uploads some of it and removes all of it."""
    owner = folder.parent.stat()
    if os.geteuid() != 0 or owner.st_uid == 0 or not folder.is_dir():
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
