"""The things that can be done, as values, and what came of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bot.ports import Call

SHELL_S = 120.0  # unless asked for more
LONGEST_S = 600.0


@dataclass(frozen=True, slots=True)
class Shell:
    command: str
    timeout_s: float = SHELL_S


@dataclass(frozen=True, slots=True)
class Read:
    """A file's lines ``first`` to ``last`` (0: to the end), or what a folder holds."""

    path: str
    first: int = 1
    last: int = 0


@dataclass(frozen=True, slots=True)
class Write:
    """The whole file, new or replaced."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Edit:
    """``old`` must be there exactly once."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Insert:
    """After this line; 0 is the beginning."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    path: str


@dataclass(frozen=True, slots=True)
class Search:
    """Lines that match an extended regular expression, below ``path``."""

    pattern: str
    path: str = "."


@dataclass(frozen=True, slots=True)
class Finish:
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A call that cannot be carried out as it was made; ``why`` is told, nothing is done."""

    tool: str
    why: str


Action: TypeAlias = Shell | Read | Write | Edit | Insert | Delete | Search | Finish | Unusable


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """``text`` is for whoever asked: bounded, nothing hidden in it."""

    text: str
    call: Call
    ok: bool = True
