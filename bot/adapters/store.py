"""
jam's state folder: ledgers, evidence and the lock of each session, as plain files.

A line is durable when ``append`` returns. A line that was cut by a crash (no line's end) was never
relied on, and is dropped when the ledger is next opened for writing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.adapters import folders
from bot.core import ledger
from bot.errors import (
    DiskFull,
    EvidenceMissing,
    LedgerBroken,
    NoSuchSession,
    SessionBusy,
    StateUnusable,
)

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


class Store:
    """Journal and evidence in one folder. ``StateUnusable`` when it cannot be written, and
    ``DiskFull`` when it cannot be just now."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[Path, tuple[int, int, str]] = {}  # size, entries, seal: as we left it

    def folder(self, session_id: str) -> Path:
        if not _ID.fullmatch(session_id):
            raise NoSuchSession(f"{session_id!r} is not the name of a session")
        return self.root / "sessions" / session_id

    def path(self, session_id: str) -> Path:
        """The ledger's own file."""
        return self.folder(session_id) / "ledger.jsonl"

    def create(self, session_id: str) -> None:
        with _writing(self.root):
            self.folder(session_id).mkdir(parents=True, exist_ok=True, mode=0o700)

    def left(self, session_id: str) -> None:
        """What it had here besides its ledger is gone."""

    def leftovers(self) -> tuple[str, ...]:
        """Sessions that have more here than ledger and evidence."""
        with _reading(self.root):
            try:
                folders_ = tuple((self.root / "sessions").iterdir())
            except (FileNotFoundError, NotADirectoryError):
                return ()
            return tuple(f.name for f in folders_ if (f / "work").exists() or (f / "tree").exists())

    def discard(self, session_id: str, *, run: int = 0) -> None:  # noqa: ARG002
        """There never was such a session."""
        folders.remove(self.folder(session_id))
        self._known.pop(self.path(session_id), None)

    def sessions(self) -> tuple[str, ...]:
        """Newest first."""
        with _reading(self.root):
            try:
                folders = tuple((self.root / "sessions").iterdir())
            except (FileNotFoundError, NotADirectoryError):
                return ()
            return tuple(sorted((f.name for f in folders if _has_ledger(f)), reverse=True))

    def find(self, name: str) -> str:
        """The session whose id is ``name``, or begins with it where only one does."""
        ids = self.sessions()
        matches = [i for i in ids if i == name] or [i for i in ids if name and i.startswith(name)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise NoSuchSession(f"{name!r} could be any of: {', '.join(matches[:5])}")
        hint = f"; the newest is {ids[0]}" if ids else ""
        raise NoSuchSession(f"there is no session {name!r} in {self.root}{hint}")

    @contextmanager
    def lock(self, session_id: str, *, run: int = 0) -> Iterator[None]:  # noqa: ARG002
        """Held by whoever conducts the session; the kernel lets go of it when they die."""
        with _writing(self.root):
            handle = os.open(self.folder(session_id) / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SessionBusy(f"session {session_id} is being conducted already") from None
            self._drop_torn_line(session_id)
            yield
        finally:
            os.close(handle)

    def read(self, session_id: str) -> tuple[str, ...]:
        try:
            return read_lines(self.path(session_id))
        except NoSuchSession:
            return ()

    def append(self, session_id: str, line: str, *, place: int, after: str) -> None:
        path = self.path(session_id)
        held, last = self._held(path)
        if held != place:
            raise LedgerBroken(f"the ledger holds {held} entries, this one is for place {place}")
        if last != after:
            raise LedgerBroken(f"entry {place} does not follow from the one that is there")
        with _writing(self.root), path.open("ab") as file:
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
            self._known[path] = (file.tell(), place + 1, ledger.seal_of(line))

    def _held(self, path: Path) -> tuple[int, str]:
        """How many entries, and the last seal; read anew whenever the file is not as this process
        left it."""
        size, count, seal = self._known.get(path, (0, 0, ledger.ORIGIN))
        now = path.stat().st_size if path.exists() else 0
        if now == size:
            return count, seal
        lines = read_lines(path)
        return len(lines), ledger.seal_of(lines[-1]) if lines else ledger.ORIGIN

    def is_here(self, session_id: str, *, seal: str) -> bool:  # noqa: ARG002  # on one machine
        """Whether what the session has on this machine is what its ledger speaks of."""
        return True

    def put(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        path = self._evidence(digest)
        with _writing(self.root):
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _write_whole(path, content)
        return digest

    def get(self, sha256: str) -> bytes:
        try:
            content = self._evidence(sha256).read_bytes()
        except OSError as error:
            raise EvidenceMissing(
                f"evidence {sha256[:12]} cannot be read: {error.strerror}"
            ) from error
        if hashlib.sha256(content).hexdigest() != sha256:
            raise EvidenceMissing(f"evidence {sha256[:12]} was changed")
        return content

    def _evidence(self, digest: str) -> Path:
        return self.root / "evidence" / digest[:2] / digest

    def _drop_torn_line(self, session_id: str) -> None:
        path = self.path(session_id)
        with _writing(self.root):
            if not path.exists():
                return
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            if whole < len(content):
                os.truncate(path, whole)


def read_lines(path: Path) -> tuple[str, ...]:
    """The whole lines of a ledger file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise NoSuchSession(f"there is no ledger at {path}") from None
    except OSError as error:
        raise StateUnusable(f"{path} cannot be read: {error.strerror}") from error
    whole = content[: content.rfind(b"\n") + 1]
    return tuple(whole.decode(errors="replace").splitlines())


def _has_ledger(folder: Path) -> bool:
    """A ledger without an entry is of a session that never began."""
    path = folder / "ledger.jsonl"
    return path.is_file() and path.stat().st_size > 0


def _write_whole(path: Path, content: bytes) -> None:
    """Either all of it is there under its name, or nothing is."""
    part = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _reading(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StateUnusable(
            f"the state folder {root} cannot be read: {error.strerror}; "
            "name another one with --state"
        ) from error


@contextmanager
def _writing(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if DiskFull.is_told_by(error):
            raise DiskFull(
                f"the state folder {root} cannot be written: {error.strerror}; free some space"
            ) from error
        raise StateUnusable(
            f"the state folder {root} cannot be written: {error.strerror}; "
            "name another one with --state"
        ) from error
