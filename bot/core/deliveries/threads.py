"""Readers of what happens on issues and pull requests."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from bot.core.deliveries.shapes import (
    App,
    Issue,
    Label,
    Number,
    PullRequest,
    Root,
    Sha,
    Shape,
    Short,
    User,
    who,
)
from bot.core.event import (
    Commented,
    How,
    Labelled,
    PullMoved,
    Reviewed,
    ThreadEnded,
    Unlabelled,
    Unwanted,
)


class OfIssue(Root):
    issue: Issue


class OfPull(Root):
    pull_request: PullRequest


class IssueLabel(OfIssue):
    label: Label


class PullLabel(OfPull):
    label: Label


class PullSync(OfPull):
    before: Sha


class Comment(Shape):
    id: Number
    body: str | None = None
    user: User | None = None
    created_at: AwareDatetime = Field(strict=False)
    performed_via_github_app: App | None = None


class OfComment(OfIssue):
    comment: Comment


class Review(Shape):
    id: Number
    body: str | None = None
    state: Short
    user: User | None = None


class OfReview(OfPull):
    review: Review


def labelled(payload: object) -> Labelled:
    said = IssueLabel.model_validate(payload)
    return Labelled(where=said.where, by=said.by, thread=said.issue.say(), label=said.label.name)


def pull_labelled(payload: object) -> Labelled:
    said = PullLabel.model_validate(payload)
    pull = said.pull_request.say()
    return Labelled(
        where=said.where, by=said.by, thread=pull.thread, label=said.label.name, pull=pull
    )


def unlabelled(payload: object) -> Unlabelled:
    said = IssueLabel.model_validate(payload)
    return Unlabelled(where=said.where, by=said.by, thread=said.issue.say(), label=said.label.name)


def pull_unlabelled(payload: object) -> Unlabelled:
    said = PullLabel.model_validate(payload)
    return Unlabelled(
        where=said.where,
        by=said.by,
        thread=said.pull_request.say().thread,
        label=said.label.name,
    )


def closed(payload: object) -> ThreadEnded:
    return _ended(payload, How.CLOSED)


def deleted(payload: object) -> ThreadEnded:
    return _ended(payload, How.DELETED)


def transferred(payload: object) -> ThreadEnded:
    return _ended(payload, How.TRANSFERRED)


def _ended(payload: object, how: How) -> ThreadEnded:
    said = OfIssue.model_validate(payload)
    return ThreadEnded(where=said.where, by=said.by, thread=said.issue.say(), how=how)


def pull_closed(payload: object) -> ThreadEnded:
    said = OfPull.model_validate(payload)
    pull = said.pull_request.say()
    how = How.MERGED if pull.is_merged else How.CLOSED
    return ThreadEnded(where=said.where, by=said.by, thread=pull.thread, how=how, pull=pull)


def pull_moved(payload: object) -> PullMoved:
    said = PullSync.model_validate(payload)
    return PullMoved(where=said.where, by=said.by, pull=said.pull_request.say(), before=said.before)


def commented(payload: object) -> Commented | Unwanted:
    said = OfComment.model_validate(payload)
    comment = said.comment
    if who(comment.user).id != said.by.id:
        return Unwanted("the comment is not its sender's own")
    return Commented(
        where=said.where,
        by=said.by,
        thread=said.issue.say(),
        comment=comment.id,
        words=comment.body or "",
        at=comment.created_at,
        app=comment.performed_via_github_app.id if comment.performed_via_github_app else None,
    )


def reviewed(payload: object) -> Reviewed | Unwanted:
    said = OfReview.model_validate(payload)
    review = said.review
    if review.state.lower() != "changes_requested":
        return Unwanted("the review does not request changes")
    if who(review.user).id != said.by.id:
        return Unwanted("the review is not its sender's own")
    return Reviewed(
        where=said.where,
        by=said.by,
        pull=said.pull_request.say(),
        review=review.id,
        words=review.body or "",
    )
