"""
jam's own git directory for one session, and the agent's checkout beside it.

Decides how the checkout is laid and how it is taken into a checkpoint: always from its bytes, with
jam's own index and attributes, whatever the checkout says about itself. Paths are text by UTF-8;
a byte that is not UTF-8 is a lone surrogate in it, so that every name survives the round. What a
checkpoint is for, and when one is taken, is not known here.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.adapters import folders, gitdir, guard, layer, refs, snapshot, trees
from bot.adapters.git import Git, records
from bot.adapters.repository import Repository
from bot.adapters.rooms import Base, Rooms
from bot.core.frozen import Rules
from bot.errors import GitFailed, RequestError
from bot.ports import Checkpoint, FileChange, TreeEntry

_GITLINK = b"160000"
_FILE = b"100644"  # or a link: here it matters only what is a submodule
_ZERO = b"0" * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a session keeps what. ``rooms`` are tried in order."""

    state: Path
    tree: Path
    rooms: Sequence[Path]


@contextlib.contextmanager
def open_workcopy(
    repository: Repository,
    *,
    session: str,
    base: str,
    place: Place,
    adopt: Callable[[Path], None],
    wait_s: float = 5.0,
) -> Iterator[GitWorkcopy]:
    """
    Make or take up the session's workcopy, alone: ``SessionBusy`` when another process has it.

    ``adopt`` makes a folder belong to whoever commands run as.
    """
    place.state.mkdir(parents=True, exist_ok=True)
    git_dir = place.state / "git"
    gitdir.make(git_dir, borrow=repository.objects, shallow=repository.shallow)
    with gitdir.claim(git_dir, wait_s=wait_s) as lock:
        git = Git(git_dir=git_dir, held=(lock,))
        rooms = Rooms(
            git=git,
            base=_base(git, base, repository),
            places=place.rooms,
            template=place.state / "template",
            adopt=adopt,
        )
        yield GitWorkcopy(git=git, session=session, place=place, rooms=rooms)


def _base(git: Git, commit: str, repository: Repository) -> Base:
    tree, at = trees.commit_facts(git, commit)
    tags = refs.tags(repository.references, reachable=commit)
    return Base(commit=commit, tree=tree, at=at, tags=tags, shallow=repository.shallow)


@dataclass(slots=True, kw_only=True)
class GitWorkcopy:
    """The ``Workcopy`` port on git. ``git`` reads and writes objects; it has no working tree."""

    git: Git
    session: str
    place: Place
    rooms: Rooms
    _known: dict[bytes, bytes] | None = None  # jam's index; None: to be read

    @property
    def tree_path(self) -> Path:
        return self.place.tree

    @property
    def readable(self) -> tuple[Path, ...]:
        """Folders that a command must see read-only for the ``.git`` of a room to work."""
        return self.rooms.readable

    @property
    def setup_layer(self) -> layer.Layer:
        return self.rooms.layer

    def use_layer(self, made: layer.Layer) -> None:
        """From now on every room, and the next ``lay``, has what setup made."""
        self.rooms.layer = made

    def capture_layer(self, room: Path, tree: str) -> layer.Layer:
        """Keep what setup made in ``room``, which held ``tree``; known by its digest."""
        known = {name.encode("utf-8", "surrogateescape") for name in self.entries(tree)}
        return layer.capture(room, tree=known, into=self.place.state / "layers")

    def load_layer(self, digest: str) -> layer.Layer:
        return layer.load(digest, kept_in=self.place.state / "layers")

    def lay(self, commit: str) -> None:
        top = self.place.tree
        top.mkdir(parents=True, exist_ok=True)
        wanted = trees.modes(self.git, commit)
        # First, so that git finds neither a pipe nor a link where it expects a file or a folder.
        _clear(top, wanted, keep=self.setup_layer.made)
        checkout = self._checkout()
        self._read_tree(checkout, commit)
        stale = records(checkout.run("ls-files", "-z", "-m"))
        checkout.run("checkout-index", "-f", "-q", "-z", "--stdin", stdin=_joined(stale))
        for path in (path for path, mode in wanted.items() if mode == _GITLINK):
            os.makedirs(os.fsencode(top) + b"/" + path, exist_ok=True)  # noqa: PTH103  # bytes
        self.setup_layer.lay(top, taken=wanted)
        tree = self.git.line("rev-parse", f"{commit}^{{tree}}")
        self.rooms.dress(top, tree, index=checkout.index)
        self.rooms.adopt(top)
        if stale:  # adopting changed their inodes: read them once now, not at every checkpoint
            checkout.run("update-index", "-q", "--refresh", ok=(0, 1))

    def checkpoint(self, number: int, *, parent: str) -> Checkpoint | None:
        before, at = trees.commit_facts(self.git, parent)
        tree, left_out = self._take(parent)
        if tree == before:
            return None
        commit = self.commit(tree, parent=parent, message=f"Checkpoint {number}\n", at=at + 1)
        refs.put(self.git, {refs.checkpoint_ref(self.session, number): commit})
        changed = len(trees.names_changed(self.git, before, tree))
        return Checkpoint(commit, tree, changed, left_out)

    def entries(self, tree: str) -> Mapping[str, TreeEntry]:
        return trees.entries(self.git, tree)

    def restore(self, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> None:
        guard.take_out(self.place.tree, drop)
        guard.put_back(self.place.tree, tuple(put), contents=self.blobs)

    def merged(self, base: str, head: str) -> str:
        """The tree of ``head`` merged into ``base``. ``RequestError`` where they conflict."""
        if not self.git.says("merge-tree", "--write-tree", "--name-only", base, head):
            raise RequestError(f"{head[:12]} does not merge with {base[:12]}: resolve that first")
        return self.git.line("merge-tree", "--write-tree", base, head).splitlines()[0]

    def guard_of(self, base: str, rules: Rules) -> guard.Guard:
        """Keeps the files of ``base`` that ``rules`` hold as they are, in any folder on disk."""
        entries = self.entries(base)
        held = {path: entries[path] for path in rules.held}
        return guard.Guard(
            expected=held,
            sizes=trees.sizes(self.git, (entry.blob for entry in held.values())),
            rules=rules,
            contents=self.blobs,
            setup=frozenset(self.setup_layer.made),
        )

    def compose(self, tree: str, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> str:
        return trees.compose(self.git, tree, put=put, drop=drop)

    def commit(self, tree: str, *, parent: str, message: str, at: int) -> str:
        return trees.commit(self.git, tree, parent=parent, message=message, at=at)

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]:
        return trees.changes(self.git, before, after)

    def patch(self, before: str, after: str, *, limit: int) -> str:
        return trees.patch(self.git, before, after, limit=limit)

    def read(self, tree: str, path: str) -> bytes | None:
        return trees.read(self.git, tree, path)

    def blobs(self, names: Sequence[str]) -> list[bytes]:
        """The bytes of each of these objects, in order."""
        return trees.blobs(self.git, names)

    def room(self, tree: str, *, name: str) -> Path:
        return self.rooms.room(tree, name=f"{self.session}-{name}")

    def discard(self, room: Path) -> None:
        self.rooms.discard(room)

    def _checkout(self) -> Git:
        index = self.place.state / "git" / "index"
        return replace(self.git, work_tree=self.place.tree, index=index)

    def _take(self, parent: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The tree of the checkout as it is, and what it does not hold."""
        checkout = self._checkout()
        taking = self._look(checkout, parent)
        known, self._known = self._known or {}, None
        if taking.drop:
            gone = b"".join(b"0 %s\t%s\0" % (_ZERO, path) for path in taking.drop)
            checkout.run("update-index", "-z", "--index-info", stdin=gone)
        if taking.put:
            checkout.run(
                "update-index", "-z", "--add", "--replace", "--stdin", stdin=_joined(taking.put)
            )
        # All blobs were there or have just been written: git need not look for each again.
        tree = checkout.line("write-tree", "--missing-ok")
        for path in taking.drop:
            del known[path]
        self._known = known | dict.fromkeys(taking.put, _FILE)
        return tree, taking.left_out

    def _look(self, checkout: Git, parent: str) -> snapshot.Taking:
        """With an index that is whole: one that a crash tore is read anew from ``parent``."""
        setup = self.setup_layer.made
        try:
            if self._known is None:
                self._known = snapshot.index(checkout) or self._read_tree(checkout, parent)
            return snapshot.look(checkout, self.place.tree, known=self._known, setup=setup)
        except GitFailed:
            self._known = self._read_tree(checkout, parent, anew=True)
            return snapshot.look(checkout, self.place.tree, known=self._known, setup=setup)

    def _read_tree(self, checkout: Git, commit: str, *, anew: bool = False) -> dict[bytes, bytes]:
        """Make the index that of ``commit``; what it knows of files that stay is kept."""
        index = self.place.state / "git" / "index"
        if anew:
            folders.remove(index)
        try:
            checkout.run("read-tree", "--reset", commit)
        except GitFailed:
            folders.remove(index)
            checkout.run("read-tree", commit)
        self._known = known = snapshot.index(checkout)
        links = [path for path, mode in known.items() if mode == _GITLINK]
        if links:  # git would look into their folders
            checkout.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=_joined(links))
        return known


def _joined(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


def _clear(top: Path, known: Mapping[bytes, bytes], *, keep: Mapping[bytes, layer.Stamp]) -> None:
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
    keep: Mapping[bytes, layer.Stamp],
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
