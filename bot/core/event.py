"""
What a delivery says, in jam's words.

A closed union of small records; nothing after the door sees a payload. Which of them means
anything to jam is decided in ``bot.core.trigger``. ``Unwanted`` is the one value for all that is
not among them, from a foreign event to a payload that cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from bot.core.thread import Account, Pull, Repository, Thread


@dataclass(frozen=True, slots=True)
class Unwanted:
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    where: Repository
    by: Account
    thread: Thread
    label: str
    pull: Pull | None = None  # where the thread is a pull request


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlabelled:
    where: Repository
    by: Account
    thread: Thread
    label: str


class How(StrEnum):
    CLOSED = "closed"
    MERGED = "merged"
    DELETED = "deleted"
    TRANSFERRED = "transferred"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadEnded:
    where: Repository
    by: Account
    thread: Thread
    how: How
    pull: Pull | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Commented:
    """A new comment. ``app``: the App it was written through, where there is one."""

    where: Repository
    by: Account
    thread: Thread
    comment: int
    words: str
    at: datetime
    app: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullMoved:
    where: Repository
    by: Account
    pull: Pull
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A review that requests changes."""

    where: Repository
    by: Account
    pull: Pull
    review: int
    words: str


class CheckKind(StrEnum):
    RUN = "check run"
    SUITE = "check suite"
    WORKFLOW = "workflow run"


class Conclusion(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    TIMED_OUT = "timed_out"
    ACTION_REQUIRED = "action_required"
    STALE = "stale"
    STARTUP_FAILURE = "startup_failure"
    NONE = "none"  # completed, and yet no conclusion


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEnded:
    """
    A check is over. ``actors``: for a workflow, who really caused it, behind the event's sender.
    ``caused_by`` is the event that started the workflow.
    """

    where: Repository
    by: Account
    kind: CheckKind
    id: int
    name: str
    conclusion: Conclusion
    head_sha: str
    head_branch: str | None  # None: pushed to a fork
    head_repository: int | None = None  # only workflows say
    app: int | None = None  # only check runs and suites say
    pulls: tuple[int, ...] = ()
    actors: tuple[Account, ...] = ()
    caused_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAsked:
    """Somebody pressed a button on a check. ``action`` is '' for GitHub's own *Re-run*."""

    where: Repository
    by: Account
    name: str  # '' for a whole suite
    head_sha: str
    app: int | None
    external: str = ""
    action: str = ""
    pulls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    where: Repository
    by: Account
    ref: str
    before: str
    after: str


class Access(StrEnum):
    CREATED = "created"
    DELETED = "deleted"
    SUSPENDED = "suspended"
    UNSUSPENDED = "unsuspended"
    PERMISSIONS = "new permissions accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationChanged:
    by: Account
    installation: int
    change: Access


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoriesChanged:
    by: Account
    installation: int
    added: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()


class Fate(StrEnum):
    RENAMED = "renamed"
    TRANSFERRED = "transferred"
    ARCHIVED = "archived"
    UNARCHIVED = "unarchived"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryChanged:
    where: Repository
    by: Account
    fate: Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    where: Repository
    cron: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """Somebody, or another program, asked by hand. ``issue`` 0: the objective says it all."""

    where: Repository
    by: Account
    issue: int = 0
    objective: str = ""
    oracle: str = ""
    tests: tuple[str, ...] = ()
    branch: str = ""  # '' for the default branch


Event: TypeAlias = (
    Labelled
    | Unlabelled
    | ThreadEnded
    | Commented
    | PullMoved
    | Reviewed
    | CheckEnded
    | CheckAsked
    | Pushed
    | InstallationChanged
    | RepositoriesChanged
    | RepositoryChanged
    | Scheduled
    | Dispatched
)
