"""Whoever gets a forge may use it in a thread of its own: no two forges share a client of GitHub's.

PyGithub's clients keep the state of a request while it is under way, so two threads that share one
could read each other's answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.adapters.github.forge import GithubForge
from bot.adapters.github.gateway import Gateway
from bot.adapters.github.line import Line
from tests.ports.forges import HubGround, small_github


def clients(one: GithubForge) -> set[Gateway | Line]:
    return {found for found in _reached(one) if isinstance(found, Gateway | Line)}


def _reached(start: object) -> Iterator[object]:
    """Everything of jam's that can be reached, closures and bound methods too."""
    seen: dict[int, object] = {}
    waiting: list[Any] = [start]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        yield one
        waiting += _inside(one)


def _inside(one: Any) -> list[Any]:
    if isinstance(one, dict):
        return list(one.values())
    if isinstance(one, list | tuple | set | frozenset):
        return list(one)
    if callable(one) and not isinstance(one, type):
        cells = getattr(one, "__closure__", None) or ()
        return [getattr(one, "__self__", None), *(cell.cell_contents for cell in cells)]
    if not type(one).__module__.startswith("bot.adapters"):
        return []
    slots = [name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*getattr(one, "__dict__", {}).values(), *(getattr(one, s, None) for s in slots)]


def test_two_forges_share_no_client(tmp_path: Path) -> None:
    with small_github(tmp_path) as small:
        ground = HubGround(small)
        first, second = clients(ground.fresh()), clients(ground.fresh())

    assert len(first) >= 2, "a gateway and its line, at least, or nothing was walked through"
    assert first & second == set()
