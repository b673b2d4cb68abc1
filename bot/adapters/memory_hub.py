"""
One repository in memory, as everybody sees it: the world behind ``MemoryForge``.

People act on it directly. It holds what GitHub holds and decides as GitHub does; nothing here is
slow, late or unsure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from bot.adapters.memory_git import File, MemoryGit
from bot.core.annotations import Annotation
from bot.core.facts import Own
from bot.core.forge_values import (
    CheckFacts,
    ContractText,
    JobFacts,
    Log,
    NewPull,
    PullFacts,
    RepositoryFacts,
    RunFacts,
    Spot,
    ThreadFacts,
)
from bot.core.markers import Written
from bot.core.permission import Permission
from bot.core.thread import NOBODY, Account, Pull, Thread
from bot.errors import ForgeMissing


@dataclass(slots=True)
class Hub:
    """``facts.id`` names it. Everything is keyed by number, as GitHub's addresses are."""

    facts: RepositoryFacts
    own: Own
    git: MemoryGit = field(default_factory=MemoryGit)
    shared: ContractText | None = None  # what the owner's ``.github`` repository holds
    roles: dict[int, Permission] = field(default_factory=dict)
    people: dict[int, str] = field(default_factory=dict)  # logins as they are now
    threads: dict[int, ThreadFacts] = field(default_factory=dict)
    pulls: dict[int, PullFacts] = field(default_factory=dict)
    comments: dict[int, tuple[int, Written]] = field(default_factory=dict)  # id -> thread, it
    reactions: dict[Spot, set[tuple[str, int]]] = field(default_factory=dict)  # content, account
    labels: dict[str, str] = field(default_factory=dict)  # lower-case name -> name
    checks: dict[int, CheckFacts] = field(default_factory=dict)
    notes: dict[int, list[Annotation]] = field(default_factory=dict)
    runs: dict[int, RunFacts] = field(default_factory=dict)
    jobs: dict[int, JobFacts] = field(default_factory=dict)
    logs: dict[int, Log] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)  # what was really changed, in order
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1001))
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self) -> int:
        return next(self._ids)

    # what people do

    def push(
        self, branch: str, files: Mapping[str, File | None], *, message: str = "Change"
    ) -> str:
        """On top of ``branch``, or of the default branch where it is new. None takes away."""
        ref, first = f"refs/heads/{branch}", f"refs/heads/{self.facts.default_branch}"
        start = self.git.refs.get(ref) or self.git.refs.get(first)
        there = dict(self.git.commits[start].files) if start else {}
        for path, file in files.items():
            if file is None:
                there.pop(path, None)
            else:
                there[path] = file
        parents = (start,) if start else ()
        self.git.refs[ref] = self.git.commit(there, parents=parents, message=message)
        return self.git.refs[ref]

    def open_issue(self, title: str, body: str, *, by: Account) -> int:
        number = next(self._numbers)
        thread = Thread(number=number, title=title, body=body, author=by)
        self.threads[number] = ThreadFacts(thread=thread)
        return number

    def open_pull(self, new: NewPull, *, by: Account, head_repository: int | None = None) -> int:
        number = self.open_issue(new.title, new.body, by=by)
        facts = self.threads[number]
        self.threads[number] = replace(facts, thread=replace(facts.thread, is_pull=True))
        home = self.facts.id if head_repository is None else head_repository
        self.pulls[number] = PullFacts(
            pull=Pull(
                number=number,
                author=by,
                head_sha=self.git.refs[f"refs/heads/{new.branch}"],
                head_branch=new.branch,
                head_repository=home,
                base_branch=new.base,
                title=new.title,
                body=new.body,
            ),
            base_sha=self.git.refs[f"refs/heads/{new.base}"],
            is_draft=new.is_draft,
            head_name=self.facts.name if home == self.facts.id else "",
        )
        return number

    def comment(self, number: int, text: str, *, by: Account) -> int:
        self.demand_thread(number)
        made = self.new_id()
        self.comments[made] = number, Written(made, by, text)
        return made

    def close(self, number: int, *, by: Account = NOBODY) -> None:
        facts = self.demand_thread(number)
        closed = replace(facts.thread, is_open=False)
        self.threads[number] = replace(facts, thread=closed, closed_by=by)
        if number in self.pulls:
            pull = self.pulls[number]
            self.pulls[number] = replace(pull, pull=replace(pull.pull, is_open=False))

    def reopen(self, number: int) -> None:
        facts = self.demand_thread(number)
        opened = replace(facts.thread, is_open=True)
        self.threads[number] = replace(facts, thread=opened, closed_by=NOBODY)

    def demand_thread(self, number: int) -> ThreadFacts:
        if number not in self.threads:
            raise ForgeMissing(f"there is no #{number}")
        return self.threads[number]

    def demand_pull(self, number: int) -> PullFacts:
        """As it is now: its head is wherever its branch is."""
        if number not in self.pulls:
            raise ForgeMissing(f"there is no pull request #{number}")
        facts = self.pulls[number]
        head = self.git.refs.get(f"refs/heads/{facts.pull.head_branch}", facts.pull.head_sha)
        return replace(facts, pull=replace(facts.pull, head_sha=head))

    def rewrite(self, number: int, *, title: str, body: str) -> None:
        facts = self.demand_thread(number)
        self.threads[number] = replace(facts, thread=replace(facts.thread, title=title, body=body))
        if number in self.pulls:
            pull = self.pulls[number]
            self.pulls[number] = replace(pull, pull=replace(pull.pull, title=title, body=body))
