"""
What a person asks of jam, and what jam answers: one frozen record for each command.

The command line fills these in and prints the answer; ``bot.wiring`` has one function for each.
Nothing here knows how either of them does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Protocol

from bot.core.sandbox_kind import SandboxKind

if TYPE_CHECKING:  # the ports know the contract's models, which help has no need to build
    from bot.ports import Say


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``text`` is for a person, ``document`` is the same as data; the door prints one of them."""

    text: str
    document: Mapping[str, object] = field(default_factory=dict)
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRequest:
    repo: Path
    issue: Path | None  # None: standard input
    config: Path | None = None  # None: .github/jam.yml of the base commit
    oracle: str = ""  # '': the first one of the contract
    targets: tuple[str, ...] = ()  # (): whatever is red on the base
    release: tuple[str, ...] = ()  # tests that pin the bug
    base: str = "HEAD"
    agent: str = ""  # NAME or NAME:ARG; '': the contract's
    branch: str = ""  # '': made from the contract's prefix and the issue
    state: Path | None = None  # None: the user's state folder
    sandbox: SandboxKind | None = None  # None: the contract's
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    repo: Path
    base: str
    head: str
    targets: tuple[str, ...] = ()  # (): the head's tests that are red on the base
    config: Path | None = None
    oracle: str = ""
    state: Path | None = None
    sandbox: SandboxKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRequest:
    session: str
    state: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest:
    session: str
    state: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsRequest:
    state: Path | None = None


class CheckpointsAction(StrEnum):
    LIST = "list"
    DIFF = "diff"
    RESTORE = "restore"
    PRUNE = "prune"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointsRequest:
    action: CheckpointsAction
    session: str
    repo: Path
    number: int | None = None  # None: all of them (list, prune), the last one (diff, restore)
    state: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCheckRequest:
    file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class AttestRequest:
    """A statement in a file, with what lies beside it; or by the commit that it is about."""

    file: Path | None = None
    repo: Path | None = None
    commit: str = ""  # '': the file's
    key: Path | None = None  # the public one
    ledger: Path | None = None  # None: beside the file
    evidence: Path | None = None  # None: beside the file, where there is any


@dataclass(frozen=True, slots=True, kw_only=True)
class KeygenRequest:
    file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class LocateRequest:
    repo: Path
    config: Path | None = None
    oracle: str = ""
    targets: tuple[str, ...] = ()
    base: str = "HEAD"
    limit: int = 10  # lines told
    state: Path | None = None
    sandbox: SandboxKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlakyRequest:
    repo: Path
    config: Path | None = None
    oracle: str = ""  # '': the contract's for flaky tests, or its first
    base: str = "HEAD"
    minutes: float | None = None  # None: the contract's
    fix: bool = False
    agent: str = ""  # who mends, NAME or NAME:ARG; '': the contract's
    allow: tuple[str, ...] = ()  # rules of the guard that a person lifts
    dry_run: bool = False  # mends are judged and told, and no branch is left
    tests: tuple[str, ...] = ()  # looked at first, or nothing else with ``only``
    history: Path | None = None  # a folder of JUnit files that CI left
    found: Path | None = None  # what an earlier search told as JSON, instead of another search
    report: Path | None = None  # where the page goes; None: into the state folder
    network: bool = False  # one kind of run may use it
    state: Path | None = None
    sandbox: SandboxKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorRequest:
    repo: Path | None = None  # None: only the machine is looked at
    state: Path | None = None
    app: bool = False  # the GitHub App as well


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRequest:
    into: Path  # a folder of its own; made anew if it was made by a demo before
    agent: str = "repair"
    sandbox: SandboxKind | None = None
    local: bool = False  # `jam fix` alone, without a forge
    flaky: bool = False  # another project, whose tests are flaky
    wait: bool = False  # keep the pages up until it is interrupted


class LogKind(StrEnum):
    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeRequest:
    """Secrets are in the environment, and nowhere else."""

    host: str = "127.0.0.1"
    port: int = 8321
    state: Path | None = None
    sessions: int = 2  # of this process at a time; 0: others do the work
    per_repository: int = 1
    in_all: int = 0  # of all processes and repositories together; 0: no limit
    agent: str = ""  # instead of the contract's
    allow_no_sandbox: bool = False
    log: LogKind = LogKind.TEXT
    register: bool = False  # only the page on which the App is registered


class Engine(Protocol):
    """What every door asks. ``bot.wiring`` is one, as a module; ``say`` gets lines of progress,
    ``stop`` is set when the person asks to stop."""

    def fix(self, request: FixRequest, *, say: Say, stop: Event) -> Answer: ...

    def verify(self, request: VerifyRequest, *, say: Say, stop: Event) -> Answer: ...

    def resume(self, request: ResumeRequest, *, say: Say, stop: Event) -> Answer: ...

    def locate(self, request: LocateRequest, *, say: Say, stop: Event) -> Answer: ...

    def flaky(self, request: FlakyRequest, *, say: Say, stop: Event) -> Answer: ...

    def show(self, request: ShowRequest) -> Answer: ...

    def sessions(self, request: SessionsRequest) -> Answer: ...

    def checkpoints(self, request: CheckpointsRequest) -> Answer: ...

    def ledger_check(self, request: LedgerCheckRequest) -> Answer: ...

    def attest_verify(self, request: AttestRequest) -> Answer: ...

    def attest_keygen(self, request: KeygenRequest) -> Answer: ...

    def doctor(self, request: DoctorRequest, *, say: Say) -> Answer: ...

    def demo(self, request: DemoRequest, *, say: Say, stop: Event) -> Answer: ...

    def serve(self, request: ServeRequest, *, say: Say) -> int: ...

    def work(self, request: ServeRequest, *, say: Say) -> int: ...

    def action(self, *, say: Say, shout: Say) -> int: ...
