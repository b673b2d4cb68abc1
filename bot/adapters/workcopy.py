"""
jam's own git directory for one session, and the agent's checkout beside it.

Decides how the checkout is laid and how it is taken into a checkpoint: always from its bytes, with
jam's own index and attributes, whatever the checkout says about itself. Paths are text by UTF-8;
a byte that is not UTF-8 is a lone surrogate in it, so that every name survives the round. What a
checkpoint is for, and when one is taken, is not known here.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from bot.adapters import gitdir, guard, layer, refs, trees
from bot.adapters.checkout import Checkout
from bot.adapters.git import Git
from bot.adapters.repository import Repository
from bot.adapters.rooms import Base, Rooms
from bot.core.frozen import Rules
from bot.errors import GitFailed, RequestError
from bot.ports import Checkpoint, FileChange, TreeEntry

TREES_KEPT = 4
"""Lists of files that are remembered: the base, and what is compared with it."""


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
        checkout = Checkout(git=git, top=place.tree, index=git_dir / "index")
        yield GitWorkcopy(git=git, session=session, place=place, rooms=rooms, checkout=checkout)


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
    checkout: Checkout
    _entries: OrderedDict[str, Mapping[str, TreeEntry]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

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
        wrote = self.checkout.lay(commit, setup=self.setup_layer)
        tree = self.git.line("rev-parse", f"{commit}^{{tree}}")
        self.rooms.dress(self.place.tree, tree, index=self.checkout.index)
        self.rooms.adopt(self.place.tree)
        if wrote:  # and adopted, which changes inodes
            self.checkout.refresh()

    def checkpoint(self, number: int, *, parent: str) -> Checkpoint | None:
        try:
            made = self._checkpoint(number, parent)
        except GitFailed:  # the index names what a crash took, or there was no room in memory
            self.checkout.forget()
            made = self._checkpoint(number, parent, in_memory=False)
        return made

    def _checkpoint(self, number: int, parent: str, *, in_memory: bool = True) -> Checkpoint | None:
        before, at = trees.commit_facts(self.git, parent)
        with gitdir.loose(self.git, in_memory=in_memory) as writing:
            taken = self.checkout.take(parent=parent, setup=self.setup_layer.made, writing=writing)
            if taken.tree == before:
                return None
            message = f"Checkpoint {number}\n"
            commit = trees.commit(writing, taken.tree, parent=parent, message=message, at=at + 1)
            changed = len(trees.names_changed(writing, before, taken.tree))
            gitdir.settle(self.git, commit, since=parent, written=writing)
        refs.put(self.git, {refs.checkpoint_ref(self.session, number): commit})
        return Checkpoint(commit, taken.tree, changed, taken.left_out)

    def entries(self, tree: str) -> Mapping[str, TreeEntry]:
        """A tree never changes, and a large one is asked for at every step."""
        with self._lock:
            if tree in self._entries:
                self._entries.move_to_end(tree)
                return self._entries[tree]
        known = MappingProxyType(trees.entries(self.git, tree))
        with self._lock:
            self._entries[tree] = known
            while len(self._entries) > TREES_KEPT:
                self._entries.popitem(last=False)
        return known

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

    def write(self, content: bytes) -> str:
        return self.git.line("hash-object", "-w", "--stdin", stdin=content)

    def room(self, tree: str, *, name: str) -> Path:
        return self.rooms.room(tree, name=f"{self.session}-{name}")

    def discard(self, room: Path) -> None:
        self.rooms.discard(room)
