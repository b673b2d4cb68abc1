"""The environment that commands find, and the gates that run in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.core.contract import Gate
from bot.ports.commands import Jail, Ran, View


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRan:
    """One run of a gate's command in a room: how it ended and the bytes that it reported."""

    ran: Ran
    root: str = ""  # where the checkout was for the command
    recording: bytes = b""  # what the reporter said over its socket, as received
    report_file: bytes | None = None  # what the command wrote to ``gate.report_file``


class GateRunner(Protocol):
    """Runs a gate's command in a room, with jam's reporter beside it."""

    def run(
        self,
        gate: Gate,
        room: Path,
        *,
        select: tuple[str, ...] | None = None,  # only these ids; None: whatever the command runs
        seed: int = 0,  # other than 0: hash seed, and the order of tests
        watch: tuple[str, ...] = (),  # changed files whose modules' origin is wanted
    ) -> GateRan: ...

    def look(self, room: Path, paths: Iterable[str]) -> Mapping[str, str]:
        """The state of each path: another one, if anybody has touched it in between."""
        ...

    def ask(self, command: str, room: Path, *, timeout_s: float) -> Ran:
        """A stop hook: ``sh -c`` in a room, nothing reported."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The environment that commands will find. ``ran``: the setup, where there was one."""

    environment_sha256: str
    layer_sha256: str | None = None
    withheld: tuple[str, ...] = ()
    ran: Ran | None = None


class Stage(Protocol):
    """Where commands run: the sandbox, and the environment that was built before any agent."""

    @property
    def jail(self) -> Jail: ...

    def prepare(self, *, setup: str) -> Ready:
        """Run the setup once, in a room of the base; what it made is kept and read-only after."""
        ...

    def environment(self) -> str:
        """As it is now: what ``prepare`` said, while nobody has changed it."""
        ...

    def view(self, tree: Path) -> View:
        """What a command in ``tree`` sees: the tree writable, the environment read-only."""
        ...
