"""
The smallest part of a list that still does what the whole does: delta debugging.

A generator: it yields lists to try, as many at once as may be tried side by side, and is sent an
answer for each. It never runs anything, and never asks the same question twice.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import TypeAlias

Part: TypeAlias = tuple[str, ...]
Asking: TypeAlias = Generator[tuple[Part, ...], Sequence[bool], Part]


def smallest(whole: Sequence[str]) -> Asking:
    """One-minimal: without any single one of the result it is not done any more. ``whole`` is
    known to do it."""
    known: dict[Part, bool] = {}
    now, parts = tuple(whole), 2
    while len(now) > 1:
        pieces = _split(now, min(parts, len(now)))
        part = yield from _first(pieces, known)
        if part is None and parts > 2:
            part = yield from _first([_without(now, piece) for piece in pieces], known)
            if part is not None:
                now, parts = part, max(parts - 1, 2)
                continue
        if part is not None:
            now, parts = part, 2
        elif parts >= len(now):
            break
        else:
            parts = min(len(now), parts * 2)
    return now


def _first(
    parts: Sequence[Part], known: dict[Part, bool]
) -> Generator[tuple[Part, ...], Sequence[bool], Part | None]:
    """The first that does it; asked two by two, so that two can run at a time."""
    for at in range(0, len(parts), 2):
        pair = parts[at : at + 2]
        asked = tuple(part for part in pair if part not in known)
        if asked:
            known.update(zip(asked, (yield asked), strict=True))
        for part in pair:
            if known[part]:
                return part
    return None


def _split(items: Part, count: int) -> list[Part]:
    """The later ones first: what pollutes a test tends to stand near it."""
    bounds = [len(items) * at // count for at in range(count + 1)]
    return [items[low:high] for low, high in pairwise(bounds)][::-1]


def _without(items: Part, piece: Part) -> Part:
    gone = frozenset(piece)
    return tuple(item for item in items if item not in gone)
