"""
A socket at a path, for what runs in a sandbox to talk to jam. A path may be longer than a socket's
name, which has at most 107 bytes; such a one is reached through its open folder.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def listen(path: Path, *, waiting: int) -> socket.socket:
    """Open to every user: those inside have another uid."""
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with _short(path) as name:
        door.bind(name)
    path.chmod(0o666)
    door.listen(waiting)
    door.settimeout(0)
    return door


@contextmanager
def _short(path: Path) -> Iterator[str]:
    if len(os.fsencode(path)) < 100:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
