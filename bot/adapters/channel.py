"""
The reporters' way out of the sandbox: a unix socket in a folder of its own.

It decides how much may be said and keeps what was said; what it means is for ``bot.oracles``.
What has been read cannot be taken back by anybody inside, which is why this is neither a pipe nor
a file. The folder also carries the wishes that reporters read: which tests, in which order.
"""

from __future__ import annotations

import json
import selectors
import shutil
import socket
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self

from bot.adapters import door
from bot.core.recording import Connection, Recording

INSIDE = Path("/jam/channel")
SOCKET = "socket"
WISHES = "wishes.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Tests are run as they are: what would run them again or hide them is silent. The rest varies
    how they run."""

    repeat: int = 1
    workers: int = 0
    random_seed: int | None = None
    look: bool = False  # for what tests leave changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What jam asks of the reporters. ``select``: only these ids; None: all of them."""

    dialect: str
    root: str  # the checkout, as those inside see it
    watch: tuple[str, ...] = ()  # files whose origin is to be told, relative to ``root``
    select: tuple[str, ...] | None = None
    seed: int = 0  # another order for each; 0: as collected
    backwards: bool = False
    moved: tuple[str, ...] = ()  # only these ids change places; empty: all do
    across: bool = False  # the seed shuffles across files and classes
    given: tuple[str, ...] = ()  # exactly this order
    measure: Measure | None = None

    def to_json(self) -> Mapping[str, object]:
        return {
            "dialect": self.dialect,
            "root": self.root,
            "watch": list(self.watch),
            "select": None if self.select is None else list(self.select),
            "order": {
                "seed": self.seed,
                "backwards": self.backwards,
                "moved": list(self.moved),
                "across": self.across,
                "given": list(self.given),
            },
            "measure": self.measure and asdict(self.measure),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """More than this was not said by an honest suite; a connection that goes on is broken."""

    connections: int = 512
    lines: int = 3_000_000
    line_bytes: int = 1 << 20
    total_bytes: int = 256 << 20
    last_words_s: float = 5.0  # without a sandbox a survivor may hold its end open


@dataclass(slots=True)
class _Talk:
    """One connection while it is open."""

    lines: list[bytes] = field(default_factory=list)
    rest: bytes = b""
    over: bool = False  # a limit was passed: what comes now is read and thrown away

    def to_connection(self) -> Connection:
        return Connection(tuple(self.lines), whole=not self.over and not self.rest)


class Channel:
    """Listens from ``open`` until ``close``; reads in a thread of its own."""

    def __init__(self, folder: Path, *, bounds: Bounds) -> None:
        self.folder = folder
        self._bounds = bounds
        self._talks: list[_Talk] = []
        self._bytes = 0
        self._lines = 0
        self._ended: Recording | None = None
        self._door = door.listen(folder / SOCKET, waiting=128)
        self._stop, self._stopped = socket.socketpair()
        self._thread = Thread(target=self._listen, name="jam-channel", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, wishes: Wishes, *, within: Path, bounds: Bounds | None = None) -> Self:
        """Its ``folder``, new below ``within``, is bound read-only at ``INSIDE`` for a command."""
        folder = Path(tempfile.mkdtemp(prefix="channel-", dir=within))
        folder.chmod(0o755)  # those inside have another uid
        path = folder / WISHES
        path.write_text(json.dumps(wishes.to_json()))
        path.chmod(0o644)
        return cls(folder, bounds=bounds or Bounds())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> Recording:
        """All that was said. Call it when the command is dead; calling it again says the same."""
        if self._ended is None:
            self._stop.close()
            self._thread.join()
            self._stopped.close()
            self._ended = Recording(tuple(talk.to_connection() for talk in self._talks))
            shutil.rmtree(self.folder, ignore_errors=True)
        return self._ended

    def _listen(self) -> None:
        with selectors.DefaultSelector() as selector, self._door:
            selector.register(self._door, selectors.EVENT_READ)
            selector.register(self._stopped, selectors.EVENT_READ)
            try:
                while not self._is_over(selector, timeout=None):
                    pass
                selector.unregister(self._stopped)
                self._hear_the_rest(selector)
            finally:
                for key in list(selector.get_map().values()):
                    if isinstance(key.data, _Talk):
                        key.data.over = True
                        key.fileobj.close()  # type: ignore[union-attr]  # always a socket here

    def _hear_the_rest(self, selector: selectors.BaseSelector) -> None:
        """The command is dead: what it said before may still wait to be read."""
        deadline = time.monotonic() + self._bounds.last_words_s
        while (left := deadline - time.monotonic()) > 0:
            is_idle = len(selector.get_map()) == 1
            if self._is_over(selector, timeout=0 if is_idle else left) and is_idle:
                return

    def _is_over(self, selector: selectors.BaseSelector, *, timeout: float | None) -> bool:
        """Hear whoever has something to say. True when jam wants to stop, or all are silent."""
        ready = selector.select(timeout)
        for key, _ in ready:
            if key.fileobj is self._stopped:
                return True
            if key.fileobj is self._door:
                self._accept(selector)
            elif isinstance(key.fileobj, socket.socket):
                self._hear(selector, key.fileobj, key.data)
        return not ready

    def _accept(self, selector: selectors.BaseSelector) -> None:
        try:
            peer, _ = self._door.accept()
        except OSError:  # whoever knocked is gone again
            return
        peer.settimeout(0)
        room = self._bounds.connections - len(self._talks)
        if room < 0:
            peer.close()
            return
        talk = _Talk(over=room == 0)  # one too many is kept, so that it shows
        self._talks.append(talk)
        selector.register(peer, selectors.EVENT_READ, talk)

    def _hear(self, selector: selectors.BaseSelector, peer: socket.socket, talk: _Talk) -> None:
        try:
            chunk = peer.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError:  # reset: what came before stands
            chunk = b""
        if not chunk:
            selector.unregister(peer)
            peer.close()
        elif not talk.over:
            self._take(talk, chunk)

    def _take(self, talk: _Talk, chunk: bytes) -> None:
        self._bytes += len(chunk)
        *lines, talk.rest = (talk.rest + chunk).split(b"\n")
        self._lines += len(lines)
        longest = max(len(talk.rest), *map(len, lines)) if lines else len(talk.rest)
        if (
            self._bytes > self._bounds.total_bytes
            or self._lines > self._bounds.lines
            or longest > self._bounds.line_bytes
        ):
            talk.over, talk.rest = True, b""
        else:
            talk.lines.extend(lines)
