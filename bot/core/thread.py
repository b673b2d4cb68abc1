"""
Who, where and about what: the people, repositories, issues and pull requests of events.

Values only. Repositories and accounts are known by their numbers, which stay; names are for
reading. A text in here was written by somebody else and is fenced wherever it goes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    id: int
    login: str
    is_bot: bool = False


NOBODY = Account(0, "ghost")
"""The sender of an event that names none: a deleted account, a schedule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    id: int
    name: str  # owner/name
    default_branch: str = ""  # '' where the payload does not say
    is_private: bool = False
    installation: int | None = None  # None: not through an App


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """An issue or a pull request, as it was when the event happened."""

    number: int
    is_pull: bool = False
    title: str = ""
    body: str = ""
    author: Account = NOBODY
    is_open: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request with its two ends, from a payload or from the API."""

    number: int
    author: Account
    head_sha: str
    head_branch: str
    head_repository: int | None  # None: the fork is gone
    base_branch: str
    title: str = ""
    body: str = ""
    is_open: bool = True
    is_merged: bool = False

    def is_from_fork_of(self, repository: Repository) -> bool:
        """A head whose repository is gone counts as a fork's."""
        return self.head_repository != repository.id

    @property
    def thread(self) -> Thread:
        return Thread(
            number=self.number,
            is_pull=True,
            title=self.title,
            body=self.body,
            author=self.author,
            is_open=self.is_open,
        )
