"""Commands: what one can see, how much it may use, how it ended, and who runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Protocol

from bot.core.ended import Ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that is over. Whatever it started is dead."""

    ended: Ended
    exit_code: int | None
    output: str  # stdout and stderr as they came, head and tail kept, decoded with replacement
    output_sha256: str  # over the raw bytes, all of them
    output_bytes: int
    seconds: float

    @property
    def cut(self) -> bool:
        return len(self.output.encode(errors="replace")) < self.output_bytes


@dataclass(frozen=True, slots=True)
class Bind:
    """``source`` on this machine is seen at ``target`` inside."""

    source: Path
    target: Path
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a command can see. Everything not named here does not exist for it."""

    tree: Path  # the folder on this machine
    at: Path  # where it is mounted, and the current folder
    writable: bool = True
    readable: tuple[Path, ...] = ()  # seen read-only at their own place
    binds: tuple[Bind, ...] = ()  # laid over the rest, in order
    env: Mapping[str, str] = field(default_factory=dict)  # the whole environment, but for defaults
    network: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    timeout_s: float
    output_bytes: int = 64 << 20  # beyond this the command is ended
    keep_bytes: int = 256 << 10  # of head and tail together
    memory_bytes: int = 8 << 30
    processes: int = 512
    file_bytes: int = 4 << 30


class Jail(Protocol):
    """Runs commands where they can do no harm. Everything a command started is dead on return."""

    @property
    def level(self) -> str:
        """``bwrap`` or ``none``; told in the ledger and in the pull request."""
        ...

    def run(
        self,
        argv: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        stop: Event | None = None,
    ) -> Ran: ...

    def adopt(self, folder: Path) -> None:
        """Make ``folder`` and all in it belong to whoever commands run as. Follows no link."""
        ...
