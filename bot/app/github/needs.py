"""
What jam on GitHub needs of the world, besides ``bot.ports`` and the forge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Any, Protocol

from bot.app.case import Case
from bot.app.engine import Beginning
from bot.app.opening import Base
from bot.core.docket import Listed
from bot.core.facts import Standing, State
from bot.core.mail import Waiting
from bot.core.moving import Sent
from bot.core.thread import Repository
from bot.forge_port import Forge
from bot.ports import Evidence, Journal, Say

Now = Callable[[], datetime]


class Mailbox(Protocol):
    def waiting(self, *, now: datetime, limit: int = 50) -> tuple[Waiting, ...]: ...

    def settle(self, id_: str, *, outcome: str, why: str, session: str = "") -> None: ...

    def later(self, id_: str, *, at: datetime, why: str) -> None: ...


class Docket(Protocol):
    def add(self, listed: Listed) -> bool:
        """False: it is there already."""
        ...

    def get(self, session: str) -> Listed | None: ...

    def last(self, repository: int, number: int) -> Listed | None: ...

    def standing(self, repository: int, number: int, *, counted: str = "") -> Standing: ...

    def attempts(self, counts_as: str) -> int: ...

    def spent_cents(self, repository: int, *, since: datetime) -> int: ...

    def reserve(self, session: str, *, run: int, wanted: float, limit: float) -> float | None:
        """Cents for one call, of what the repository may spend in a day; None: others have reserved
        what is left, so far."""
        ...

    def place(self, session: str) -> int:
        """In the queue; 1 is the next."""
        ...

    def let_go(self, worker: str | None = None) -> int:
        """What it ran may be taken over at once. None: nobody else can be running anything."""
        ...

    def begin(self, session: str, *, run: int) -> bool: ...

    def beat(self, session: str, *, run: int) -> str | None:
        """Who wants it to stop, '' for nobody; None: it is not this run's any more."""
        ...

    def note(self, session: str, *, run: int, **facts: Any) -> None:
        """``Superseded`` where the session is another run's."""
        ...

    def rest(
        self, session: str, *, run: int, state: State, why: str, due: datetime | None = None
    ) -> None: ...

    def queue_again(self, session: str, *, approved_by: str = "") -> int | None: ...

    def take_over(self, session: str) -> int | None: ...

    def end(
        self, session: str, *, end: str, why: str, now: datetime, run: int | None = None
    ) -> None:
        """``run`` None: whoever runs it."""
        ...

    def ask_stop(self, session: str, *, by: str) -> State: ...

    def due(self, *, now: datetime) -> tuple[str, ...]: ...

    def lapsed(self) -> tuple[str, ...]: ...

    def in_state(self, *states: State, limit: int = 500) -> tuple[Listed, ...]: ...

    def open_in(
        self, *, repositories: tuple[int, ...] = (), installation: int | None = None
    ) -> tuple[Listed, ...]: ...

    def sessions_of(self, repository: int, number: int) -> tuple[str, ...]:
        """All that ever worked on this thread, or made this pull request."""
        ...

    def branch_of(self, repository: int, number: int) -> str:
        """jam's branch of this thread, the newest; '' where nothing was published."""
        ...

    def answer(self, repository: int, number: int, text: str) -> None:
        """Keep jam's last sentence to whoever asked in this thread."""
        ...

    def answered(self, repository: int, number: int) -> str: ...


class Line(Protocol):
    """The queue."""

    def put(self, session: str, *, run: int, repository: int) -> None:
        """Again changes nothing. The run before it is over, whoever had it."""
        ...


class Forges(Protocol):
    def of(self, where: Repository) -> Forge:
        """For one thread to use. ``NotInstalled`` where jam may not go any more."""
        ...

    def held(self, listed: Listed) -> Forge:
        """The same for one run of a session: once the session is another run's, it writes nothing
        and raises ``Superseded``."""
        ...


class Ground(Protocol):
    """Commits of one repository, on this machine."""

    def base(self, sha: str, *, name: str) -> Base: ...

    def commit(self, name: str) -> str:
        """The commit that a full reference, or a commit's own name, means."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A session that was opened, and what publishing it takes. ``is_ours``: its branch is there,
    from an earlier attempt. ``trailer``: who asked, for each commit."""

    case: Case
    ground: Ground
    run: int = 1
    is_ours: bool = False
    trailer: str = ""


class Keeping(Protocol):
    def keep(self) -> int:
        """Send checkpoints that were not sent yet."""
        ...


class Shop(Protocol):
    """Where sessions are worked on: the machine, with its sandbox, its rooms and its ledgers."""

    @property
    def journal(self) -> Journal: ...

    @property
    def evidence(self) -> Evidence: ...

    def sandbox(self, kind: str) -> str:
        """The level of the sandbox that would be used. ``SandboxUnavailable`` where none may."""
        ...

    def fetch(self, where: Repository, forge: Forge, *, wanted: Sequence[str]) -> Ground:
        """``wanted``: commits or full references, which are all there on return."""
        ...

    def lock(self, session: str, *, run: int) -> AbstractContextManager[None]:
        """Held by whoever conducts this run: its ledger can be written to until then."""
        ...

    def is_here(self, session: str, *, seal: str) -> bool:
        """Whether this machine has what the ledger speaks of, as of its last seal."""
        ...

    def sent(self, where: Repository, session: str) -> Mapping[int, Sent]:
        """Checkpoints of it that were fetched."""
        ...

    def hands(
        self, given: Given, forge: Forge, *, say: Say, stop: Event
    ) -> AbstractContextManager[Beginning]:
        """Everything that the session's steps need."""
        ...

    def keeper(self, session: str, forge: Forge) -> Keeping: ...

    def attest(self, session: str, where: Repository, forge: Forge, *, commit: str) -> str:
        """The statement on what was published as ``commit``, sent with its ledger and evidence for
        whoever wants to check it. Its digest; '' where nothing may leave this machine."""
        ...

    def leave(self, session: str) -> None:
        """What an ended session needs no more goes."""
        ...

    def discard(self, session: str, *, run: int) -> None:
        """It was refused: there never was a session."""
        ...
