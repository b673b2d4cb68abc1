"""Who writes the change: what an agent is told, where it works, and what came of a turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from threading import Event
from typing import Protocol, TypeAlias

from bot.core.contract import Oracle
from bot.ports.commands import Jail, View

Say: TypeAlias = Callable[[str], None]
"""One line of progress for a person."""


class Wish(StrEnum):
    """What an agent wants after a turn."""

    GO_ON = "go on"
    FINISH = "finish"  # it believes that the change is done; the stop gate answers
    GIVE_UP = "give up"  # it can do no more; adjudication still decides
    ASK = "ask"  # the policy wants a person asked first; ``TurnDone.said`` is the question


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one turn cost. Tokens as the model's service counts them; money in cents."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cents: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call, as the ledger keeps it. ``decision``: allow, deny or ask, with the reason."""

    tool: str
    argument: str  # the command or the path, bounded
    decision: str = "allow"
    why: str = ""
    exit_code: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A line that the failing tests run and the passing ones do less. ``score`` in 0..1."""

    path: str
    line: int
    score: float
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What an agent is told. ``objective`` is untrusted and already fenced as data."""

    objective: str
    targets: tuple[str, ...]
    failure: str = ""  # the end of the red run on the base, fenced
    read_only: tuple[str, ...] = ()  # frozen and surface paths, as patterns
    suspects: tuple[Suspect, ...] = ()
    handover: str = ""  # the last words of the agent before this one, fenced


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """What is left of the budget when a turn begins."""

    turns: int
    seconds: float
    tokens: int
    cents: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where an agent works. Everything it does goes through ``jail`` in ``view``."""

    jail: Jail
    view: View
    oracle: Oracle
    passing: frozenset[str]  # ids that passed in the baseline
    is_read_only: Callable[[str], bool]  # frozen and surface paths of the checkout
    may_run: Callable[[str], tuple[str, str]]  # command -> (allow|deny|ask, why)
    may_write: Callable[[str], tuple[str, str]]  # path -> (allow|deny|ask, why)
    say: Say  # one line of progress for a person
    stop: Event  # set when the session was asked to stop


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDone:
    wish: Wish
    said: str = ""  # the agent's last words, untrusted
    memory: bytes = b""  # what this agent needs of this turn to go on after a crash
    usage: Usage = Usage()
    calls: tuple[Call, ...] = ()
    suspects: tuple[Suspect, ...] = ()


class Purse(Protocol):
    """What the session's repository may spend, which it shares with other sessions."""

    def reserve(self, cents: float) -> float:
        """How much of it one call may cost. Waits while others hold what is left; gives up with
        ``BudgetBusy``."""
        ...


class Agent(Protocol):
    @property
    def name(self) -> str: ...

    def turn(
        self,
        brief: Brief,
        bench: Bench,
        *,
        history: Sequence[bytes],  # the ``memory`` of this agent's earlier turns, in order
        feedback: str,  # what the stop gate answered since the last turn, fenced; or ''
        remaining: Remaining,
    ) -> TurnDone: ...
