"""The offline repair agent, and the lines that failing tests blame."""

from __future__ import annotations

from bot.agents.means import Means
from bot.agents.repair.agent import Repair, locate
from bot.errors import AgentUnusable

__all__ = ["Repair", "locate", "make"]


def make(means: Means) -> Repair:
    if means.lab is None:
        raise AgentUnusable("the repair agent has no way into the repository's interpreter here")
    return Repair(means.lab, clock=means.clock)
