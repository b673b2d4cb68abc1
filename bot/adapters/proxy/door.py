"""
Where a jail's port comes out: a socket in a folder that only the jail's user can reach.

One port is taken, once, from a process of that user, and only one on loopback. What is answered on
it is somebody else's business.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ClassVar

from bot.ports import Jail

LOOK_S = 0.2
PATIENCE_S = 10.0
Answer = Callable[[socket.socket], None]


class Door:
    """``answer`` is given every connection, in a thread of its own."""

    NAME: ClassVar[str] = "socket"
    AT_ONCE: ClassVar[int] = 32

    def __init__(self, folder: Path, jail: Jail, *, port: int, answer: Answer) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(folder / self.NAME))
        self._listener.listen(4)
        folder.chmod(0o700)
        jail.adopt(folder)
        self._user = folder.stat().st_uid
        self._port = port
        self._answer = answer
        self._over = threading.Event()
        self._room = threading.Semaphore(self.AT_ONCE)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._waiting = threading.Thread(target=self._wait, name="jam-proxy")
        self._serving: list[threading.Thread] = []

    def __enter__(self) -> Door:
        self._waiting.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._waiting.join()
        self._listener.close()
        with self._lock:
            for line in self._open:
                with contextlib.suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
        for thread in self._serving:
            thread.join()

    def _wait(self) -> None:
        """For the jail's port, and then on it."""
        heard = self._taken()
        if heard is None:
            return
        with heard:
            while (line := self._accepted(heard)) is not None:
                if not self._room.acquire(blocking=False):
                    line.close()
                    continue
                with self._lock:
                    self._open.add(line)
                thread = threading.Thread(target=self._serve, args=(line,), name="jam-proxy-call")
                self._serving = [*(one for one in self._serving if one.is_alive()), thread]
                thread.start()

    def _serve(self, line: socket.socket) -> None:
        try:
            with line, contextlib.suppress(OSError):
                self._answer(line)
        finally:
            with self._lock:
                self._open.discard(line)
            self._room.release()

    def _taken(self) -> socket.socket | None:
        while (line := self._accepted(self._listener)) is not None:
            with line, contextlib.suppress(OSError):
                if _user_of(line) != self._user:
                    continue
                line.settimeout(PATIENCE_S)
                if (heard := _port_from(line, self._port)) is not None:
                    line.sendall(b".")
                    self._listener.close()  # one, and no more
                    return heard
        return None

    def _accepted(self, heard: socket.socket) -> socket.socket | None:
        """The next connection, or None when all is over."""
        heard.settimeout(LOOK_S)
        while not self._over.is_set():
            try:
                line, _ = heard.accept()
            except TimeoutError:
                continue
            except OSError:
                return None
            return line
        return None


def _user_of(line: socket.socket) -> int:
    told = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", told)[1])


def _port_from(line: socket.socket, port: int) -> socket.socket | None:
    _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
    if not descriptors:
        return None
    heard = socket.socket(fileno=descriptors[0])
    is_right = (
        heard.family is socket.AF_INET
        and heard.type is socket.SOCK_STREAM
        and heard.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1
        and heard.getsockname() == ("127.0.0.1", port)
    )
    if is_right:
        return heard
    heard.close()
    return None
