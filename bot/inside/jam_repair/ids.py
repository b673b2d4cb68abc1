"""
Which collected test is meant by an id: pytest's own, or the dotted names of other reports.
"""

from __future__ import annotations

from typing import Iterable


def dotted(id_: str) -> str:
    """``tests/test_a.py::T::test_b[x]`` and ``tests.test_a.T.test_b[x]`` are the same test."""
    plain, bracket, parameters = id_.partition("[")
    plain = plain.replace(".py::", ".").replace("::", ".").replace("/", ".")
    return plain + bracket + parameters


def find(wanted: Iterable[str], collected: Iterable[str]) -> dict[str, str]:
    """Wanted id -> the collected one: itself, or the only one that its dotted name ends."""
    have = list(collected)
    exact = set(have)
    by_end: dict[str, list[str]] = {}
    found: dict[str, str] = {}
    for id_ in wanted:
        if id_ in exact:
            found[id_] = id_
            continue
        if not by_end:
            by_end = _ends(have)
        meant = by_end.get(dotted(id_), [])
        if len(meant) == 1:
            found[id_] = meant[0]
    return found


def _ends(collected: Iterable[str]) -> dict[str, list[str]]:
    ends: dict[str, list[str]] = {}
    for id_ in collected:
        plain, bracket, parameters = dotted(id_).partition("[")
        parts = plain.split(".")
        for place in range(max(len(parts) - 1, 1)):
            ends.setdefault(".".join(parts[place:]) + bracket + parameters, []).append(id_)
    return ends
