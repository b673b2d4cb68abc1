"""
Who commands run as, and whose the files are that they work on.

Root's commands run under a number that belongs to nobody, one for each jail, so that two sessions
share neither files nor a count of processes. Others' commands run as themselves.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pwd
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bot.errors import SandboxUnavailable

FIRST_UID = 64100
LAST_UID = 64999
UID_MAP = Path("/proc/self/uid_map")


@dataclass(frozen=True, slots=True)
class Identity:
    """``is_other``: commands run as somebody else than jam does."""

    uid: int
    is_other: bool
    #: holds the number for as long as this lives, also against other processes
    lease: socket.socket | None = field(default=None, repr=False, compare=False)


def identity() -> Identity:
    """Root in a user namespace that knows no other number is nobody special outside of it."""
    if os.geteuid() != 0 or not _is_mapped(LAST_UID):
        return Identity(uid=os.geteuid(), is_other=False)
    span = LAST_UID - FIRST_UID + 1
    for step in range(span):
        uid = FIRST_UID + (os.getpid() + step) % span
        if not _is_somebody(uid) and (lease := _lease(uid)) is not None:
            return Identity(uid=uid, is_other=True, lease=lease)
    raise SandboxUnavailable(
        f"every user number from {FIRST_UID} to {LAST_UID} is taken by another jam or a real user"
    )


def adopt(folder: Path, *, uid: int) -> None:
    """``folder`` and all in it belongs to ``uid``. No link is followed, and no file touched that
    is his already (a new change time would make git read every file again)."""
    _own(os.fspath(folder), uid, at=None)
    waiting = [os.fsencode(folder)]
    while waiting:
        path = waiting.pop()
        with _opened(path) as descriptor, os.scandir(descriptor) as entries:
            for entry in entries:
                _own(entry.name, uid, at=descriptor)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(os.path.join(path, os.fsencode(entry.name)))  # noqa: PTH118


def _own(name: str, uid: int, *, at: int | None) -> None:
    known = os.stat(name, dir_fd=at, follow_symlinks=False)
    if (known.st_uid, known.st_gid) != (uid, uid):
        os.chown(name, uid, uid, dir_fd=at, follow_symlinks=False)


@contextlib.contextmanager
def _opened(path: bytes) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_somebody(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def _is_mapped(uid: int) -> bool:
    ranges = (map(int, line.split()) for line in UID_MAP.read_text().splitlines())
    return any(inside <= uid < inside + length for inside, _outside, length in ranges)


def _lease(uid: int) -> socket.socket | None:
    """An abstract socket's name is free again when its holder dies, however it dies."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    try:
        holder.bind(f"\0jam-uid-{uid}")
    except OSError as taken:
        holder.close()
        if taken.errno != errno.EADDRINUSE:
            raise
        return None
    return holder
