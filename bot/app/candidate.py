"""
From what the agent left to what may be judged: frozen paths and surface as the base has them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.entries import Composed, Froze
from bot.core.frozen import Restoration, Rules, frozen_entries, plan
from bot.core.parts import Held, many
from bot.core.session import Session
from bot.core.tree import TreeEntry
from bot.ports import Workcopy


@dataclass(frozen=True, slots=True, kw_only=True)
class Composer:
    workcopy: Workcopy
    rules: Rules

    def freeze(self, ground: str) -> Froze:
        entries = self.workcopy.entries(ground)
        held = frozen_entries(entries, self.rules)
        surface = [path for path in held if self.rules.is_surface(path)]
        return Froze(
            patterns=self.rules.patterns,
            frozen=len(held) - len(surface),
            surface=len(surface),
            sha256=digest(held),
        )

    def compose(self, session: Session, head: Held | None) -> Composed:
        ground = self.workcopy.entries(session.ground)
        if head is None:
            held = frozen_entries(ground, self.rules)
            return Composed(checkpoint=0, tree=session.ground, frozen_sha256=digest(held))
        left = self.workcopy.entries(head.tree)
        restoration = plan(ground, left, self.rules)
        self.workcopy.restore(put=restoration.put, drop=restoration.drop)
        tree = self.workcopy.compose(head.tree, put=restoration.put, drop=restoration.drop)
        held = frozen_entries(self.workcopy.entries(tree), self.rules)
        aside = restoration.intruders
        return Composed(
            checkpoint=head.number,
            tree=tree,
            restored=many(restoration.restored),
            restored_count=len(restoration.restored),
            set_aside=many(aside),
            set_aside_count=len(aside),
            surface=many(restoration.surface),
            frozen_sha256=digest(held),
            with_tests=self._with(tree, left, restoration.new_tests),
            with_surface=self._with_surface(tree, ground, left, restoration),
        )

    def _with(self, tree: str, left: Mapping[str, TreeEntry], paths: frozenset[str]) -> str | None:
        if not paths:
            return None
        return self.workcopy.compose(tree, put=[left[path] for path in sorted(paths)], drop=())

    def _with_surface(
        self,
        tree: str,
        ground: Mapping[str, TreeEntry],
        left: Mapping[str, TreeEntry],
        restoration: Restoration,
    ) -> str | None:
        """The candidate with its surface as the agent left it; frozen files stay the base's."""
        if not restoration.surface:
            return None
        put = [left[path] for path in sorted(restoration.surface) if path in left]
        drop = [p for p in sorted(restoration.surface) if p not in left and p in ground]
        return self.workcopy.compose(tree, put=put, drop=drop)


def digest(entries: Mapping[str, TreeEntry]) -> str:
    """Over every path, mode and blob, in order."""
    lines = (f"{e.mode} {e.blob}\t{e.path}\0" for _, e in sorted(entries.items()))
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()
