"""Reviews of pull requests."""

from __future__ import annotations

from bot.minihub import pulls
from bot.minihub.answers import Page, check_length, invalid, not_found, unprocessable
from bot.minihub.call import Call
from bot.minihub.records import Issue, Review
from bot.minihub.shapes import Json
from bot.minihub.shapes import pulls as shapes

STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


def _shape(call: Call, issue: Issue, review: Review) -> Json:
    return shapes.review(call.hub.links, call.repo, issue, review)


def _here(call: Call) -> tuple[Issue, Review]:
    issue, number = pulls.here(call), call.number("review_id")
    for each in shapes.pull_part(issue).reviews:
        if each.id == number:
            return issue, each
    raise not_found()


def listed(call: Call) -> Page:
    issue = pulls.here(call)
    return Page([_shape(call, issue, each) for each in shapes.pull_part(issue).reviews])


def read(call: Call) -> Json:
    return _shape(call, *_here(call))


def given(call: Call) -> Json:
    issue, event = pulls.here(call), call.fields.get("event")
    pull = shapes.pull_part(issue)
    body = call.optional("body", str, resource="PullRequestReview") or ""
    check_length("PullRequestReview", "body", body)
    if event is not None and event not in STATES:
        raise invalid("PullRequestReview", "event")
    if event in ("REQUEST_CHANGES", "COMMENT") and not body:
        raise unprocessable("Body can't be blank")
    if call.me is issue.user and event in ("APPROVE", "REQUEST_CHANGES"):
        raise unprocessable("Can not approve or request changes on your own pull request")
    review = Review(
        id=call.hub.store.new_id(),
        user=call.me,
        body=body,
        state=STATES[event] if event else "PENDING",
        commit_id=call.fields.get("commit_id") or pull.head_sha,
        submitted_at=call.hub.clock.stamp() if event else None,
    )
    pull.reviews.append(review)
    if call.me in pull.reviewers:
        pull.reviewers.remove(call.me)
    if event:
        _tell(call, issue, review, "submitted")
    return _shape(call, issue, review)


def dismissed(call: Call) -> Json:
    issue, review = _here(call)
    call.text("message", resource="PullRequestReview")
    review.state = "DISMISSED"
    _tell(call, issue, review, "dismissed")
    return _shape(call, issue, review)


def _tell(call: Call, issue: Issue, review: Review, action: str) -> None:
    told = _shape(call, issue, review)
    call.tell(
        "pull_request_review",
        action,
        review=told | {"state": told["state"].lower()},
        pull_request=shapes.simple(call.hub.links, call.repo, issue),
    )


def no_comments(call: Call) -> Page:
    """Comments on lines cannot be made here, so there are none."""
    pulls.here(call)
    return Page([])
