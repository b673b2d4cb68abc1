"""
Moves commits from one object store into another, and says nothing about why.

No transport, no remote, no configuration of either side: a pack is written from the one and read
into the other. What the target holds already is not written again.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from bot.adapters import gitdir
from bot.adapters.git import Git

#: Fewer objects than this are written one by one, as git itself does on a push.
_LOOSE = 100
_HEADER = 12


def copy(source: Git, commits: Iterable[str], *, without: Iterable[str], into: Path) -> None:
    """
    Write all that ``commits`` reach and ``without`` does not into the objects folder ``into``.

    What ``source`` borrows is written too: ``into`` need not have it.
    """
    asked = "".join(f"{commit}\n" for commit in commits)
    asked += "".join(f"^{commit}\n" for commit in without)
    with tempfile.TemporaryFile() as pack:
        source.run(
            "pack-objects", "--revs", "--stdout", "-q", "--delta-base-offset",
            stdin=asked.encode(), into=pack,
        )  # fmt: skip
        count = _objects_in(pack)
        if count:
            _unpack(pack, count, into=into)


def _objects_in(pack: IO[bytes]) -> int:
    pack.seek(0)
    return int.from_bytes(pack.read(_HEADER)[8:], "big")


def _unpack(pack: IO[bytes], count: int, *, into: Path) -> None:
    pack.seek(0)
    os.lseek(pack.fileno(), 0, os.SEEK_SET)
    with gitdir.glass(into) as git:
        target = Git(git_dir=git.git_dir, objects=into)
        if count < _LOOSE:
            target.run("unpack-objects", "-q", stdin=pack)
        else:
            target.run("index-pack", "--stdin", stdin=pack)
    _share(into)


def _share(objects: Path) -> None:
    """What root wrote into somebody's repository is theirs, or their own git could not go on."""
    owner = objects.lstat()
    if os.geteuid() or not owner.st_uid:
        return
    for place in (*objects.glob("*"), *objects.glob("??/*"), *objects.glob("pack/*")):
        if place.lstat().st_uid == 0:
            os.chown(place, owner.st_uid, owner.st_gid, follow_symlinks=False)
