"""What people see, as plain values: for assertions that say what a person would read."""

from __future__ import annotations

from dataclasses import dataclass

from bot.minihub.records import CheckRun, Comment, Issue, Reaction, Repo
from bot.minihub.shapes.pulls import pull_part
from bot.minihub.store import issue_of, pull_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentSeen:
    id: int
    by: str
    body: str
    reactions: tuple[tuple[str, str], ...]  # (content, login)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSeen:
    number: int
    title: str
    body: str
    by: str
    state: str
    labels: tuple[str, ...]
    reactions: tuple[tuple[str, str], ...]
    comments: tuple[CommentSeen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSeen:
    by: str
    state: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullSeen:
    thread: ThreadSeen
    head: str  # owner:branch
    head_sha: str
    base: str
    draft: bool
    merged: bool
    reviewers: tuple[str, ...]
    reviews: tuple[ReviewSeen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSeen:
    id: int
    name: str
    status: str
    conclusion: str | None
    title: str
    summary: str
    text: str
    annotations: tuple[tuple[str, int, str], ...]  # (path, line, message)


def thread(repo: Repo, number: int) -> ThreadSeen:
    return _thread(issue_of(repo, number))


def _thread(issue: Issue) -> ThreadSeen:
    return ThreadSeen(
        number=issue.number,
        title=issue.title,
        body=issue.body or "",
        by=issue.user.login,
        state=issue.state,
        labels=tuple(each.name for each in issue.labels),
        reactions=_reactions(issue.reactions),
        comments=tuple(map(_comment, issue.comments)),
    )


def _comment(comment: Comment) -> CommentSeen:
    return CommentSeen(
        id=comment.id,
        by=comment.user.login,
        body=comment.body,
        reactions=_reactions(comment.reactions),
    )


def _reactions(reactions: list[Reaction]) -> tuple[tuple[str, str], ...]:
    return tuple((each.content, each.user.login) for each in reactions)


def pull(repo: Repo, number: int) -> PullSeen:
    issue = pull_of(repo, number)
    part = pull_part(issue)
    return PullSeen(
        thread=_thread(issue),
        head=f"{part.head_owner.login}:{part.head_ref}",
        head_sha=part.head_sha,
        base=part.base_ref,
        draft=part.draft,
        merged=part.merged_at is not None,
        reviewers=tuple(each.login for each in part.reviewers),
        reviews=tuple(
            ReviewSeen(by=each.user.login, state=each.state, body=each.body)
            for each in part.reviews
        ),
    )


def check(run: CheckRun) -> CheckSeen:
    return CheckSeen(
        id=run.id,
        name=run.name,
        status=run.status,
        conclusion=run.conclusion,
        title=run.title or "",
        summary=run.summary or "",
        text=run.text or "",
        annotations=tuple(
            (each["path"], each["start_line"], each["message"]) for each in run.annotations
        ),
    )
