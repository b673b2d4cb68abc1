"""
The agent's checkout, seen through jam's own index.

Decides how it is made exactly one commit, and how it becomes a tree: from its bytes, whatever it
says about itself. The index is jam's alone, outside the checkout, and only a memory: one that a
crash tore or that names what a crash took is forgotten and read anew.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.adapters import folders, snapshot, trees
from bot.adapters.git import Git, records
from bot.adapters.layer import Layer, Stamp
from bot.errors import GitFailed

_GITLINK = b"160000"
_FILE = b"100644"  # or a link: here it matters only what is a submodule
_ZERO = b"0" * 40


@dataclass(frozen=True, slots=True)
class Taken:
    tree: str
    left_out: tuple[tuple[str, str], ...]


@dataclass(slots=True, kw_only=True)
class Checkout:
    """``git`` has no working tree of its own."""

    git: Git
    top: Path
    index: Path
    _known: dict[bytes, bytes] | None = None  # the index; None: to be read

    def lay(self, commit: str, *, setup: Layer) -> bool:
        """Make it exactly ``commit`` and what setup made. Whether any file had to be written."""
        self.top.mkdir(parents=True, exist_ok=True)
        wanted = trees.modes(self.git, commit)
        # First, so that git finds neither a pipe nor a link where it expects a file or a folder.
        _clear(self.top, wanted, keep=setup.made)
        git = self._through(self.git)
        self._read_tree(commit)
        stale = records(git.run("ls-files", "-z", "-m"))
        git.run("checkout-index", "-f", "-q", "-z", "--stdin", stdin=_joined(stale))
        for path in (path for path, mode in wanted.items() if mode == _GITLINK):
            os.makedirs(os.fsencode(self.top) + b"/" + path, exist_ok=True)  # noqa: PTH103
        setup.lay(self.top, taken=wanted)
        return bool(stale)

    def refresh(self) -> None:
        """Read files whose inodes changed once now, and not at every checkpoint."""
        self._through(self.git).run("update-index", "-q", "--refresh", ok=(0, 1))

    def forget(self) -> None:
        folders.remove(self.index)
        self._known = None

    def take(self, *, parent: str, setup: Mapping[bytes, Stamp], writing: Git) -> Taken:
        """The checkout as a tree; what is new in it is written by ``writing``."""
        taking = self._look(parent, setup)
        known, self._known = self._known or {}, None
        git = self._through(writing)
        if taking.drop:
            gone = b"".join(b"0 %s\t%s\0" % (_ZERO, path) for path in taking.drop)
            git.run("update-index", "-z", "--index-info", stdin=gone)
        if taking.put:
            git.run(
                "update-index", "-z", "--add", "--replace", "--stdin", stdin=_joined(taking.put)
            )
        # Whoever packs the tree finds out whether all is there; git need not look twice.
        tree = git.line("write-tree", "--missing-ok")
        for path in taking.drop:
            del known[path]
        self._known = known | dict.fromkeys(taking.put, _FILE)
        return Taken(tree, taking.left_out)

    def _through(self, git: Git) -> Git:
        return replace(git, work_tree=self.top, index=self.index)

    def _look(self, parent: str, setup: Mapping[bytes, Stamp]) -> snapshot.Taking:
        git = self._through(self.git)
        try:
            if self._known is None:
                self._known = snapshot.index(git) or self._read_tree(parent)
            return snapshot.look(git, self.top, known=self._known, setup=setup)
        except GitFailed:
            self.forget()
            return snapshot.look(git, self.top, known=self._read_tree(parent), setup=setup)

    def _read_tree(self, commit: str) -> dict[bytes, bytes]:
        """Make the index that of ``commit``; what it knows of files that stay is kept."""
        git = self._through(self.git)
        try:
            git.run("read-tree", "--reset", commit)
        except GitFailed:
            folders.remove(self.index)
            git.run("read-tree", commit)
        self._known = known = snapshot.index(git)
        links = [path for path, mode in known.items() if mode == _GITLINK]
        if links:  # git would look into their folders
            git.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=_joined(links))
        return known


def _joined(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


def _clear(top: Path, known: Mapping[bytes, bytes], *, keep: Mapping[bytes, Stamp]) -> None:
    """Remove all below ``top`` but files of ``known`` that can stay, and what setup made."""
    root = os.fsencode(top) + b"/"
    ours = snapshot.folders_of([*known, *keep])
    waiting = [b""]
    while waiting:
        folder = waiting.pop()
        for entry in folders.entries(root + folder):
            path = folder + entry.name
            if entry.is_dir(follow_symlinks=False) and path + b"/" in ours and path != b".git":
                if entry.stat(follow_symlinks=False).st_mode & 0o700 != 0o700:
                    folders.unlock(root + path)
                waiting.append(path + b"/")
            elif not _may_stay(path, entry, known, keep):
                folders.remove(root + path)


def _may_stay(
    path: bytes,
    entry: os.DirEntry[bytes],
    known: Mapping[bytes, bytes],
    keep: Mapping[bytes, Stamp],
) -> bool:
    if path in keep and path not in known:
        return keep[path].fits(os.fsencode(entry.path))
    if path not in known or known[path] == _GITLINK:
        return False
    if entry.is_symlink():
        return True
    found = entry.stat(follow_symlinks=False)
    plain = stat.S_ISREG(found.st_mode) and found.st_nlink == 1
    return plain and stat.S_IMODE(found.st_mode) & 0o7600 == 0o600
