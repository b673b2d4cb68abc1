"""The one sign that jam puts on what it was asked: at once when accepted, and at the end."""

from __future__ import annotations

from enum import StrEnum

from bot.core.decision import Answer, Decision, Resume, Retry, Start, Stop, Undo, Verify


class Reaction(StrEnum):
    """The contents as GitHub's API names them."""

    EYES = "eyes"
    ROCKET = "rocket"
    CONFUSED = "confused"


def to(decision: Decision) -> Reaction | None:
    """None: nothing is shown, as for everything that is ignored."""
    match decision:
        case Start() | Retry() | Verify() | Resume() | Stop() | Undo():
            return Reaction.EYES
        case Answer():
            return Reaction.CONFUSED if decision.refusal else Reaction.EYES
        case _:
            return None


def at_end(end: str) -> Reaction:
    """It replaces the first one. Only what was verified flies."""
    return Reaction.ROCKET if end == "verified" else Reaction.CONFUSED
