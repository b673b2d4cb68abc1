"""
The line to jam: one JSON object per line, numbered, over a unix socket. PYTEST_DONT_REWRITE

Knows where the socket is, what jam wishes, and who is a child of whom. Refuses to know tests. A
line that cannot be sent is dropped without a word: the missing number tells jam.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any

SOCKET = "/jam/channel/socket"  # where it is when the environment says nothing (``env -i``)
TALKING = "JAM_TALKING"  # set while a session talks, so that what its tests start keeps silent
PATIENCE_S = 60.0


def place() -> str:
    return os.environ.get("JAM_CHANNEL") or SOCKET


def wishes() -> dict[str, Any]:
    """What jam asks for; nothing at all where there is no jam."""
    import json

    try:
        path = os.path.join(os.path.dirname(place()), "wishes.json")
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_inside_another() -> bool:
    """Was this process started by tests that are being reported over the same channel?"""
    return os.environ.get(TALKING, "").rpartition(":")[0] == place()


def ancestors() -> list[int]:
    """Process ids of parents, so that jam knows a child even if its environment was wiped."""
    found: list[int] = []
    pid = os.getppid()
    while pid > 0 and len(found) < 64:
        found.append(pid)
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
    return found


class Wire:
    """Silent in forked children, silent after the first failure."""

    def __init__(self, peer: socket.socket) -> None:
        import json

        self._peer: socket.socket | None = peer
        self._encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
        self._pid = os.getpid()
        self._count = 0
        self._before = os.environ.get(TALKING)
        os.environ[TALKING] = f"{place()}:{self._pid}"

    def send(self, what: str, **facts: Any) -> None:
        if self._peer is None or os.getpid() != self._pid:
            return
        line = self._encode({"t": what, "n": self._count, **facts})
        self._count += 1
        try:
            self._peer.sendall(line.encode("ascii") + b"\n")
        except OSError:
            self._peer = None

    def close(self) -> None:
        if os.getpid() != self._pid:
            return
        if self._peer is not None:
            self._peer.close()
            self._peer = None
        if self._before is None:
            os.environ.pop(TALKING, None)
        else:
            os.environ[TALKING] = self._before


def connect(root: str, **start: Any) -> Wire | None:
    """Opens a connection and says who speaks; None where nobody listens."""
    import socket

    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(PATIENCE_S)
    try:
        _reach(peer, place())
    except OSError:
        peer.close()
        return None
    wire = Wire(peer)
    wire.send(
        "start",
        root=root,
        pid=os.getpid(),
        ancestors=ancestors(),
        python=".".join(map(str, sys.version_info[:3])),
        executable=sys.executable or "",
        **start,
    )
    return wire


def _reach(peer: socket.socket, path: str) -> None:
    """A socket's name has at most 107 bytes; a longer one is reached through its folder."""
    if len(os.fsencode(path)) < 100:
        peer.connect(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        peer.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)
