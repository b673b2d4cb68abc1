"""
What one offline search is asked: which tests are to turn green, what may be changed, how long.

Only the shape. Who searches is ``bot.agents.repair``; how a search gets into the repository's own
interpreter is for whoever implements ``bot.agents.lab.Lab``.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.contract import Gate


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """``skip``: digests of changes that were refused before."""

    gate: Gate
    editable: tuple[str, ...]
    targets: tuple[str, ...]
    passing: frozenset[str]
    seconds: float
    locate_only: bool = False
    skip: tuple[str, ...] = ()
