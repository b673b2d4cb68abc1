"""
What jam asks of a forge and hears from it, as values.

A repository is known by its number and a person by theirs; names are for reading and addresses.
Nothing in here is live: a fact is as old as the call that brought it, and texts are somebody's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from bot.core.annotations import Annotation
from bot.core.check_text import CheckText
from bot.core.thread import NOBODY, Account, Pull, Thread

LINK, GITLINK = "120000", "160000"
MODES = ("100644", "100755", LINK)
WORKFLOWS = ".github/workflows/"


# where


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    id: int
    name: str  # owner/name, as it is now
    owner: Account
    default_branch: str
    clone_url: str
    is_private: bool = False
    is_archived: bool = False
    is_fork: bool = False
    is_organization: bool = False  # whether the owner is one


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractText:
    """The contract as it stands in a trusted place. ``name`` is what mistakes call it."""

    name: str  # owner/name/.github/jam.yml
    commit: str
    content: bytes


# threads


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFacts:
    """An issue, or what a pull request has in common with one."""

    thread: Thread
    labels: tuple[str, ...] = ()
    is_locked: bool = False
    updated_at: datetime | None = None
    closed_by: Account = NOBODY  # also where it is closed and nobody says by whom


@dataclass(frozen=True, slots=True, kw_only=True)
class NewIssue:
    """The first line of ``body`` is a hidden mark, by which it is found again."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class OfThread:
    """A reaction's place: the issue or pull request itself."""

    number: int


@dataclass(frozen=True, slots=True)
class OfComment:
    id: int


Spot: TypeAlias = OfThread | OfComment


# pull requests


@dataclass(frozen=True, slots=True, kw_only=True)
class PullFacts:
    pull: Pull
    base_sha: str
    is_draft: bool = False
    head_name: str = ""  # owner/name of the head's repository; '' where the fork is gone
    url: str = ""
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        return self.pull.number


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPull:
    """``branch`` is in the repository itself: jam never opens one from elsewhere."""

    branch: str
    base: str
    title: str
    body: str
    is_draft: bool


# checks


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What is to stand beside a commit. One per ``text.external_id`` and name."""

    sha: str
    text: CheckText
    notes: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFacts:
    """A check run as anybody sees it. ``app`` 0: not known. ``conclusion`` '': not there yet."""

    id: int
    name: str
    sha: str
    status: str
    conclusion: str = ""
    external_id: str = ""
    app: int = 0
    suite: int = 0
    url: str = ""
    title: str = ""
    summary: str = ""
    text: str = ""

    @property
    def has_failed(self) -> bool:
        return self.conclusion in FAILED


FAILED = frozenset({"failure", "timed_out", "startup_failure"})


@dataclass(frozen=True, slots=True)
class OfCommit:
    sha: str


@dataclass(frozen=True, slots=True)
class OfSuite:
    id: int


@dataclass(frozen=True, slots=True)
class OfRun:
    """A workflow run: its jobs are check runs of the same numbers."""

    id: int


Failing: TypeAlias = OfCommit | OfSuite | OfRun


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """A workflow run, with both of its actors: whoever began it, and whoever ran it again."""

    id: int
    name: str
    path: str
    event: str
    sha: str
    branch: str  # '' where GitHub names none
    conclusion: str = ""
    suite: int = 0
    attempt: int = 1
    actor: Account = NOBODY
    triggering_actor: Account = NOBODY
    head_repository: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A job of a workflow run. Its number is its check run's too."""

    id: int
    run: int
    name: str
    sha: str
    conclusion: str = ""
    failed_steps: tuple[str, ...] = ()

    @property
    def has_failed(self) -> bool:
        return self.conclusion in FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The end of a job's log, as bytes. ``cut``: there was more before it."""

    content: bytes
    cut: bool = False


# commits


@dataclass(frozen=True, slots=True)
class FilePut:
    """A file, or a link whose target is ``content``, as it is to be."""

    path: str
    mode: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCommit:
    """A commit as the difference to the one before it, and the tree that must come out."""

    tree: str
    message: str
    put: tuple[FilePut, ...] = ()
    drop: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return (*(one.path for one in self.put), *self.drop)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """A reference and what it holds now, read back from the forge."""

    ref: str
    commit: str
    tree: str


class Onto(StrEnum):
    """What may become of a reference that is there already."""

    NEW = "new"  # it must not be there, or hold just this
    FORWARD = "forward"  # it may be moved forward from the commit that the change began at


@dataclass(frozen=True, slots=True)
class RefFacts:
    name: str  # refs/…
    commit: str


# the App


@dataclass(frozen=True, slots=True, kw_only=True)
class AppFacts:
    """The App as GitHub knows it: what it asks for and is told of."""

    id: int
    slug: str
    name: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationFacts:
    id: int
    account: Account
    permissions: Mapping[str, str]  # granted, which may be less than the App asks for by now
    is_suspended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryFacts:
    """A webhook that GitHub sent, or tried to. ``status`` 0: nobody answered."""

    id: int
    guid: str
    event: str
    at: datetime
    status: int
    action: str = ""
    is_redelivery: bool = False

    @property
    def arrived(self) -> bool:
        return 200 <= self.status < 300
