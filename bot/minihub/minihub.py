"""
A small GitHub, ready to use: started in a thread, peopled, looked at. This is what tests and
``jam minihub`` hold; it decides nothing itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType

from bot.minihub import faults, keys, registration, seen
from bot.minihub.clock import Clock, system_now
from bot.minihub.clock import stamp as stamp
from bot.minihub.hub import Hub
from bot.minihub.links import API
from bot.minihub.people import File, Person
from bot.minihub.records import Account, App, Delivery, Installation, Repo, Token
from bot.minihub.server import Server

#: what jam asks for when it is installed
PERMISSIONS = {
    "contents": "write",
    "pull_requests": "write",
    "issues": "write",
    "checks": "write",
    "actions": "read",
}
EVENTS = (
    "issues",
    "issue_comment",
    "pull_request",
    "pull_request_review",
    "push",
    "check_run",
    "check_suite",
    "workflow_run",
)


@dataclass(frozen=True, slots=True)
class AppKey:
    """An App as its operator holds it."""

    app: App
    private_key: str

    @property
    def id(self) -> int:
        return self.app.id


class Minihub(AbstractContextManager["Minihub"]):
    def __init__(
        self,
        folder: Path | None = None,
        *,
        port: int = 0,
        now: Callable[[], datetime] = system_now,
    ) -> None:
        """Without a ``folder`` everything is gone at the end."""
        self._own = tempfile.TemporaryDirectory(prefix="minihub-") if folder is None else None
        self.folder = folder or Path(self._own.name if self._own else "")
        self.hub = Hub(self.folder, clock=Clock(now))
        self._server = Server(self.hub, port=port)
        self.hub.links.base = self.url
        self._people: dict[str, Person] = {}

    def start(self) -> Minihub:
        self.hub.courier.start()
        self._server.start()
        return self

    def stop(self) -> None:
        self._server.stop()
        self.hub.courier.stop()
        if self._own:
            self._own.cleanup()

    def __enter__(self) -> Minihub:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def api_url(self) -> str:
        """What PyGithub calls ``base_url``."""
        return f"{self.url}{API}"

    # who and what there is

    def person(self, login: str) -> Person:
        """The same login again is the same person."""
        if login not in self._people:
            with self.hub.store.lock:
                account = self.hub.store.add_account(login)
                token = Token(text=keys.personal_token(), account=account)
                self.hub.store.tokens[token.text] = token
            self._people[login] = Person(self.hub, account, token.text)
        return self._people[login]

    def organization(self, login: str) -> Account:
        with self.hub.store.lock:
            return self.hub.store.add_account(login, kind="Organization")

    def repository(
        self,
        full_name: str,
        files: Mapping[str, File] | None = None,
        *,
        roles: Mapping[str, str] | None = None,
        private: bool = False,
        source: Path | None = None,
    ) -> Repo:
        """``files`` become the first commit; or all branches of the repository at ``source``.
        ``roles``: login -> read, triage, write, maintain or admin."""
        login, _, name = full_name.partition("/")
        known = self.hub.store.accounts.get(login.lower())
        owner = known or self.person(login).account
        with self.hub.store.lock:
            repo = self.hub.store.add_repo(owner, name)
            repo.private = private
            for each, role in (roles or {}).items():
                repo.roles[self.person(each).login] = role
            if source is not None:
                repo.git.git(
                    *("fetch", "-q", str(source.resolve()), "+refs/heads/*:refs/heads/*"),
                    env={"GIT_ALLOW_PROTOCOL": "file"},
                )
        if files:
            writer = next((each for each, role in repo.roles.items() if role == "admin"), login)
            self.person(writer).push(full_name, "main", files, message="Begin")
        return repo

    def app(
        self,
        name: str = "jam",
        *,
        owner: str = "operator",
        hook_url: str = "",
        hook_secret: str = "",
        permissions: Mapping[str, str] | None = None,
        events: Iterable[str] = EVENTS,
    ) -> AppKey:
        manifest = registration.Manifest(
            name=name,
            permissions=PERMISSIONS if permissions is None else permissions,
            events=tuple(events),
            hook_url=hook_url,
            hook_secret=hook_secret,
        )
        person = self.person(owner)
        with self.hub.store.lock:
            made = registration.register(self.hub, manifest, owner=person.account)
        return AppKey(made.app, made.private_key)

    def install(
        self, app: AppKey, login: str, *, only: Iterable[str] | None = None
    ) -> Installation:
        """On an account, an organisation's too; ``only``: full names of chosen repositories."""
        store = self.hub.store
        with store.lock:
            account = store.accounts[login.lower()]
            chosen = None if only is None else [store.repo(name) for name in only]
            by = account if account.kind == "User" else app.app.owner
            return registration.install(self.hub, app.app, account, by=by, only=chosen)

    def ping(self, app: AppKey) -> None:
        with self.hub.store.lock:
            self.hub.ping(app.app)

    def actions_token(self, full_name: str, permissions: Mapping[str, str]) -> str:
        """A job's GITHUB_TOKEN: acts as github-actions[bot], in this one repository."""
        store = self.hub.store
        with store.lock:
            repo = store.repo(full_name)
            known = [each for each in store.apps.values() if each.slug == "github-actions"]
        actions = known[0] if known else self._actions()
        with store.lock:
            installation = registration.quiet(self.hub, actions, repo, permissions)
            text = keys.installation_token(
                app_id=actions.id,
                installation_id=installation.id,
                now=self.hub.clock.seconds(),
            )
            store.tokens[text] = Token(
                text=text,
                account=actions.bot,
                expires_at=self.hub.clock.now().timestamp() + 3600,
                installation=installation,
                permissions=dict(installation.permissions),
                repository_ids=[repo.id],
            )
        return text

    def _actions(self) -> App:
        return self.app("GitHub Actions", owner="github", permissions={}, events=()).app

    # faults and time

    def plan(self, *lines: faults.Fault | str) -> None:
        """Faults, or texts of plans in YAML or JSON."""
        for line in lines:
            more = faults.read_plan(line) if isinstance(line, str) else [line]
            self.hub.faults.add(*more)

    def skew(self, by: timedelta) -> None:
        """Make the hub's clock wrong."""
        self.hub.clock.skew = by

    def expire_tokens(self) -> None:
        """As if an hour had passed for every installation token."""
        with self.hub.store.lock:
            for token in self.hub.store.tokens.values():
                if token.expires_at is not None:
                    token.expires_at = 0.0

    # what people see

    def _repo(self, full_name: str) -> Repo:
        return self.hub.store.repo(full_name)

    def thread(self, full_name: str, number: int) -> seen.ThreadSeen:
        with self.hub.store.lock:
            return seen.thread(self._repo(full_name), number)

    def pull(self, full_name: str, number: int) -> seen.PullSeen:
        with self.hub.store.lock:
            return seen.pull(self._repo(full_name), number)

    def pulls(self, full_name: str) -> tuple[int, ...]:
        with self.hub.store.lock:
            issues = self._repo(full_name).issues
            return tuple(number for number, issue in issues.items() if issue.pull)

    def checks(self, full_name: str, ref: str) -> tuple[seen.CheckSeen, ...]:
        with self.hub.store.lock:
            repo = self._repo(full_name)
            sha = repo.git.commit_of(ref)
            return tuple(seen.check(each) for each in repo.checks if each.suite.head_sha == sha)

    def refs(self, full_name: str, prefix: str = "refs/") -> dict[str, str]:
        return self._repo(full_name).git.refs(prefix)

    def file(self, full_name: str, ref: str, path: str) -> bytes | None:
        git = self._repo(full_name).git
        found = git.resolve(f"{git.commit_of(ref)}:{path}")
        return git.read(found, kind="blob") if found else None

    def deliveries(self, app: AppKey) -> tuple[Delivery, ...]:
        with self.hub.store.lock:
            return tuple(each for each in self.hub.store.deliveries if each.app is app.app)

    def wait(self, *, timeout_s: float = 30.0) -> bool:
        """Until every webhook sent so far was carried."""
        return self.hub.courier.wait(timeout_s=timeout_s)
