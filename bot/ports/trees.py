"""Trees: checkpoints of what an agent left, candidates, and the rooms that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.core.tree import FileChange, TreeEntry


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tree exactly as the agent left it. ``left_out`` names what git cannot hold, with why."""

    commit: str
    tree: str
    changed: int
    left_out: tuple[tuple[str, str], ...] = ()


class Workcopy(Protocol):
    """jam's own git directory for one session, the agent's checkout, and the clean rooms."""

    @property
    def tree_path(self) -> Path: ...

    def lay(self, commit: str) -> None:
        """Make the agent's checkout exactly ``commit`` (and the setup layer), nothing else."""
        ...

    def checkpoint(self, number: int, *, parent: str) -> Checkpoint | None:
        """None when nothing changed since ``parent``."""
        ...

    def entries(self, tree: str) -> Mapping[str, TreeEntry]: ...

    def restore(self, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> None:
        """Bring these paths of the agent's checkout back, without writing through any link."""
        ...

    def compose(self, tree: str, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> str:
        """A tree like ``tree`` but for these entries. Returns its sha."""
        ...

    def commit(self, tree: str, *, parent: str, message: str, at: int) -> str:
        """``at``: seconds since the epoch. The same arguments give the same commit."""
        ...

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]: ...

    def patch(self, before: str, after: str, *, limit: int) -> str: ...

    def read(self, tree: str, path: str) -> bytes | None: ...

    def write(self, content: bytes) -> str:
        """Keep these bytes as a file's; their name for a ``TreeEntry``."""
        ...

    def room(self, tree: str, *, name: str) -> Path:
        """A fresh folder outside the agent's reach holding exactly ``tree``, an ordinary
        disposable ``.git`` and the setup layer. The same name again replaces the old one."""
        ...

    def discard(self, room: Path) -> None: ...
