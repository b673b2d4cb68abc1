"""
The port ``Forge`` over a repository in memory: a fake that works, held to the same suite as GitHub.

Repeating anything is harmless here for the same reasons as there: it is looked for first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.adapters.memory_git import Kept
from bot.adapters.memory_threads import MemoryThreads
from bot.core import markers, pushable
from bot.core.annotations import Annotation
from bot.core.forge_values import (
    Check,
    CheckFacts,
    ContractText,
    Failing,
    JobFacts,
    Log,
    NewCommit,
    NewPull,
    OfCommit,
    OfRun,
    OfSuite,
    Onto,
    PullFacts,
    Pushed,
    RefFacts,
    RepositoryFacts,
    RunFacts,
)
from bot.core.markers import Written
from bot.core.permission import Permission
from bot.core.thread import Account
from bot.errors import ForgeMissing, ForgeMistaken, ForgeRefused, RefTaken

CONTRACT = ".github/jam.yml"
OURS = "refs/jam/"
LINK = "120000"


class MemoryForge(MemoryThreads):
    # reading

    def repository(self) -> RepositoryFacts:
        return self.hub.facts

    def contract(self) -> ContractText | None:
        head = self.ref(f"refs/heads/{self.hub.facts.default_branch}")
        content = self.file(CONTRACT, commit=head) if head else None
        if head is None or content is None:
            return self.hub.shared
        return ContractText(name=f"{self.hub.facts.name}/{CONTRACT}", commit=head, content=content)

    def file(self, path: str, *, commit: str) -> bytes | None:
        kept = self.hub.git.commits.get(commit)
        mode, content = kept.files.get(path, (LINK, b"")) if kept else (LINK, b"")
        return None if mode == LINK else content

    def permission(self, account: Account) -> Permission:
        if self.hub.people.get(account.id) != account.login:
            return Permission.NONE
        return self.hub.roles.get(account.id, Permission.READ)

    # pull requests

    def pull(self, number: int) -> PullFacts | None:
        return self.hub.demand_pull(number) if number in self.hub.pulls else None

    def pull_from(self, branch: str) -> PullFacts | None:
        found = [
            one
            for one in map(self.hub.demand_pull, self.hub.pulls)
            if one.pull.head_branch == branch and one.pull.head_repository == self.hub.facts.id
        ]
        return max(found, key=lambda one: (one.pull.is_open, one.number), default=None)

    def pull_of(self, session: str) -> PullFacts | None:
        for number in sorted(self.hub.pulls, reverse=True):
            facts = self.hub.demand_pull(number)
            written = Written(number, facts.pull.author, facts.pull.body)
            block = markers.read_block(written, own=self.own)
            if block is not None and block.session == session:
                return facts
        return None

    def own_pulls(self, prefix: str) -> tuple[PullFacts, ...]:
        return tuple(
            facts
            for facts in map(self.hub.demand_pull, sorted(self.hub.pulls, reverse=True))
            if facts.pull.head_branch.startswith(prefix)
            and facts.pull.head_repository == self.hub.facts.id
            and self.own.wrote(facts.pull.author)
        )

    def open_pull(self, new: NewPull) -> PullFacts:
        there = self.pull_from(new.branch)
        if there is not None:
            return there
        heads = [f"refs/heads/{name}" for name in (new.branch, new.base)]
        if any(head not in self.hub.git.refs for head in heads):
            raise ForgeRefused("there is no such branch")
        self.hub.writes.append(f"pull request from {new.branch}")
        return self.hub.demand_pull(self.hub.open_pull(new, by=self._me))

    def edit_pull(self, number: int, *, title: str | None = None, body: str | None = None) -> None:
        pull = self.hub.demand_pull(number).pull
        self.hub.rewrite(
            number,
            title=pull.title if title is None else title,
            body=pull.body if body is None else body,
        )

    def ready(self, number: int) -> None:
        self.hub.demand_pull(number)
        self.hub.pulls[number] = replace(self.hub.pulls[number], is_draft=False)

    def ask_review(self, number: int, logins: Sequence[str]) -> bool:
        facts = self.hub.demand_pull(number)
        able = {
            login
            for account, login in self.hub.people.items()
            if self.hub.roles.get(account, Permission.NONE) > Permission.NONE
        }
        new = [one for one in logins if one not in {*facts.reviewers, facts.pull.author.login}]
        if not able.issuperset(new):
            return False
        self.hub.pulls[number] = replace(facts, reviewers=(*facts.reviewers, *new))
        return True

    # checks

    def show(self, check: Check) -> int:
        text = check.text
        mine = [
            one.id
            for one in self.hub.checks.values()
            if (one.sha, one.name, one.external_id, one.app)
            == (check.sha, text.name, text.external_id, self.own.app or 0)
        ]
        if check.sha not in self.hub.git.commits:
            raise ForgeRefused("there is no such commit")
        number = mine[-1] if mine else self.hub.new_id()
        self.hub.checks[number] = CheckFacts(
            id=number,
            name=text.name,
            sha=check.sha,
            status=text.status.value,
            conclusion=text.conclusion,
            external_id=text.external_id,
            app=self.own.app or 0,
            title=text.title,
            summary=text.summary,
            text=text.text,
        )
        there = self.hub.notes.setdefault(number, [])
        there += [note for note in check.notes if note not in there]
        return number

    def check(self, check: int) -> CheckFacts | None:
        return self.hub.checks.get(check)

    def notes(self, check: int) -> tuple[Annotation, ...]:
        if check not in self.hub.checks:
            raise ForgeMissing("there is no such check")
        return tuple(self.hub.notes.get(check, ()))

    def failing(self, where: Failing) -> tuple[CheckFacts, ...]:
        found: Iterable[CheckFacts] = self.hub.checks.values()
        match where:
            case OfCommit(sha):
                found = [one for one in found if one.sha == sha]
            case OfSuite(suite):
                found = [one for one in found if one.suite == suite]
            case OfRun(run):
                found = [self.hub.checks[job.id] for job in self.jobs(run)]
        return tuple(one for one in found if one.has_failed)

    def run(self, run: int) -> RunFacts | None:
        return self.hub.runs.get(run)

    def jobs(self, run: int) -> tuple[JobFacts, ...]:
        return tuple(one for one in self.hub.jobs.values() if one.run == run)

    def recent_runs(self, *, most: int) -> tuple[RunFacts, ...]:
        over = [one for one in reversed(self.hub.runs.values()) if one.conclusion]
        return tuple(over[:most])

    def attempts(self, run: int) -> tuple[JobFacts, ...]:
        return self.jobs(run)

    def log(self, job: int) -> Log | None:
        return self.hub.logs.get(job)

    # commits

    def ref(self, name: str) -> str | None:
        return self.hub.git.refs.get(name)

    def refs(self, prefix: str) -> tuple[RefFacts, ...]:
        found = sorted(self.hub.git.refs.items())
        return tuple(RefFacts(name, sha) for name, sha in found if name.startswith(prefix))

    def drop(self, ref: str) -> None:
        if not ref.startswith(OURS):
            raise ForgeRefused(f"{ref} is not jam's to delete")
        self.hub.git.refs.pop(ref, None)

    def push(
        self, ref: str, commits: Sequence[NewCommit], *, base: str, onto: Onto = Onto.NEW
    ) -> Pushed:
        pushable.demand(ref, commits)
        if base not in self.hub.git.commits:
            raise ForgeMissing(f"there is no commit {base}")
        now = self.ref(ref)
        if now is None or (onto is Onto.FORWARD and now == base):
            self.hub.writes.append(f"push to {ref}")
            now = self.hub.git.refs[ref] = self._build(commits, base)
        elif not self._is(now, commits, base):
            raise RefTaken(f"{ref} holds something else: {now[:12]}")
        return Pushed(ref=ref, commit=now, tree=commits[-1].tree)

    def _is(self, sha: str, commits: Sequence[NewCommit], base: str) -> bool:
        for wanted in reversed(commits):
            kept = self.hub.git.commits[sha]
            if sha == base or kept.tree != wanted.tree or len(kept.parents) != 1:
                return False
            sha = kept.parents[0]
        return sha == base

    def _build(self, commits: Sequence[NewCommit], base: str) -> str:
        head = base
        for wanted in commits:
            before: Kept = self.hub.git.commits[head]
            files = {path: file for path, file in before.files.items() if path not in wanted.drop}
            files |= {one.path: (one.mode, one.content) for one in wanted.put}
            head = self.hub.git.commit(files, parents=(head,), message=wanted.message)
            if self.hub.git.commits[head].tree != wanted.tree:
                raise ForgeMistaken(f"another tree than {wanted.tree} came out")
        return head
