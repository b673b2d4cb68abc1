"""
GitHub as jam sees it: one repository, in a few words. ``bot.ports`` has the rest of the world.

Whoever looks for what is not there hears ``None``. Whatever is written is looked for first and
again when the answer was lost, so repeating any of it is harmless. What cannot be done now raises
``ForgeUnavailable`` with the seconds to come back after; what may not be done, ``ForgeRefused``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.core.annotations import Annotation
from bot.core.facts import Own
from bot.core.forge_values import (
    AppFacts,
    Check,
    CheckFacts,
    ContractText,
    DeliveryFacts,
    Failing,
    InstallationFacts,
    JobFacts,
    Log,
    NewCommit,
    NewIssue,
    NewPull,
    Onto,
    PullFacts,
    Pushed,
    RefFacts,
    RepositoryFacts,
    RunFacts,
    Spot,
    ThreadFacts,
)
from bot.core.markers import Written
from bot.core.permission import Permission
from bot.core.reactions import Reaction
from bot.core.thread import Account


class Reading(Protocol):
    """The repository and its files, where they can be trusted."""

    @property
    def own(self) -> Own: ...

    def repository(self) -> RepositoryFacts: ...

    def contract(self) -> ContractText | None:
        """Of the default branch, else of the owner's ``.github`` repository."""
        ...

    def file(self, path: str, *, commit: str) -> bytes | None: ...

    def permission(self, account: Account) -> Permission:
        """By the API, now. Whoever cannot be found, or is somebody else by now, may do nothing."""
        ...


class Threads(Protocol):
    def thread(self, number: int) -> ThreadFacts | None: ...

    def comment(self, comment: int) -> Written | None: ...

    def say(self, number: int, text: str) -> int:
        """jam's one comment that begins with this first line, a hidden mark: made, or edited where
        it stands when it says something else. Returns its number."""
        ...

    def react(self, spot: Spot, reaction: Reaction) -> None:
        """jam's one sign there; another sign of jam's own goes."""
        ...

    def label(self, number: int, name: str) -> None: ...

    def unlabel(self, number: int, name: str) -> bool:
        """Whether it was on."""
        ...

    def make_label(self, name: str, *, color: str, description: str) -> None:
        """Unless there is one of that name, whatever it looks like."""
        ...


class Issues(Protocol):
    """jam's own, known by a hidden mark, their first line, and by who opened them."""

    def issues(self, kind: str) -> tuple[ThreadFacts, ...]:
        """All whose mark begins with ``kind``, open and closed, the oldest first."""
        ...

    def open_issue(self, new: NewIssue) -> ThreadFacts:
        """The one that has this mark already, as it is, or a new one. Never a second."""
        ...

    def edit_issue(self, number: int, *, title: str | None = None, body: str | None = None) -> None:
        """Nothing is written where it says so already."""
        ...

    def close_issue(self, number: int) -> None: ...

    def reopen_issue(self, number: int) -> None: ...


class Pulls(Protocol):
    def pull(self, number: int) -> PullFacts | None: ...

    def pull_from(self, branch: str) -> PullFacts | None:
        """The pull request from a branch of this repository: the open one, else the newest."""
        ...

    def pull_of(self, session: str) -> PullFacts | None:
        """jam's own whose hidden block names the session."""
        ...

    def own_pulls(self, prefix: str) -> tuple[PullFacts, ...]:
        """jam's own, open and closed, from branches of this repository that begin so; the newest
        first, as far back as anybody looks."""
        ...

    def open_pull(self, new: NewPull) -> PullFacts:
        """The one that is there already, as it is, or a new one. Never a second."""
        ...

    def edit_pull(self, number: int, *, title: str | None = None, body: str | None = None) -> None:
        """Nothing is written where it says so already."""
        ...

    def ready(self, number: int) -> None:
        """A draft no longer."""
        ...

    def ask_review(self, number: int, logins: Sequence[str]) -> bool:
        """False where GitHub would not ask them: nobody is worse off."""
        ...


class Checks(Protocol):
    def show(self, check: Check) -> int:
        """jam's check run of this commit, name and external id: made, or brought up to date. Notes
        that it has already are not given again."""
        ...

    def check(self, check: int) -> CheckFacts | None: ...

    def notes(self, check: int) -> tuple[Annotation, ...]: ...

    def failing(self, where: Failing) -> tuple[CheckFacts, ...]: ...

    def run(self, run: int) -> RunFacts | None: ...

    def jobs(self, run: int) -> tuple[JobFacts, ...]: ...

    def recent_runs(self, *, most: int) -> tuple[RunFacts, ...]:
        """Of workflows, those that are over, the newest first."""
        ...

    def attempts(self, run: int) -> tuple[JobFacts, ...]:
        """The jobs of all attempts of a run."""
        ...

    def log(self, job: int) -> Log | None:
        """None while there is none, or no longer."""
        ...


class Commits(Protocol):
    def ref(self, name: str) -> str | None:
        """The commit that ``refs/…`` holds."""
        ...

    def refs(self, prefix: str) -> tuple[RefFacts, ...]: ...

    def push(
        self, ref: str, commits: Sequence[NewCommit], *, base: str, onto: Onto = Onto.NEW
    ) -> Pushed:
        """
        Put these commits, one on the other and the first on ``base``, under ``ref``, signed by the
        forge. ``RefTaken`` where it holds anything else; nothing is ever forced. The tree that the
        reference has on return is the last commit's, bit for bit.
        """
        ...

    def drop(self, ref: str) -> None:
        """Only below ``refs/jam/``: branches are people's to delete."""
        ...


class Forge(Reading, Threads, Issues, Pulls, Checks, Commits, Protocol):
    """Everything, for one repository. Not to be shared between threads."""


class ForgeApp(Protocol):
    """jam as the forge knows it, and the way to each repository. May be shared between threads."""

    def facts(self) -> AppFacts:
        """``ClockWrong`` where this machine's clock would keep jam from signing in."""
        ...

    def own(self, *, installation: int) -> Own: ...

    def forge(self, *, installation: int, repository: int) -> Forge:
        """A conversation of its own, for one thread."""
        ...

    def installations(self) -> tuple[InstallationFacts, ...]: ...

    def installation_of(self, name: str) -> int | None:
        """Of ``owner/name``. A reinstalled App has another number."""
        ...

    def repositories(self, installation: int) -> tuple[RepositoryFacts, ...]: ...

    def deliveries(self, *, since: datetime) -> tuple[DeliveryFacts, ...]:
        """What GitHub sent lately, the newest first. It keeps three days."""
        ...

    def redeliver(self, delivery: int) -> None: ...
