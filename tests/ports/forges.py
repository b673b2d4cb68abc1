"""
Two worlds behind the port ``Forge``: a repository in memory, and the real adapter with the real
PyGithub on a small GitHub. Both are acted on and looked at in the same words.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from bot.adapters.github.app import GithubApp
from bot.adapters.github.forge import GithubForge
from bot.adapters.github.means import Means
from bot.adapters.github.secret import Secret
from bot.adapters.github.tokens import AppKey
from bot.adapters.memory_forge import MemoryForge
from bot.adapters.memory_hub import Hub
from bot.core.facts import Own
from bot.core.forge_values import (
    CheckFacts,
    ContractText,
    JobFacts,
    Log,
    NewPull,
    OfThread,
    RepositoryFacts,
    RunFacts,
    Spot,
)
from bot.core.permission import Permission
from bot.core.thread import Account
from bot.forge_port import Forge
from bot.minihub.bare import Put, Signature
from bot.minihub.ci import Acted, Play
from bot.minihub.minihub import Minihub
from bot.minihub.people import Person
from tests.minihub import hubs

Content = str | bytes | tuple[str, bytes] | None  # None takes a file away
FILES: Mapping[str, Content] = {
    "a.py": "def f():\n    return 1\n",
    "run.sh": ("100755", b"#!/bin/sh\n"),
    "docs/link": ("120000", b"../a.py"),
}
NAMES = ("maintainer", "triager", "reader")


@dataclass
class Time:
    """Goes on only when somebody waits."""

    at: float = 0.0
    waited: list[float] = field(default_factory=list)
    start: datetime = field(default_factory=lambda: datetime.now(UTC))

    def clock(self) -> float:
        return self.at

    def now(self) -> datetime:
        return self.start + timedelta(seconds=self.at)

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.at += seconds

    @property
    def means(self) -> Means:
        return Means(clock=self.clock, sleep=self.sleep, chance=lambda: 0.0, now=self.now)


def file(content: str | bytes | tuple[str, bytes]) -> tuple[str, bytes]:
    if isinstance(content, tuple):
        return content
    return "100644", content if isinstance(content, bytes) else content.encode()


class Ground(Protocol):
    """What people do and see."""

    forge: Forge

    def who(self, name: str) -> Account: ...

    def push(self, branch: str, files: Mapping[str, Content]) -> str: ...

    def files(self, commit: str) -> dict[str, tuple[str, bytes]]: ...

    def share(self, contract: bytes) -> None:
        """The owner's ``.github`` repository holds this contract."""
        ...

    def open_issue(self, title: str, body: str) -> int: ...

    def open_pull(self, branch: str, title: str) -> int: ...

    def comment(self, number: int, text: str) -> int: ...

    def comments(self, number: int) -> list[tuple[bool, str]]:
        """Whether it is jam's, and what it says."""
        ...

    def reactions(self, spot: Spot) -> set[tuple[str, bool]]: ...

    def react(self, spot: Spot, content: str) -> None: ...

    def labels(self, number: int) -> tuple[str, ...]: ...

    def close(self, number: int) -> None: ...

    def back(self, ref: str, commit: str) -> None:
        """A person forces a reference."""
        ...

    def run_ci(self, sha: str, jobs: Mapping[str, tuple[str, str]]) -> int:
        """``jobs``: name -> conclusion and log."""
        ...


class MemoryGround:
    def __init__(self) -> None:
        self._people = {name: Account(11 + place, name) for place, name in enumerate(NAMES)}
        self.hub = Hub(
            facts=RepositoryFacts(
                id=7,
                name="ada/lib",
                owner=Account(10, "ada"),
                default_branch="main",
                clone_url="http://127.0.0.1/ada/lib.git",
            ),
            own=Own(account=99, app=98),
            roles={
                11: Permission.MAINTAIN,
                12: Permission.TRIAGE,
                13: Permission.READ,
            },
            people={account.id: account.login for account in self._people.values()},
        )
        self.forge = MemoryForge(self.hub)
        self.push("main", FILES)

    def who(self, name: str) -> Account:
        return self._people[name]

    def push(self, branch: str, files: Mapping[str, Content]) -> str:
        plain = {path: None if text is None else file(text) for path, text in files.items()}
        return self.hub.push(branch, plain)

    def files(self, commit: str) -> dict[str, tuple[str, bytes]]:
        return dict(self.hub.git.commits[commit].files)

    def share(self, contract: bytes) -> None:
        commit = "5" * 40
        self.hub.shared = ContractText(
            name="ada/.github/.github/jam.yml", commit=commit, content=contract
        )

    def open_issue(self, title: str, body: str) -> int:
        return self.hub.open_issue(title, body, by=self.who("maintainer"))

    def open_pull(self, branch: str, title: str) -> int:
        new = NewPull(branch=branch, base="main", title=title, body="", is_draft=False)
        return self.hub.open_pull(new, by=self.who("maintainer"))

    def comment(self, number: int, text: str) -> int:
        return self.hub.comment(number, text, by=self.who("maintainer"))

    def comments(self, number: int) -> list[tuple[bool, str]]:
        return [
            (self.hub.own.wrote(one.author), one.text)
            for at, one in self.hub.comments.values()
            if at == number
        ]

    def reactions(self, spot: Spot) -> set[tuple[str, bool]]:
        mine = self.hub.own.account
        return {(what, who == mine) for what, who in self.hub.reactions.get(spot, ())}

    def react(self, spot: Spot, content: str) -> None:
        self.hub.reactions.setdefault(spot, set()).add((content, self.who("maintainer").id))

    def labels(self, number: int) -> tuple[str, ...]:
        return self.hub.threads[number].labels

    def close(self, number: int) -> None:
        self.hub.close(number, by=self.who("maintainer"))

    def back(self, ref: str, commit: str) -> None:
        self.hub.git.refs[ref] = commit

    def run_ci(self, sha: str, jobs: Mapping[str, tuple[str, str]]) -> int:
        run, suite = self.hub.new_id(), self.hub.new_id()
        actor = self.who("maintainer")
        worst = "failure" if any(end == "failure" for end, _ in jobs.values()) else "success"
        self.hub.runs[run] = RunFacts(
            id=run,
            name="CI",
            path=".github/workflows/ci.yml",
            event="push",
            sha=sha,
            branch="main",
            conclusion=worst,
            suite=suite,
            actor=actor,
            triggering_actor=actor,
            head_repository=self.hub.facts.id,
        )
        for name, (conclusion, log) in jobs.items():
            number = self.hub.new_id()
            steps = ("Run tests",) if conclusion == "failure" else ()
            self.hub.jobs[number] = JobFacts(
                id=number, run=run, name=name, sha=sha, conclusion=conclusion, failed_steps=steps
            )
            self.hub.checks[number] = CheckFacts(
                id=number,
                name=name,
                sha=sha,
                status="completed",
                conclusion=conclusion,
                suite=suite,
                app=15368,
            )
            self.hub.logs[number] = Log(content=log.encode())
        return run


class Small:
    """A hub, jam's App on it, and an account where it is installed."""

    def __init__(self, hub: Minihub, time: Time, *, owner: str = "ada") -> None:
        self.hub, self.time, self.owner = hub, time, owner
        hub.person(owner)
        self.key = hub.app()
        self.installation = hub.install(self.key, owner).id
        self.app = self.enter()

    def enter(self, means: Means | None = None) -> GithubApp:
        key = AppKey(self.key.app.client_id, Secret(self.key.private_key))
        return GithubApp(key, base_url=self.hub.api_url, means=means or self.time.means)


class HubGround:
    """``name``: a repository of its own, so that many tests may share a hub."""

    _serial = itertools.count(1)

    def __init__(self, small: Small) -> None:
        self.hub, self.time = small.hub, small.time
        self.app, self.installation, self._key = small.app, small.installation, small.key
        self.name = f"{small.owner}/lib{next(self._serial)}"
        roles = {"maintainer": "maintain", "triager": "triage"}
        self.owner = small.owner
        self.repo = self.hub.repository(self.name, roles=roles)
        self.hub.person("reader")
        self.forge = self.fresh()
        self.base = self._commit(None, FILES)
        self.seed = self._commit(self.base, {"a.py": "changed\n"})
        self.repo.git.set_ref("refs/heads/main", self.base)

    def fresh(self) -> GithubForge:
        """As after a crash: a new worker that remembers nothing."""
        return self.app.forge(installation=self.installation, repository=self.repo.id)

    def key_hook(self, url: str) -> None:
        """Where the App hears of events; nobody need listen."""
        self._key.app.hook_url = url

    def person(self, name: str) -> Person:
        return self.hub.person(name)

    def who(self, name: str) -> Account:
        account = self.person(name).account
        return Account(account.id, account.login)

    def push(self, branch: str, files: Mapping[str, Content]) -> str:
        me, r = self.person("maintainer"), f"/repos/{self.name}"
        tip = self.repo.git.resolve(f"refs/heads/{branch}")
        sha = self._commit(tip or self.repo.git.resolve("refs/heads/main"), files)
        if tip:
            me.call("PATCH", f"{r}/git/refs/heads/{branch}", sha=sha)
        else:
            me.call("POST", f"{r}/git/refs", ref=f"refs/heads/{branch}", sha=sha)
        return sha

    def _commit(self, parent: str | None, files: Mapping[str, Content]) -> str:
        git = self.repo.git
        puts = []
        for path, content in files.items():
            mode, data = ("100644", b"") if content is None else file(content)
            puts.append(Put(path, mode, None if content is None else git.write(data)))
        who = Signature("Ada", "ada@example.org", 1_700_000_000)
        parents = [parent] if parent else []
        return git.commit(git.make_tree(parent, puts), parents=parents, message="x", author=who)

    def files(self, commit: str) -> dict[str, tuple[str, bytes]]:
        git = self.repo.git
        return {
            leaf.path: (leaf.mode, git.read(leaf.sha, kind="blob"))
            for leaf in git.tree(commit, recursive=True)
            if leaf.kind == "blob"
        }

    def share(self, contract: bytes) -> None:
        self.hub.repository(f"{self.owner}/.github", {".github/jam.yml": contract})

    def open_issue(self, title: str, body: str) -> int:
        return self.person("maintainer").open_issue(self.name, title, body)

    def open_pull(self, branch: str, title: str) -> int:
        return self.person("maintainer").open_pull(self.name, head=branch, title=title)

    def comment(self, number: int, text: str) -> int:
        return self.person("maintainer").comment(self.name, number, text)

    def comments(self, number: int) -> list[tuple[bool, str]]:
        seen = self.hub.thread(self.name, number).comments
        return [(one.by == "jam[bot]", one.body) for one in seen]

    def reactions(self, spot: Spot) -> set[tuple[str, bool]]:
        if isinstance(spot, OfThread):
            found = self.hub.thread(self.name, spot.number).reactions
        else:
            threads = [self.hub.thread(self.name, number) for number in self.repo.issues]
            found = next(
                one.reactions for seen in threads for one in seen.comments if one.id == spot.id
            )
        return {(what, who == "jam[bot]") for what, who in found}

    def react(self, spot: Spot, content: str) -> None:
        at = f"/{spot.number}" if isinstance(spot, OfThread) else f"/comments/{spot.id}"
        path = f"/repos/{self.name}/issues{at}/reactions"
        self.person("maintainer").call("POST", path, content=content)

    def labels(self, number: int) -> tuple[str, ...]:
        return self.hub.thread(self.name, number).labels

    def close(self, number: int) -> None:
        self.person("maintainer").close(self.name, number)

    def back(self, ref: str, commit: str) -> None:
        branch = ref.removeprefix("refs/heads/")
        self.person("maintainer").force_push(self.name, branch, commit)

    def run_ci(self, sha: str, jobs: Mapping[str, tuple[str, str]]) -> int:
        acted = tuple(
            Acted(name=name, conclusion=end, log=log) for name, (end, log) in jobs.items()
        )
        play = Play(sha=sha, branch="main", jobs=acted)
        return self.person("maintainer").run_ci(self.name, play)


@contextmanager
def small_github(folder: Path) -> Iterator[Small]:
    """A hub with an App on ada's account, held to GitHub's descriptions at the end."""
    time = Time()
    with hubs.minihub(folder, now=time.now) as hub:
        yield Small(hub, time)
        assert hub.hub.bugs == []
