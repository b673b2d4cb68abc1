"""
How a session goes on where it was not before: which of its turns stand, by the checkpoints that
were sent while it ran.

Decides from the ledger and from what can be fetched. A turn stands when the checkpoint that it left
can be had, and every one before it; an agent that remembers more than its checkout holds would
build on what is not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.entries import Moved, Reproduced, Turned
from bot.core.ledger import Sealed
from bot.core.parts import Held

FOLDER = "refs/jam/checkpoints/{session}/"


@dataclass(frozen=True, slots=True)
class Sent:
    """A checkpoint as the forge has it. ``is_thinned``: it says that something stayed behind."""

    commit: str
    tree: str
    is_thinned: bool


def numbers(ledger: Sequence[Sealed]) -> tuple[int, ...]:
    """Which checkpoints to ask for."""
    return tuple(one.number for one in (turn.checkpoint for turn in _standing(ledger)) if one)


def ref_of(session: str, number: int) -> str:
    return f"{FOLDER.format(session=session)}{number}"


def move(ledger: Sequence[Sealed], sent: Mapping[int, Sent], *, at: datetime) -> Moved:
    turns = _standing(ledger)
    kept: list[Turned] = []
    head: Held | None = None
    for turn in turns:
        left = turn.checkpoint
        if left is not None:
            found = sent.get(left.number)
            if found is None or not _is(left, found):
                break
            head = left.model_copy(update={"commit": found.commit, "tree": found.tree})
        kept.append(turn)
    if head is None and any(turn.checkpoint for turn in turns):
        kept = []
    last = kept[-1] if kept else None
    return Moved(
        at=at,
        checkpoint=head,
        turns=len(kept),
        lost=len(turns) - len(kept),
        agent=sum(turn.wish == "give up" for turn in kept),
        finishes=last is not None and last.wish == "finish",
    )


def _is(left: Held, found: Sent) -> bool:
    """A reference of that number may hold what a turn left that was cut short."""
    return found.tree == left.tree or found.is_thinned


def _standing(ledger: Sequence[Sealed]) -> tuple[Turned, ...]:
    """The turns that still stand. A reproduction is not taken along: after one, none does."""
    turns: list[Turned] = []
    for sealed in ledger:
        match sealed.fact:
            case Turned():
                turns.append(sealed.fact)
            case Moved():
                del turns[sealed.fact.turns :]
            case _:
                continue
    reproduced = False
    for sealed in ledger:
        if isinstance(sealed.fact, Reproduced):
            reproduced = True
        elif isinstance(sealed.fact, Moved):
            reproduced = False
    return () if reproduced else tuple(turns)
