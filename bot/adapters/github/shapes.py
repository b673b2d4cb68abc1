"""
Shapes of GitHub's answers: only what is read, and said in jam's words.

A field that is not here cannot break jam when GitHub changes it. One that is here has its type, so
an answer of another shape (a page, a redirect's note) is never taken for one.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bot.core import thread
from bot.core.annotations import Annotation, Level
from bot.core.deliveries.shapes import FullName, Number, User, who
from bot.core.forge_values import (
    CheckFacts,
    JobFacts,
    PullFacts,
    RepositoryFacts,
    RunFacts,
    ThreadFacts,
)
from bot.core.markers import Written
from bot.core.spoken import ShaGit


class Shape(BaseModel):
    # From JSON, so times come as text; everything else is held to its type by its field.
    model_config = ConfigDict(frozen=True, extra="ignore")


Whole = Annotated[int, Field(strict=True)]
Text = Annotated[str, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class RepositoryAnswer(Shape):
    id: Number
    full_name: FullName
    owner: User
    default_branch: Text
    clone_url: Text
    private: Flag
    archived: Flag = False
    fork: Flag = False

    def say(self) -> RepositoryFacts:
        return RepositoryFacts(
            id=self.id,
            name=self.full_name,
            owner=self.owner.say(),
            default_branch=self.default_branch,
            clone_url=self.clone_url,
            is_private=self.private,
            is_archived=self.archived,
            is_fork=self.fork,
            is_organization=self.owner.type == "Organization",
        )


class PermissionAnswer(Shape):
    permission: Text
    role_name: Text | None = None
    user: User | None = None


class AccountAnswer(Shape):
    id: Number
    login: Text


class LabelAnswer(Shape):
    name: Text


class ThreadAnswer(Shape):
    id: Number
    number: Number
    title: Text
    body: Text | None = None
    state: Literal["open", "closed"]
    user: User | None = None
    locked: Flag = False
    labels: list[LabelAnswer] = []
    pull_request: dict[str, object] | None = None
    updated_at: AwareDatetime | None = None
    closed_by: User | None = None

    def say(self) -> ThreadFacts:
        return ThreadFacts(
            thread=thread.Thread(
                number=self.number,
                is_pull=self.pull_request is not None,
                title=self.title,
                body=self.body or "",
                author=who(self.user),
                is_open=self.state == "open",
            ),
            labels=tuple(one.name for one in self.labels),
            is_locked=self.locked,
            updated_at=self.updated_at,
            closed_by=who(self.closed_by),
        )


class CommentAnswer(Shape):
    id: Number
    body: Text | None = None
    user: User | None = None

    def say(self) -> Written:
        return Written(self.id, who(self.user), self.body or "")


class ReactionAnswer(Shape):
    id: Number
    content: Text
    user: User | None = None


class HeadRepository(Shape):
    id: Number
    full_name: FullName


class SideAnswer(Shape):
    ref: Text
    sha: ShaGit
    repo: HeadRepository | None = None


class PullAnswer(Shape):
    id: Number
    node_id: Text
    number: Number
    title: Text
    body: Text | None = None
    state: Literal["open", "closed"]
    draft: Flag = False
    merged_at: AwareDatetime | None = None
    user: User | None = None
    head: SideAnswer
    base: SideAnswer
    html_url: Text = ""
    labels: list[LabelAnswer] = []
    requested_reviewers: list[User] = []

    def say(self) -> PullFacts:
        head = self.head.repo
        return PullFacts(
            pull=thread.Pull(
                number=self.number,
                author=who(self.user),
                head_sha=self.head.sha,
                head_branch=self.head.ref,
                head_repository=head.id if head else None,
                base_branch=self.base.ref,
                title=self.title,
                body=self.body or "",
                is_open=self.state == "open",
                is_merged=self.merged_at is not None,
            ),
            base_sha=self.base.sha,
            is_draft=self.draft,
            head_name=head.full_name if head else "",
            url=self.html_url,
            labels=tuple(one.name for one in self.labels),
            reviewers=tuple(one.login for one in self.requested_reviewers),
        )


class Numbered(Shape):
    id: Number


class OutputAnswer(Shape):
    title: Text | None = None
    summary: Text | None = None
    text: Text | None = None


class CheckAnswer(Shape):
    id: Number
    name: Text
    head_sha: ShaGit
    status: Text
    conclusion: Text | None = None
    external_id: Text | None = None
    html_url: Text | None = None
    app: Numbered | None = None
    check_suite: Numbered | None = None
    output: OutputAnswer = OutputAnswer()

    def say(self) -> CheckFacts:
        return CheckFacts(
            id=self.id,
            name=self.name,
            sha=self.head_sha,
            status=self.status,
            conclusion=self.conclusion or "",
            external_id=self.external_id or "",
            app=self.app.id if self.app else 0,
            suite=self.check_suite.id if self.check_suite else 0,
            url=self.html_url or "",
            title=self.output.title or "",
            summary=self.output.summary or "",
            text=self.output.text or "",
        )


class NoteAnswer(Shape):
    path: Text
    start_line: Whole
    annotation_level: Text | None = None
    title: Text | None = None
    message: Text | None = None

    def say(self) -> Annotation:
        is_warning = self.annotation_level in ("warning", "notice")
        level = Level.WARNING if is_warning else Level.FAILURE
        where = (self.path, self.start_line)
        return Annotation(*where, self.title or "", self.message or "", level)


class RunAnswer(Shape):
    id: Number
    name: Text | None = None
    path: Text = ""
    event: Text
    head_sha: ShaGit
    head_branch: Text | None = None
    conclusion: Text | None = None
    check_suite_id: Whole = 0
    run_attempt: Whole = 1
    actor: User | None = None
    triggering_actor: User | None = None
    head_repository: Numbered | None = None

    def say(self) -> RunFacts:
        return RunFacts(
            id=self.id,
            name=self.name or "",
            path=self.path,
            event=self.event,
            sha=self.head_sha,
            branch=self.head_branch or "",
            conclusion=self.conclusion or "",
            suite=self.check_suite_id,
            attempt=self.run_attempt,
            actor=who(self.actor),
            triggering_actor=who(self.triggering_actor),
            head_repository=self.head_repository.id if self.head_repository else None,
        )


class StepAnswer(Shape):
    name: Text
    conclusion: Text | None = None


class JobAnswer(Shape):
    id: Number
    run_id: Number
    name: Text
    head_sha: ShaGit
    conclusion: Text | None = None
    steps: list[StepAnswer] = []

    def say(self) -> JobFacts:
        failed = tuple(step.name for step in self.steps if step.conclusion == "failure")
        return JobFacts(
            id=self.id,
            run=self.run_id,
            name=self.name,
            sha=self.head_sha,
            conclusion=self.conclusion or "",
            failed_steps=failed,
        )
