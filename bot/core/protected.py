"""``protect: {glob: block}``: paths that no change of jam's may touch, held like the surface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.core import frozen
from bot.core.frozen import Hold, NewNames, Rules
from bot.core.policy import path_matches
from bot.core.tree import TreeEntry


def protect(rules: Rules, base: Mapping[str, TreeEntry], patterns: Iterable[str]) -> Rules:
    """``rules``, and every path that one of ``patterns`` matches besides."""
    blocked = tuple(patterns)
    held = {path: Hold.SURFACE for path in base if _matches(blocked, path)}
    return frozen.rules(
        base,
        held={**held, **rules.held},
        closed=rules.closed,
        patterns=rules.patterns,
        new=_Blocked(blocked, rules.new),
    )


def _matches(patterns: tuple[str, ...], path: str) -> bool:
    return any(path_matches(pattern, path) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class _Blocked(NewNames):
    patterns: tuple[str, ...]
    more: NewNames | None

    def hold(self, path: str) -> Hold | None:
        if _matches(self.patterns, path):
            return Hold.SURFACE
        return self.more.hold(path) if self.more else None
