"""
Looks, and changes nothing: the one turn of ``jam locate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.agents.lab import Lab
from bot.agents.repair import locate
from bot.ports import Bench, Brief, Remaining, TurnDone, Wish

LOCATE = "locate"


@dataclass(frozen=True, slots=True)
class Locate:
    lab: Lab

    @property
    def name(self) -> str:
        return LOCATE

    def turn(
        self,
        brief: Brief,
        bench: Bench,
        *,
        history: Sequence[bytes],  # noqa: ARG002  # there is one turn only
        feedback: str,  # noqa: ARG002
        remaining: Remaining,
    ) -> TurnDone:
        found = locate(self.lab, bench, targets=brief.targets, seconds=remaining.seconds)
        return TurnDone(wish=Wish.GIVE_UP, suspects=found)
