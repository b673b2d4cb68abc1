"""
What ``setup`` made inside a checkout, kept so that every clean room has it.

Decides what belongs to it: all that is not in the tree itself, but for git's own folder, byte code
beside sources and caches of test runners, which could speak for a tree that is no longer there.
Known by a digest over names, modes and contents. Knows nothing of git.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.adapters import folders
from bot.adapters.git import as_bytes, as_text
from bot.errors import StateUnusable

_CACHES = {b".pytest_cache", b".mypy_cache", b".ruff_cache", b".hypothesis"}
_LINK = 0o120000
_FOLDER = 0o040000


@dataclass(frozen=True, slots=True)
class Stamp:
    """One thing that setup made. ``content``: sha256 of a file, the target of a link, or ''."""

    mode: int
    size: int
    mtime_ns: int
    content: str

    def fits(self, path: bytes) -> bool:
        """Whether what lies there looks unchanged, by its inode alone."""
        try:
            found = os.lstat(path)
        except OSError:
            return False
        if stat.S_ISLNK(self.mode) or stat.S_ISDIR(self.mode):
            return stat.S_IFMT(found.st_mode) == stat.S_IFMT(self.mode)
        seen = (found.st_mode, found.st_size, found.st_mtime_ns)
        return seen == (self.mode, self.size, self.mtime_ns)


@dataclass(frozen=True, slots=True)
class Layer:
    digest: str
    folder: Path
    made: dict[bytes, Stamp]

    @property
    def size(self) -> int:
        return sum(stamp.size for stamp in self.made.values())

    def lay(self, place: Path, *, taken: Collection[bytes]) -> None:
        """
        Lay it into ``place``. Paths of the tree itself (``taken``) win, also where one of them
        stands in the way of a folder: nothing is written through what a tree put there.
        """
        root = os.fsencode(place) + b"/"
        source = os.fsencode(self.folder / "files") + b"/"
        for path, stamp in self.made.items():
            if not _in_the_way(path, taken) and not stamp.fits(root + path):
                _copy(source + path, root + path, stamp)


def nothing() -> Layer:
    return Layer(digest="", folder=Path("/nonexistent"), made={})


def _in_the_way(path: bytes, taken: Collection[bytes]) -> bool:
    while path:
        if path in taken:
            return True
        path = path.rpartition(b"/")[0]
    return False


def _copy(source: bytes, target: bytes, stamp: Stamp) -> None:
    os.makedirs(target.rpartition(b"/")[0], exist_ok=True)  # noqa: PTH103  # bytes
    folders.remove(target)
    if stat.S_ISDIR(stamp.mode):
        os.mkdir(target)  # noqa: PTH102  # bytes
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def capture(room: Path, *, tree: Collection[bytes], into: Path) -> Layer:
    """Keep what lies in ``room`` and is not of ``tree``, in a folder of ``into`` by its digest."""
    sources = {path.rpartition(b"/")[0] for path in tree}
    root = os.fsencode(room) + b"/"
    made = {path: _stamp(root + path) for path in sorted(_products(room, tree, sources))}
    digest = _digest(made)
    place = into / digest

    def fill(folder: Path) -> None:
        for path, stamp in made.items():
            _copy(root + path, os.fsencode(folder / "files") + b"/" + path, stamp)
        named = {as_text(path): asdict(stamp) for path, stamp in made.items()}
        (folder / "made.json").write_text(json.dumps(named))

    if not place.exists():
        folders.fresh(place, fill)
    return Layer(digest=digest, folder=place, made=made)


def load(digest: str, *, kept_in: Path) -> Layer:
    """A layer that was captured before. Raises ``StateUnusable`` when it is gone."""
    folder = kept_in / digest
    try:
        named = json.loads((folder / "made.json").read_text())
    except (OSError, ValueError):
        raise StateUnusable(f"what setup made is no longer in {kept_in}: run it again") from None
    made = {as_bytes(path): Stamp(**stamp) for path, stamp in named.items()}
    if _digest(made) != digest:
        raise StateUnusable(f"what setup made was changed in {kept_in}: run it again")
    return Layer(digest=digest, folder=folder, made=made)


def _products(room: Path, tree: Collection[bytes], sources: set[bytes]) -> Iterator[bytes]:
    root = os.fsencode(room) + b"/"
    waiting = [b""]
    while waiting:
        folder = waiting.pop()
        inside = folders.entries(root + folder)
        if not inside and folder and folder[:-1] not in tree:
            yield folder[:-1]
        for entry in inside:
            path = folder + entry.name
            if path in tree or _speaks_for_sources(path, folder[:-1], sources):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path + b"/")
            elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                yield path


def _speaks_for_sources(path: bytes, folder: bytes, sources: set[bytes]) -> bool:
    name = path.rpartition(b"/")[2]
    if path == b".git" or name in _CACHES:
        return True
    byte_code = name == b"__pycache__" or name.endswith((b".pyc", b".pyo"))
    return byte_code and (folder in sources or not folder)


def _stamp(path: bytes) -> Stamp:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        target = as_text(os.readlink(path))  # noqa: PTH115  # bytes
        return Stamp(_LINK | 0o777, 0, 0, target)
    if stat.S_ISDIR(found.st_mode):
        return Stamp(_FOLDER | 0o755, 0, 0, "")
    with open(path, "rb") as file:  # noqa: PTH123  # bytes
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return Stamp(found.st_mode, found.st_size, found.st_mtime_ns, content)


def _digest(made: dict[bytes, Stamp]) -> str:
    """Over what it is, not over when it was made."""
    total = hashlib.sha256()
    for path, stamp in sorted(made.items()):
        total.update(path + b"\0%o\0" % stamp.mode + as_bytes(stamp.content) + b"\0")
    return total.hexdigest()
