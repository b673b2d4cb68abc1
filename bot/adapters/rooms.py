"""
Clean rooms: fresh folders that hold exactly one tree, what setup made, and an ordinary ``.git``.

Decides where a room lies (in memory when it fits and programs may run there), and what its ``.git``
tells: history and tags up to the base, and one commit whose tree is the room's. That ``.git`` is
for the repository's own tools; jam writes it and never reads it. Which tree is judged is not known
here.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from bot.adapters import folders, layer, snapshot, transfer, trees
from bot.adapters.git import Git
from bot.errors import DiskFull

#: A pack up to this size is copied into each room; a larger one is lent to them all.
COPY_BYTES = 32 << 20
_ROOM_TO_SPARE = 256 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
_HEAD_MESSAGE = "As laid out by jam\n"
_CONFIG = """\
[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[user]
\tname = jam
\temail = jam@localhost
[gc]
\tauto = 0
[maintenance]
\tauto = false
"""

_MAKING = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The commit that a session starts from. ``tags``: name -> (object, commit or '')."""

    commit: str
    tree: str
    at: int
    tags: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    shallow: bytes = b""


@dataclass(slots=True, kw_only=True)
class Rooms:
    """
    ``places`` are tried in order. ``adopt`` makes a folder belong to whoever commands run as, and
    is called once for each room.
    """

    git: Git
    base: Base
    places: Sequence[Path]
    template: Path
    adopt: Callable[[Path], None]
    copy_bytes: int = COPY_BYTES
    layer: layer.Layer = field(default_factory=layer.nothing)
    _tree_bytes: int = 0

    @property
    def readable(self) -> tuple[Path, ...]:
        """What a command must see, read-only and at its own place, for a room's git to work."""
        return () if self._pack_bytes() <= self.copy_bytes else (self.template / "objects",)

    def room(self, tree: str, *, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a name for a room")
        for place in self.places:
            folders.remove(place / name)
        room = self._place(tree) / name
        room.mkdir(parents=True)
        with_index = replace(self.git, index=self._scratch(), work_tree=room)
        try:
            with_index.run("read-tree", tree)
            with_index.run("checkout-index", "-a", "-q")
            self.layer.lay(room, taken=snapshot.index(with_index))
            self.dress(room, tree, index=with_index.index)
        finally:
            folders.remove(with_index.index or room)
        self.adopt(room)
        return room

    def discard(self, room: Path) -> None:
        if room.parent not in self.places:
            raise ValueError(f"{room} is not a room of this session")
        folders.remove(room)

    def dress(self, folder: Path, tree: str, *, index: Path | None) -> None:
        """Give ``folder``, which holds ``tree``, its own ``.git``. Replaces one that is there."""
        self.prepare()
        inside = folder / ".git"
        folders.remove(inside)
        for below in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
            (inside / below).mkdir(parents=True)
        (inside / "HEAD").write_text("ref: refs/heads/main\n")
        (inside / "config").write_text(_CONFIG)
        (inside / "refs/heads/main").write_text(self._head(tree, inside) + "\n")
        if index is not None:
            shutil.copyfile(index, inside / "index")
        self._lend(inside)

    def _lend(self, inside: Path) -> None:
        for name in ("packed-refs", "shallow"):
            if (self.template / name).exists():
                shutil.copyfile(self.template / name, inside / name)
        if self.readable:
            line = os.fsencode(self.template / "objects") + b"\n"
            (inside / "objects/info/alternates").write_bytes(line)
        else:
            shutil.copytree(
                self.template / "objects/pack", inside / "objects/pack", dirs_exist_ok=True
            )

    def _head(self, tree: str, inside: Path) -> str:
        """The base itself, or one commit on it that is the same for the same tree."""
        if tree == self.base.tree:
            return self.base.commit
        head = trees.commit(
            self.git, tree, parent=self.base.commit, message=_HEAD_MESSAGE, at=self.base.at
        )
        transfer.copy(self.git, [head], without=[self.base.commit], into=inside / "objects")
        return head

    def prepare(self) -> None:
        """Pack what the base reaches, once in a session."""
        with _MAKING:  # two rooms may be the first
            if not self.template.exists():
                folders.fresh(self.template, self._fill_template)

    def _fill_template(self, made: Path) -> None:
        (made / "objects/pack").mkdir(parents=True)
        tips = [self.base.commit, *(named for named, _ in self.base.tags.values())]
        self.git.run(
            "pack-objects", "--revs", "-q", "--delta-base-offset", "--window=0",
            str(made / "objects/pack/pack"), stdin="\n".join(tips).encode() + b"\n",
        )  # fmt: skip
        lines = ["# pack-refs with: peeled fully-peeled sorted "]
        for name, (named, commit) in sorted(self.base.tags.items()):
            lines += [f"{named} refs/tags/{name}", *([f"^{commit}"] if commit else [])]
        packed = "\n".join(lines) + "\n"
        (made / "packed-refs").write_bytes(packed.encode("utf-8", "surrogateescape"))
        if self.base.shallow:
            (made / "shallow").write_bytes(self.base.shallow)

    def _pack_bytes(self) -> int:
        self.prepare()
        return sum(pack.stat().st_size for pack in (self.template / "objects/pack").iterdir())

    def _place(self, tree: str) -> Path:
        needed = self._size(tree) * 3 // 2 + self.layer.size + _ROOM_TO_SPARE
        needed += min(self._pack_bytes(), self.copy_bytes)
        for place in self.places:
            place.mkdir(parents=True, exist_ok=True)
            system = os.statvfs(place)
            if system.f_flag & os.ST_NOEXEC == 0 and system.f_bavail * system.f_frsize > needed:
                return place
        raise DiskFull(
            f"a clean room needs {needed >> 20} MB free where programs may run: there is none in "
            + " or ".join(map(str, self.places))
        )

    def _size(self, tree: str) -> int:
        """Of the first tree that was asked for; the later ones differ by a patch."""
        if not self._tree_bytes:
            listed = self.git.run("ls-tree", "-r", "-l", "--full-tree", tree).split(b"\n")[:-1]
            sizes = (line.split(None, 4)[3] for line in listed)
            self._tree_bytes = sum(int(size) + 4096 for size in sizes if size.isdigit())
        return self._tree_bytes

    def _scratch(self) -> Path:
        return Path(self.git.git_dir or "") / f"index.tmp-{uuid.uuid4().hex}"
