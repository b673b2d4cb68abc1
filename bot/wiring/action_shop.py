"""
Where the sessions of a job are worked on: this runner. What is told while a session runs is also
kept in the repository, so that a job that is cut off loses no more than its last seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.adapters.github_progress import Keeper
from bot.app.github.needs import Keeping
from bot.forge_port import Forge
from bot.wiring.shop import LocalShop

KEEP_EVERY_S = 20.0


@dataclass(slots=True, kw_only=True)
class Kept:
    """The ``Keeping`` port: checkpoints first, then the ledger that speaks of them."""

    checkpoints: Keeper
    keep_session: Callable[[], None]
    clock: Callable[[], float] = time.monotonic
    _last: float = float("-inf")
    _number: int = 0

    def keep(self) -> int:
        number, now = self.checkpoints.keep(), self.clock()
        if number != self._number or now - self._last >= KEEP_EVERY_S:
            self.keep_session()
            self._number, self._last = number, now
        return number


@dataclass(slots=True, kw_only=True)
class ActionShop(LocalShop):
    keep_session: Callable[[str], None] = field(default=lambda _: None)

    def keeper(self, session: str, forge: Forge) -> Keeping:  # type: ignore[override]  # it does more
        return Kept(
            checkpoints=LocalShop.keeper(self, session, forge),
            keep_session=lambda: self.keep_session(session),
        )
