"""
Where the hub's records are, and how they are found. Decides numbers and names; refuses to know who
may see what.
"""

from __future__ import annotations

import base64
import itertools
import threading
from pathlib import Path

from bot.minihub.answers import not_found
from bot.minihub.bare import Bare
from bot.minihub.clock import Clock
from bot.minihub.records import (
    Account,
    App,
    Delivery,
    Installation,
    Issue,
    Label,
    Repo,
    Token,
    repository_folder,
)

DEFAULT_LABELS = (
    ("bug", "d73a4a", "Something isn't working"),
    ("documentation", "0075ca", "Improvements or additions to documentation"),
    ("enhancement", "a2eeef", "New feature or request"),
)
ROLES = ("none", "read", "triage", "write", "maintain", "admin")


def node_id(kind: str, number: int) -> str:
    return f"{kind}_{base64.urlsafe_b64encode(f'{kind}{number}'.encode()).decode().rstrip('=')}"


class Store:
    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self.lock = threading.RLock()
        self.accounts: dict[str, Account] = {}  # by lower-case login
        self.repos: dict[int, Repo] = {}
        self.names: dict[str, int] = {}  # lower-case full name -> id, old names too
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.deliveries: list[Delivery] = []
        self._ids = itertools.count(1001)

    def new_id(self) -> int:
        return next(self._ids)

    # accounts

    def account(self, login: str) -> Account:
        found = self.accounts.get(login.lower())
        if found is None:
            raise not_found()
        return found

    def add_account(self, login: str, *, kind: str = "User") -> Account:
        new = Account(id=self.new_id(), login=login, kind=kind)
        if kind == "User":
            new.name, new.email = login.capitalize(), f"{login}@example.org"
        self.accounts[login.lower()] = new
        return new

    # repositories

    def repo(self, full_name: str) -> Repo:
        found = self.names.get(full_name.lower())
        if found is None or found not in self.repos:
            raise not_found()
        return self.repos[found]

    def add_repo(self, owner: Account, name: str, *, parent: Repo | None = None) -> Repo:
        now = self.clock.stamp()
        number = self.new_id()
        branch = parent.default_branch if parent else "main"
        git = Bare.create(repository_folder(self.folder, number), default_branch=branch)
        new = Repo(
            id=number,
            owner=owner,
            name=name,
            git=git,
            created_at=now,
            pushed_at=now,
            default_branch=branch,
            parent=parent,
        )
        new.labels = [
            Label(id=self.new_id(), name=label, color=color, description=text)
            for label, color, text in DEFAULT_LABELS
        ]
        if owner.kind == "User":
            new.roles[owner.login] = "admin"
        self.repos[number] = new
        self.names[new.full_name.lower()] = number
        return new

    def rename(self, repo: Repo, name: str) -> None:
        """The old name goes on leading here, as GitHub's redirects do."""
        repo.name = name
        self.names[repo.full_name.lower()] = repo.id

    def delete_repo(self, repo: Repo) -> None:
        """Pull requests from it stay, with nothing at their head."""
        del self.repos[repo.id]
        for other in self.repos.values():
            for issue in other.issues.values():
                if issue.pull and issue.pull.head_repo is repo:
                    issue.pull.head_repo = None

    def role(self, repo: Repo, account: Account) -> str:
        """Anybody reads a public repository; a bot has no role of its own."""
        floor = "none" if repo.private else "read"
        return repo.roles.get(account.login, floor) if account.kind == "User" else floor

    # Apps

    def app(self, slug: str) -> App:
        for app in self.apps.values():
            if app.slug == slug:
                return app
        raise not_found()

    def covers(self, installation: Installation, repo: Repo) -> bool:
        if installation.deleted or installation.account is not repo.owner:
            return False
        chosen = installation.repository_ids
        return chosen is None or repo.id in chosen

    def installed_on(self, repo: Repo) -> list[Installation]:
        return [each for each in self.installations.values() if self.covers(each, repo)]

    def reachable(self, installation: Installation) -> list[Repo]:
        return [repo for repo in self.repos.values() if self.covers(installation, repo)]


def issue_of(repo: Repo, number: int) -> Issue:
    found = repo.issues.get(number)
    if found is None:
        raise not_found()
    return found


def pull_of(repo: Repo, number: int) -> Issue:
    found = issue_of(repo, number)
    if found.pull is None:
        raise not_found()
    return found
