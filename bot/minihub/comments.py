"""Comments on issues and pull requests."""

from __future__ import annotations

from typing import Any

from bot.minihub import threads
from bot.minihub.answers import (
    NOTHING_TO_SAY,
    Answer,
    Page,
    check_length,
    created,
    forbidden,
    not_found,
)
from bot.minihub.call import Call
from bot.minihub.records import Comment, Issue
from bot.minihub.shapes import Json, issues


def find(call: Call) -> tuple[Issue, Comment]:
    number = call.number("comment_id")
    for issue in call.repo.issues.values():
        for comment in issue.comments:
            if comment.id == number:
                return issue, comment
    raise not_found()


def _shape(call: Call, issue: Issue, comment: Comment) -> Json:
    return issues.comment(call.hub.links, call.repo, issue, comment)


def _tell(call: Call, issue: Issue, comment: Comment, action: str, **extra: Any) -> None:
    call.tell(
        "issue_comment",
        action,
        issue=threads.shape(call, issue),
        comment=_shape(call, issue, comment),
        **extra,
    )


def of_issue(call: Call) -> Page:
    issue, since = threads.here(call), call.query("since")
    return Page([_shape(call, issue, each) for each in issue.comments if each.updated_at >= since])


def of_repo(call: Call) -> Page:
    since = call.query("since")
    return Page(
        [
            _shape(call, issue, each)
            for issue in call.repo.issues.values()
            for each in issue.comments
            if each.updated_at >= since
        ]
    )


def written(call: Call) -> Answer:
    issue = threads.here(call)
    body = call.text("body", resource="IssueComment")
    check_length("IssueComment", "body", body)
    if issue.locked and not call.is_at_least("write"):
        raise forbidden("Unable to create comment because issue is locked.")
    now = call.hub.clock.stamp()
    comment = Comment(
        id=call.hub.store.new_id(),
        user=call.me,
        body=body,
        created_at=now,
        updated_at=now,
        app=call.actor.app,
    )
    issue.comments.append(comment)
    threads.touch(call, issue)
    _tell(call, issue, comment, "created")
    return created(_shape(call, issue, comment))


def read(call: Call) -> Json:
    return _shape(call, *find(call))


def edited(call: Call) -> Json:
    issue, comment = find(call)
    threads.may_edit(call, comment.user)
    body = call.text("body", resource="IssueComment")
    check_length("IssueComment", "body", body)
    before, comment.body = comment.body, body
    comment.updated_at = call.hub.clock.stamp()
    _tell(call, issue, comment, "edited", changes={"body": {"from": before}})
    return _shape(call, issue, comment)


def deleted(call: Call) -> Answer:
    issue, comment = find(call)
    threads.may_edit(call, comment.user)
    issue.comments.remove(comment)
    _tell(call, issue, comment, "deleted")
    return NOTHING_TO_SAY
