"""What can be varied on this machine, for one gate."""

from __future__ import annotations

from bot.core.parts import Fact


class Means(Fact):
    """``missing``: what cannot be varied, and why, a sentence each."""

    order: bool = False  # and which tests run, and how often
    clock: bool = False
    workers: bool = False
    network: bool = False
    locales: tuple[str, ...] = ()
    cores: int = 1
    missing: tuple[str, ...] = ()
