"""
What jam needs of the world, in its own words. Each port has a real adapter and, where a test wants
one, a fake that works; ``bot.wiring`` is the only place that knows which is which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import Protocol

from bot.core.contract import Gate, Oracle
from bot.core.ended import Ended as Ended  # named here for adapters, like the two below
from bot.core.tree import FileChange as FileChange
from bot.core.tree import TreeEntry as TreeEntry


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


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tree exactly as the agent left it. ``left_out`` names what git cannot hold, with why."""

    commit: str
    tree: str
    changed: int
    left_out: tuple[tuple[str, str], ...] = ()


class Workcopy(Protocol):
    """jam's own git directory for one session, the agent's checkout, and the clean rooms."""

    @property
    def tree_path(self) -> Path: ...

    def lay(self, commit: str) -> None:
        """Make the agent's checkout exactly ``commit`` (and the setup layer), nothing else."""
        ...

    def checkpoint(self, number: int, *, parent: str) -> Checkpoint | None:
        """None when nothing changed since ``parent``."""
        ...

    def entries(self, tree: str) -> Mapping[str, TreeEntry]: ...

    def restore(self, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> None:
        """Bring these paths of the agent's checkout back, without writing through any link."""
        ...

    def compose(self, tree: str, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> str:
        """A tree like ``tree`` but for these entries. Returns its sha."""
        ...

    def commit(self, tree: str, *, parent: str, message: str, at: int) -> str:
        """``at``: seconds since the epoch. The same arguments give the same commit."""
        ...

    def changes(self, before: str, after: str) -> tuple[FileChange, ...]: ...

    def patch(self, before: str, after: str, *, limit: int) -> str: ...

    def read(self, tree: str, path: str) -> bytes | None: ...

    def write(self, content: bytes) -> str:
        """Keep these bytes as a file's; their name for a ``TreeEntry``."""
        ...

    def room(self, tree: str, *, name: str) -> Path:
        """A fresh folder outside the agent's reach holding exactly ``tree``, an ordinary
        disposable ``.git`` and the setup layer. The same name again replaces the old one."""
        ...

    def discard(self, room: Path) -> None: ...


class Journal(Protocol):
    """Where ledgers live. Lines are JSON, one sealed entry each."""

    def read(self, session_id: str) -> tuple[str, ...]: ...

    def append(self, session_id: str, line: str, *, place: int) -> None:
        """Durable on return. Refused unless the ledger holds exactly ``place`` entries."""
        ...


class Evidence(Protocol):
    """Bytes kept verbatim under their sha256."""

    def put(self, content: bytes) -> str: ...

    def get(self, sha256: str) -> bytes: ...


Say = Callable[[str], None]


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

    def view(self, tree: Path) -> View:
        """What a command in ``tree`` sees: the tree writable, the environment read-only."""
        ...


class Publisher(Protocol):
    """Where a change goes when it may be seen."""

    def publish(self, branch: str, commit: str) -> str:
        """Create ``branch`` at ``commit``; the name that it really got. Never moves a branch that
        holds anything else; the same commit again changes nothing."""
        ...

    def keep(self, session_id: str) -> None:
        """Put the session's checkpoints where the person can reach them."""
        ...
