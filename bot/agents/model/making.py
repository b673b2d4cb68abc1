"""How a model agent is made from its means."""

from __future__ import annotations

from bot.agents.means import Means
from bot.agents.model.agent import ModelAgent
from bot.agents.model.service import Service, connect

MODEL = "claude-sonnet-5-5"


def make(means: Means) -> ModelAgent:
    """``anthropic:MODEL`` names a model; the contract's holds otherwise."""
    service = Service(
        client=connect(secret=means.secret, base_url=means.base_url),
        secret=means.secret,
        clock=means.clock,
        chance=means.chance,
        first_pause_s=means.first_pause_s,
    )
    model = means.argument or means.model or MODEL
    return ModelAgent(service=service, model=model, frame=means.frame, seconds=means.clock)
