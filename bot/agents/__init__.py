"""
Who writes the change. ``AGENTS`` is all there are: a name, and who makes one from its means.

``repair`` searches offline, ``anthropic`` asks a model, ``command:CMD`` runs any coding program,
``scripted:FILE`` does what a file says.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import replace

from bot.agents.means import Means
from bot.errors import AgentUnusable
from bot.ports import Agent

Maker = Callable[[Means], Agent]


# Each is imported when it is asked for: a model's package is heavy, and an extra.
def _anthropic(means: Means) -> Agent:
    try:
        from bot.agents.model.making import make
    except ModuleNotFoundError as missing:
        raise AgentUnusable(
            f'the anthropic agent needs its extra ({missing.name}): pip install "jam[anthropic]"'
        ) from None
    return make(means)


def _command(means: Means) -> Agent:
    from bot.agents.command import make

    return make(means)


def _repair(means: Means) -> Agent:
    from bot.agents.repair import make

    return make(means)


def _scripted(means: Means) -> Agent:
    from bot.agents.scripted import make

    return make(means)


AGENTS: Mapping[str, Maker] = {
    "repair": _repair,
    "anthropic": _anthropic,
    "command": _command,
    "scripted": _scripted,
}


def make(spoken: str, means: Means) -> Agent:
    """``spoken``: a name, or ``name:argument``. Raises ``AgentUnusable`` for one there is not."""
    demand_known(spoken)
    name, _, argument = spoken.partition(":")
    return AGENTS[name](replace(means, argument=argument))


def demand_known(spoken: str) -> None:
    """Before anything is begun for an agent that there is not: ``AgentUnusable``."""
    name = spoken.partition(":")[0]
    if name not in AGENTS:
        near = difflib.get_close_matches(name, AGENTS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(AGENTS)}"
        raise AgentUnusable(f"there is no agent {name!r}{hint}")
