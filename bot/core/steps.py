"""
The steps of a session, one small value each, and the numbers that bound them.

Which step is due is ``bot.core.next_step``; what performing one does is ``bot.app.perform``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bot.core.entries import Ended, Hooked, Judged
from bot.core.parts import Held, Purpose

REFUSALS = 8
"""Reds, vetoes and refusals together, after which adjudication decides."""
GATE_ERRORS = 2
"""Errors of the oracle in a row, after which the stop gate gives up for good."""
PREFLIGHTS = 2
SEEDS = (0, 20_011, 40_009)
"""Adjudication's runs: as the command says, and twice varied (hash seed and order)."""
PROBES = ("sabotage", "twin", "renamed")
"""Sensitivity checks that run something; neutrality is the preflight's, by tree identity."""
DISPUTABLE = 20
"""More ids in dispute than this are not noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the contract allows one session, as numbers."""

    agents: tuple[str, ...]
    turns: int
    seconds: float
    tokens: int
    cents: float
    hooks: int = 0
    may_reproduce: bool = False
    needs_red: bool = True
    agent_tests: bool = True
    publish: bool = True
    can_ask: bool = False


@dataclass(frozen=True, slots=True)
class Prepare:
    pass


@dataclass(frozen=True, slots=True)
class Freeze:
    pass


@dataclass(frozen=True, slots=True)
class Preflight:
    number: int
    tree: str


@dataclass(frozen=True, slots=True)
class Settle:
    """Take the preflight runs together: baseline and targets, or a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    number: int
    agent: str
    answer: Judged | Hooked | None = None  # what the last wish to finish was told
    reproduce: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """Rest until a person agrees, or does not."""

    what: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reproduce:
    """Judge the base with the agent's new test over it; red means that it reproduces."""

    head: Held


@dataclass(frozen=True, slots=True)
class Accept:
    """The reproduction stands: freeze it, it is the ground from here on."""

    head: Held
    tree: str


@dataclass(frozen=True, slots=True)
class Compose:
    head: Held | None  # None: nothing was ever changed


@dataclass(frozen=True, slots=True)
class AskGate:
    tree: str
    earlier: Judged | None  # the same tree was judged before


@dataclass(frozen=True, slots=True)
class AskHook:
    number: int


@dataclass(frozen=True, slots=True)
class Adjudicate:
    tree: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    tree: str
    ids: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Probe:
    """Sensitivity checks of a green tree, by name."""

    tree: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgeAlso:
    purpose: Purpose
    tree: str


@dataclass(frozen=True, slots=True)
class Conclude:
    why: str  # what ended the work


@dataclass(frozen=True, slots=True)
class Publish:
    pass


@dataclass(frozen=True, slots=True)
class Finish:
    pass


@dataclass(frozen=True, slots=True)
class Done:
    ended: Ended


Step: TypeAlias = (
    Prepare
    | Freeze
    | Preflight
    | Settle
    | Work
    | Ask
    | Reproduce
    | Accept
    | Compose
    | AskGate
    | AskHook
    | Adjudicate
    | Dispute
    | Probe
    | JudgeAlso
    | Conclude
    | Publish
    | Finish
    | Done
)
