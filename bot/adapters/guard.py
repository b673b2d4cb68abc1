"""
Frozen files in a folder on disk: compared byte for byte, and put back.

Decides whether what lies there is what the base has: bytes, mode, a link's target, absence. Every
folder on the way is opened by its descriptor, so nothing is read or written through a link, and a
file is put back by unlinking and creating, so nothing is written through a second name. What cannot
be put back is an error, never a shrug. Which files are frozen is not decided here.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters import folders
from bot.adapters.git import as_bytes, as_text
from bot.core.frozen import Rules
from bot.core.tree import TreeEntry
from bot.errors import TrustError

_LINK = "120000"
_SUBMODULE = "160000"
_EXECUTABLE = "100755"
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OPEN_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_BYTE_CODE = (b".pyc", b".pyo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """``restored``: paths of the base that differed or were gone. ``removed``: intruders."""

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    swept: int = 0  # byte code, which every run of the tests leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """
    ``expected``: the held files of the base, with the size of each blob in ``sizes``. ``setup``:
    paths that setup made, which are nobody's intruders.
    """

    expected: Mapping[str, TreeEntry]
    sizes: Mapping[str, int]
    rules: Rules
    contents: Callable[[Sequence[str]], list[bytes]]
    setup: Collection[bytes] = field(default=frozenset())

    def restore(self, top: Path) -> Guarded:
        """Make ``top`` hold exactly the frozen files. Raises ``TrustError`` when it cannot."""
        intruders = list(self._intruders(top))
        take_out(top, [as_text(path) for path in intruders])
        wrong = deviating(top, self.expected.values(), sizes=self.sizes)
        put_back(top, wrong, contents=self.contents)
        if still := deviating(top, wrong, sizes=self.sizes):
            raise TrustError(f"{still[0].path} was put back and differs again")
        told = [as_text(path) for path in intruders if not path.endswith(_BYTE_CODE)]
        return Guarded(
            restored=tuple(entry.path for entry in wrong),
            removed=tuple(sorted(told)),
            swept=len(intruders) - len(told),
        )

    def _intruders(self, top: Path) -> Iterator[bytes]:
        for path, _ in folders.walk(top):
            if path.startswith(b".git/") or path in self.setup:
                continue
            name = as_text(path)
            if name not in self.expected and self.rules.hold(name):
                yield path


def deviating(
    top: Path, expected: Iterable[TreeEntry], *, sizes: Mapping[str, int]
) -> list[TreeEntry]:
    """Those of ``expected`` that do not lie below ``top`` as they should."""
    with _Descent(top) as descent:
        return [
            entry
            for entry in sorted(expected, key=lambda entry: entry.path)
            if entry.mode != _SUBMODULE and not _is_there(entry, descent, sizes)
        ]


def _is_there(entry: TreeEntry, descent: _Descent, sizes: Mapping[str, int]) -> bool:
    folder, _, name = as_bytes(entry.path).rpartition(b"/")
    at = descent.into(folder)
    if at is None:
        return False
    try:
        if entry.mode == _LINK:
            return _name_of(os.readlink(name, dir_fd=at)) == entry.blob
        return _is_file(name, at, entry, sizes.get(entry.blob))
    except OSError:
        return False


def _is_file(name: bytes, at: int, entry: TreeEntry, size: int | None) -> bool:
    held = os.open(name, _OPEN_FILE, dir_fd=at)
    try:
        found = os.fstat(held)
        if not stat.S_ISREG(found.st_mode) or found.st_size != size or found.st_nlink != 1:
            return False
        if not _mode_fits(found.st_mode, entry.mode):
            return False
        return _name_of(_read(held, size)) == entry.blob
    finally:
        os.close(held)


def _mode_fits(found: int, expected: str) -> bool:
    """Git knows one bit; that its owner can read it, and no special bit, is asked as well."""
    executable = bool(found & stat.S_IXUSR)
    return executable == (expected == _EXECUTABLE) and found & 0o7400 == stat.S_IRUSR


def _read(held: int, size: int) -> bytes:
    content = os.read(held, size + 1)
    while len(content) < size and (more := os.read(held, size + 1 - len(content))):
        content += more
    return content


def _name_of(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class _Descent:
    """Open folders below ``top``, one for each level, found again from one path to the next."""

    def __init__(self, top: Path) -> None:
        self._open = [os.open(top, _OPEN_FOLDER)]
        self._names: list[bytes] = []

    def __enter__(self) -> _Descent:
        return self

    def __exit__(self, *_: object) -> None:
        for held in self._open:
            os.close(held)

    def into(self, folder: bytes) -> int | None:
        """A descriptor of ``folder``; None where a folder on the way is missing or is none."""
        names = folder.split(b"/") if folder else []
        if names == self._names:
            return self._open[-1]
        self._back_to(names)
        try:
            for name in names[len(self._names) :]:
                self._enter(name)
        except OSError:
            return None
        return self._open[-1]

    def made(self, folder: bytes, *, owner: tuple[int, int]) -> int:
        """A descriptor of ``folder``, which is made, in the place of whatever is in the way."""
        names = folder.split(b"/") if folder else []
        self._back_to(names)
        for name in names[len(self._names) :]:
            try:
                self._enter(name)
            except OSError as problem:
                if problem.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                    raise
                if problem.errno != errno.ENOENT:
                    os.unlink(name, dir_fd=self._open[-1])  # by descriptor
                os.mkdir(name, 0o755, dir_fd=self._open[-1])  # by descriptor
                _give(name, self._open[-1], owner)
                self._enter(name)
        return self._open[-1]

    def _back_to(self, names: list[bytes]) -> None:
        same = 0
        while same < min(len(names), len(self._names)) and names[same] == self._names[same]:
            same += 1
        while len(self._names) > same:
            os.close(self._open.pop())
            self._names.pop()

    def _enter(self, name: bytes) -> None:
        at = self._open[-1]
        try:
            held = os.open(name, _OPEN_FOLDER, dir_fd=at)
        except PermissionError:
            folders.unlock(name, at=at)
            held = os.open(name, _OPEN_FOLDER, dir_fd=at)
        self._open.append(held)
        self._names.append(name)
        if os.fstat(held).st_mode & 0o700 != 0o700:  # closed to whoever the tests run as
            os.fchmod(held, 0o755)


def put_back(
    top: Path, wanted: Sequence[TreeEntry], *, contents: Callable[[Sequence[str]], list[bytes]]
) -> None:
    """Write these files anew, owned like ``top``. Raises ``TrustError`` when one cannot be."""
    if not wanted:
        return
    files = [entry for entry in wanted if entry.mode != _SUBMODULE]
    read = dict(zip(files, contents([entry.blob for entry in files]), strict=True))
    known = top.lstat()
    owner = (known.st_uid, known.st_gid)
    with _Descent(top) as descent:
        for entry in sorted(wanted, key=lambda entry: entry.path):
            try:
                _put(entry, read.get(entry), descent, owner)
            except OSError as problem:
                raise _cannot(entry.path, problem) from None


def _put(
    entry: TreeEntry, content: bytes | None, descent: _Descent, owner: tuple[int, int]
) -> None:
    path = as_bytes(entry.path)
    if content is None:
        descent.made(path, owner=owner)
        return
    folder, _, name = path.rpartition(b"/")
    at = descent.made(folder, owner=owner)
    _remove(name, at)
    if entry.mode == _LINK:
        os.symlink(content, name, dir_fd=at)
        _give(name, at, owner)
        return
    held = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=at)
    with os.fdopen(held, "wb") as file:
        file.write(content)
        if os.geteuid() == 0:
            os.fchown(held, *owner)
        os.fchmod(held, 0o755 if entry.mode == _EXECUTABLE else 0o644)


def _give(name: bytes, at: int, owner: tuple[int, int]) -> None:
    if os.geteuid() == 0:
        os.chown(name, *owner, dir_fd=at, follow_symlinks=False)


def _remove(name: bytes, at: int) -> None:
    folders.remove(b"/proc/self/fd/%d/%s" % (at, name))


def take_out(top: Path, paths: Iterable[str]) -> None:
    """Remove these paths, where they are below ``top`` and not behind a link."""
    with _Descent(top) as descent:
        for path in sorted(paths):
            folder, _, name = as_bytes(path).rpartition(b"/")
            at = descent.into(folder)
            try:
                if at is not None:
                    _remove(name, at)
            except OSError as problem:
                raise _cannot(path, problem) from None


def _cannot(path: str, problem: OSError) -> TrustError:
    why = os.strerror(problem.errno) if problem.errno else str(problem)
    return TrustError(f"the frozen file {path} cannot be put back: {why}")
