"""
What jam does about an event: one small value for each, and always with what it takes to do it.

Who decides is ``bot.core.trigger``; who performs is the use case that asked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from bot.core.event import CheckKind
from bot.core.facts import Need
from bot.core.thread import Account, Pull, Repository, Thread


@dataclass(frozen=True, slots=True)
class Told:
    """An issue or pull request as it stood in the delivery. Foreign text."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Named:
    """An issue of which only the number was given; its text is looked up when work starts."""

    number: int


@dataclass(frozen=True, slots=True)
class Words:
    """Only words. Foreign text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Checks that failed: their log names what must become green."""

    kind: CheckKind
    id: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flaky:
    """No one thing: look for tests that waver, and mend them."""


Subject: TypeAlias = Told | Named | Words | Failed | Flaky


@dataclass(frozen=True, slots=True)
class At:
    """Where work begins. '' for the branch: the default one. '' for the sha: its head then."""

    branch: str = ""
    sha: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    session: str
    where: Repository
    by: Account
    subject: Subject
    thread: Thread | None = None
    base: At = At()
    oracle: str = ""
    tests: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    counts_as: str = ""  # under which key this attempt is counted
    takes_off: str = ""  # the label to take off when work starts
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """
    Another session on the same thread, with these words as its objective where there are any.
    ``pull``: what it goes on with, where the thread is a pull request.
    """

    session: str
    where: Repository
    by: Account
    thread: Thread
    words: str = ""
    review: int | None = None  # the review that the words are from
    pull: Pull | None = None
    oracle: str = ""
    tests: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    counts_as: str = ""
    takes_off: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Judge exactly this head. ``is_fork``: without secrets, and with nothing that it sets up."""

    id: str
    where: Repository
    by: Account
    pull: Pull
    is_fork: bool
    oracle: str = ""
    tests: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    session: str
    where: Repository
    by: Account
    approves: bool = False  # also what the session asked for
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    session: str
    where: Repository
    by: Account
    count: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    session: str
    where: Repository
    by: Account
    why: str
    note: str = ""


class Show(StrEnum):
    NOTHING = "nothing"
    HELP = "help"
    STATUS = "status"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Only words: a refusal in one sentence, the help or the status."""

    where: Repository
    thread: int
    refusal: str = ""
    show: Show = Show.NOTHING
    note: str = ""


class Scope(StrEnum):
    THREAD = "thread"
    REPOSITORY = "repository"
    INSTALLATION = "installation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """End what runs there and let go of what is kept for it: checkpoint refs, tokens, the queue."""

    scope: Scope
    ids: tuple[int, ...]  # of the thread, the repositories or the installation
    why: str
    where: Repository | None = None  # for a thread
    session: str = ""  # for a thread: what still runs there


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkStale:
    """The evidence on this pull request is about a head that it no longer has."""

    where: Repository
    pull: Pull
    judged_sha: str


@dataclass(frozen=True, slots=True)
class Ignore:
    why: str


@dataclass(frozen=True, slots=True)
class LookUp:
    """Not decided yet: these facts are missing. ``counted``: the key of the attempts, if they are
    among them."""

    needs: frozenset[Need]
    counted: str = ""


Decision: TypeAlias = (
    Start | Retry | Verify | Resume | Undo | Stop | Answer | Forget | MarkStale | Ignore | LookUp
)


def session_id(*key: str | int) -> str:
    """The same for the same key, whoever asks and when: a delivery that comes twice starts one."""
    spelled = "\n".join(str(part) for part in key)
    return f"gh-{hashlib.sha256(spelled.encode()).hexdigest()[:20]}"
