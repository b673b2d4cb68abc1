"""What an agent is made from. ``bot.wiring`` fills it in; an agent reads nothing by itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from bot.agents.lab import Lab
from bot.agents.way_out import WayOut
from bot.core import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """``argument`` is what follows the colon in ``command:CMD``. ``secret`` is the model's key:
    it stays in jam's own process, and is in no view, memory or message."""

    argument: str = ""
    model: str = ""
    secret: str = field(default="", repr=False)
    base_url: str | None = None
    lab: Lab | None = None  # where ``repair`` runs its search
    frame: str = prompt.SYSTEM  # what a model is told before anything else
    way_out: WayOut | None = None  # what ``command`` may reach
    clock: Callable[[], float] = monotonic
    chance: Callable[[], float] = random.random
    first_pause_s: float = 1.0  # before a service that failed is asked again
