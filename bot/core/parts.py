"""
The parts that facts are made of: a gate's word, a checkpoint, a tool call, what was spent.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from bot.core.contract import Dialect
from bot.core.ended import Ended
from bot.core.spoken import Sha256, ShaGit

MANY = 40
"""How many names an entry spells out before it only counts them."""


def many(names: object) -> tuple[str, ...]:
    """The first ``MANY`` of these names, sorted."""
    return tuple(sorted(names)[:MANY])  # type: ignore[call-overload]  # any iterable of str


class Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Purpose(StrEnum):
    """Why a tree was judged."""

    PREFLIGHT = "preflight"
    REPRODUCTION = "reproduction"
    STOP_GATE = "stop gate"
    ADJUDICATION = "adjudication"
    SENSITIVITY = "sensitivity check"
    WITH_TESTS = "with agent tests"
    WITH_SURFACE = "with surface change"


class Colour(StrEnum):
    GREEN = "green"
    RED = "red"
    ERROR = "error"


class GateFact(Fact):
    """What one gate said of one tree, and what jam made of it."""

    gate: str
    report: Dialect
    colour: Colour
    passed: int = 0
    failed: int = 0
    errored: int = 0
    skipped: int = 0
    exit_code: int | None = None
    ended: Ended = Ended.EXITED
    seconds: float = 0.0
    lost: tuple[str, ...] = ()  # passed on the base, not here
    lost_count: int = 0
    unmended: tuple[str, ...] = ()  # targets that do not pass
    unmended_count: int = 0
    failing: tuple[str, ...] = ()  # new failures that are neither
    reasons: tuple[str, ...] = ()
    integrity: tuple[str, ...] = ()  # never told to the agent
    report_sha256: Sha256
    output_sha256: Sha256


class CallFact(Fact):
    tool: str
    argument: str
    decision: str = "allow"
    why: str = ""
    exit_code: int | None = None
    seconds: float = 0.0


class Spent(Fact):
    """Tokens as the model's service counts them; money in cents."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cents: float = 0.0


class Held(Fact):
    """A checkpoint: the tree exactly as the agent left it."""

    number: int
    commit: ShaGit
    tree: ShaGit
    changed: int
    left_out: tuple[tuple[str, str], ...] = ()


class Change(Fact):
    path: str
    added: int | None
    removed: int | None
    old_mode: str = ""
    new_mode: str = ""


class Remark(Fact):
    """
    Something odd in the change, for whoever reads it. ``line`` 0 is the file itself. What blocks
    has no honest use in a repair: nothing is called verified over it.
    """

    path: str
    line: int
    what: str
    blocks: bool = False

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}" if self.line else self.path


class CheckFact(Fact):
    """A sensitivity check. ``result`` is never *passed* for a check that did not act."""

    name: str
    result: Literal["passed", "failed", "not applicable"]
    why: str
