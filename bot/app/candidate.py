"""
From what the agent left to what may be judged: frozen paths and surface as the ground has them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.core.entries import Composed, Froze
from bot.core.frozen import Hold, Restoration, Rules, plan
from bot.core.parts import Held, many
from bot.core.session import Session
from bot.core.tree import TreeEntry
from bot.ports import Workcopy

RulesOf = Callable[[Mapping[str, TreeEntry], tuple[str, ...]], Rules]
"""The ground's entries and the paths of an accepted reproduction -> what may not change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composer:
    workcopy: Workcopy
    rules_of: RulesOf
    patterns: tuple[str, ...]  # as the contract spells them, for people and agents
    _known: dict[str, Rules] = field(default_factory=dict)
    _held_in: dict[str, frozenset[str]] = field(default_factory=dict)

    def rules(self, session: Session) -> Rules:
        """What may not change, found on the ground: nothing that came later can loosen it."""
        ground = session.ground
        if ground not in self._known:
            tests = session.reproduced.paths if session.reproduced else ()
            self._known[ground] = self.rules_of(self.workcopy.entries(ground), tests)
        return self._known[ground]

    def held(self, tree: str) -> frozenset[str]:
        """Paths of a tree that nothing may touch while it is judged, by its own names."""
        if tree not in self._held_in:
            self._held_in[tree] = frozenset(self.rules_of(self.workcopy.entries(tree), ()).held)
        return self._held_in[tree]

    def freeze(self, session: Session) -> Froze:
        rules = self.rules(session)
        held = self._held(session.ground, rules)
        surface = sum(rules.held[path] is Hold.SURFACE for path in held)
        return Froze(
            patterns=self.patterns,
            frozen=len(held) - surface,
            surface=surface,
            sha256=digest(held),
        )

    def compose(self, session: Session, head: Held | None) -> Composed:
        rules = self.rules(session)
        if head is None:
            held = self._held(session.ground, rules)
            return Composed(checkpoint=0, tree=session.ground, frozen_sha256=digest(held))
        ground, left = self.workcopy.entries(session.ground), self.workcopy.entries(head.tree)
        found = plan(ground, left, rules)
        if self.workcopy.tree_path.exists():  # a change that is only judged has no checkout
            # The agent keeps its new tests and its surface as it left them: no room sees them
            # unasked, and what is put back here would be gone from every later checkpoint.
            surface = {*found.surface}
            self.workcopy.restore(
                put=[entry for entry in found.put if entry.path not in surface],
                drop=sorted({*found.drop} - _new_tests(found) - surface),
            )
        tree = self.workcopy.compose(head.tree, put=found.put, drop=found.drop)
        return Composed(
            checkpoint=head.number,
            tree=tree,
            restored=many(found.restored),
            restored_count=len(found.restored),
            set_aside=many(found.intruders),
            set_aside_count=len(found.intruders),
            surface=many(found.surface),
            frozen_sha256=digest(self._held(tree, rules)),
            with_tests=self._with_tests(tree, left, found),
            with_surface=self._with_surface(tree, left, found),
        )

    def _held(self, tree: str, rules: Rules) -> Mapping[str, TreeEntry]:
        """The frozen paths of a tree: those of the ground, and any that should not be there."""
        entries = self.workcopy.entries(tree)
        return {path: entry for path, entry in entries.items() if rules.hold(path)}

    def _with_tests(
        self, tree: str, left: Mapping[str, TreeEntry], found: Restoration
    ) -> str | None:
        """The candidate plus the agent's new tests, none of them surface."""
        new = sorted(_new_tests(found))
        return self.workcopy.compose(tree, put=[left[p] for p in new], drop=()) if new else None

    def _with_surface(
        self, tree: str, left: Mapping[str, TreeEntry], found: Restoration
    ) -> str | None:
        """The candidate with its surface as the agent left it; frozen files stay the ground's."""
        if not found.surface:
            return None
        put = [left[path] for path in found.surface if path in left]
        drop = [path for path in found.surface if path not in left]
        return self.workcopy.compose(tree, put=put, drop=drop)


def _new_tests(found: Restoration) -> set[str]:
    return {*found.intruders} - {*found.surface}


def digest(entries: Mapping[str, TreeEntry]) -> str:
    """Over every path, mode and blob, in order."""
    lines = (f"{e.mode} {e.blob}\t{e.path}\0" for _, e in sorted(entries.items()))
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()
