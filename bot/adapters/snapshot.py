"""
What a checkpoint takes: every file as it lies in the checkout, but for what is ignored and what git
cannot hold, each of the latter with a reason.

The checkout is walked here and never by git, so that no repository inside it, no pipe in the place
of a file and no link in the place of a folder is ever opened. git is asked two things only: which
of the files that it knows have changed, and which of the others are ignored.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.adapters import folders
from bot.adapters.git import Git, as_text, records
from bot.adapters.layer import Stamp

#: The hosting service refuses more; a model has no business writing it.
MAX_BYTES = 100 << 20
_GITLINK = b"160000"
#: Nested new folders are asked about level by level; beyond this, all that is left at once.
_ROUNDS = 24
#: git opens these by name while it works; in their place a pipe would stop it for ever.
_READ_BY_GIT = {b".gitignore", b".gitattributes", b".gitmodules"}
#: Characters that some file systems do not see in a name.
_UNSEEN = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


@dataclass(frozen=True, slots=True)
class Taking:
    """``put`` is to be read from the checkout, ``drop`` is gone from it."""

    put: tuple[bytes, ...]
    drop: tuple[bytes, ...]
    left_out: tuple[tuple[str, str], ...]


def look(
    git: Git, top: Path, *, known: Mapping[bytes, bytes], setup: Mapping[bytes, Stamp]
) -> Taking:
    """What changed below ``top`` since ``git``'s index, which is ``known``. What ``setup`` made
    stays out."""
    seen = _Walk(os.fsencode(top) + b"/", known, setup)
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(_changed, git)
        try:
            new = _new(git, seen)
        finally:
            seen.let_go()
        changed = asked.result()
    if seen.removed:  # git may have read from the pipe that was there
        changed = _changed(git)
    there = [path for path in changed if path in seen.files]
    put = [path for path in dict.fromkeys([*there, *new]) if seen.holds(path)]
    gone = [path for path in known if path not in seen.files and known[path] != _GITLINK]
    return Taking(tuple(put), tuple(gone), tuple(sorted(seen.left_out)))


def _changed(git: Git) -> list[bytes]:
    return records(git.run("ls-files", "-z", "-m"))


def _new(git: Git, seen: _Walk) -> list[bytes]:
    new: list[bytes] = []
    waiting = [b""]
    rounds = 0
    while waiting:
        seen.eager = (rounds := rounds + 1) > _ROUNDS
        files, inside = seen.look_into(waiting)
        free = _not_ignored(git, [*files, *inside])
        new += [path for path in files if path in free]
        waiting = [path for path in inside if path in free]
    return new


def index(git: Git) -> dict[bytes, bytes]:
    """The mode of each path that git's index knows."""
    listed = records(git.run("ls-files", "-z", "-s"))
    return {line[line.index(b"\t") + 1 :]: line[:6] for line in listed}


def folders_of(paths: Iterable[bytes]) -> set[bytes]:
    """Every folder above these, each ending in a slash; the top is b''."""
    found = {b""}
    for path in paths:
        folder = path[: path.rfind(b"/") + 1]
        while folder not in found:
            found.add(folder)
            folder = folder[: folder.rfind(b"/", 0, -1) + 1]
    return found


def _not_ignored(git: Git, paths: list[bytes]) -> set[bytes]:
    if not paths:
        return set()
    asking = replace(
        git, env={**git.env, "GIT_LITERAL_PATHSPECS": "0"}
    )  # it refuses to run with it
    asked = b"".join(b"./" + path + b"\0" for path in paths)
    said = asking.run("check-ignore", "--no-index", "-z", "--stdin", stdin=asked, ok=(0, 1))
    return set(paths) - {path[2:] for path in records(said)}


@dataclass(slots=True)
class _Walk:
    """A walk in rounds: a folder that git does not know is entered only when it is not ignored."""

    root: bytes
    known: Mapping[bytes, bytes]
    setup: Mapping[bytes, Stamp]
    files: set[bytes] = field(default_factory=set)  # known to git, and there as files or links
    left_out: list[tuple[str, str]] = field(default_factory=list)
    eager: bool = False
    removed: list[int] = field(default_factory=list)  # pipes that git reads by name, held open
    _folders: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._folders = folders_of(self.known)

    def look_into(self, waiting: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        """Files and folders that git does not know, in these folders and the known ones below."""
        files: list[bytes] = []
        inside: list[bytes] = []
        waiting = list(waiting)
        while waiting:
            folder = waiting.pop()
            for entry in folders.entries(self.root + folder):
                path = folder + entry.name
                if is_git_name(entry.name):
                    self._pass_by(path, "a name that git keeps for itself")
                elif entry.is_dir(follow_symlinks=False):
                    self._enter(path, waiting, inside)
                elif not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                    self._refuse(path, entry.name)
                elif path in self.known:
                    self.files.add(path)
                elif path in self.setup:
                    self._compare(path)
                else:
                    files.append(path)
        return files, inside

    def _enter(self, path: bytes, waiting: list[bytes], inside: list[bytes]) -> None:
        if self.known.get(path) == _GITLINK:
            if folders.entries(self.root + path):
                self._leave(path, "inside a submodule")
        elif len(path) >= folders.MAX_PATH:
            self._leave(path[:200], "too deep to be named")
        elif path + b"/" in self._folders:
            waiting.append(path + b"/")
        else:
            (waiting if self.eager else inside).append(path + b"/")

    def _refuse(self, path: bytes, name: bytes) -> None:
        if name in _READ_BY_GIT:
            self._remove(self.root + path)
        self._leave(path, "neither a file nor a link")

    def _remove(self, path: bytes) -> None:
        """A git that waits for the pipe's other end gets it: us, until we let go."""
        if stat.S_ISFIFO(os.lstat(path).st_mode):
            self.removed.append(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW))
        folders.remove(path)

    def let_go(self) -> None:
        for held in self.removed:
            os.close(held)

    def _pass_by(self, path: bytes, why: str) -> None:
        if path != b".git":  # the disposable one, which jam never reads
            self._leave(path, why)

    def _compare(self, path: bytes) -> None:
        if not self.setup[path].fits(self.root + path):
            self._leave(path, "made by setup, which is laid out anew for every judgement")

    def holds(self, path: bytes) -> bool:
        """Whether git can take this file; else it is left out, and what git has of it stays."""
        known = os.lstat(self.root + path)
        if not stat.S_ISREG(known.st_mode):
            return True
        if known.st_size > MAX_BYTES:
            self._leave(path, f"larger than {MAX_BYTES >> 20} MB")
            return False
        if os.geteuid() and not known.st_mode & stat.S_IRUSR:
            return self._open(path, known.st_mode)
        return True

    def _open(self, path: bytes, mode: int) -> bool:
        try:
            os.chmod(self.root + path, stat.S_IMODE(mode) | stat.S_IRUSR)  # noqa: PTH101
        except OSError:
            self._leave(path, "cannot be read")
            return False
        return True

    def _leave(self, path: bytes, why: str) -> None:
        self.left_out.append((as_text(path), why))


def is_git_name(name: bytes) -> bool:
    """Whether some file system would take ``name`` for ``.git``."""
    if not name.startswith((b".", b"g", b"G")) and name.isascii() and b"\\" not in name:
        return False
    return any(_means_git(part) for part in as_text(name).split("\\"))


def _means_git(name: str) -> bool:
    plain = name.translate(_UNSEEN).partition(":")[0].rstrip(" .").casefold()
    return plain in (".git", "git~1")
