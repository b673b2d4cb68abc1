"""Commit statuses, the older kind of check."""

from __future__ import annotations

from bot.minihub.answers import Answer, Page, created, invalid
from bot.minihub.call import Call
from bot.minihub.commits import sha_of
from bot.minihub.records import Status
from bot.minihub.shapes import Json, checks

STATES = ("error", "failure", "pending", "success")


def _of(call: Call, sha: str) -> list[Status]:
    """Newest first."""
    return [each for each in reversed(call.repo.statuses) if each.sha == sha]


def made(call: Call) -> Answer:
    sha, state = sha_of(call, call.words["sha"]), call.text("state", resource="Status")
    if state not in STATES:
        raise invalid("Status", "state")
    status = Status(
        id=call.hub.store.new_id(),
        sha=sha,
        state=state,
        context=call.optional("context", str, resource="Status") or "default",
        description=call.optional("description", str, resource="Status"),
        target_url=call.optional("target_url", str, resource="Status"),
        creator=call.me,
        created_at=call.hub.clock.stamp(),
    )
    if len(status.description or "") > 140:
        raise invalid("Status", "description", "custom", message="description is too long")
    call.repo.statuses.append(status)
    return created(checks.status(call.hub.links, call.repo, status))


def listed(call: Call) -> Page:
    sha = sha_of(call, call.words["ref"])
    return Page([checks.status(call.hub.links, call.repo, each) for each in _of(call, sha)])


def combined(call: Call) -> Json:
    sha = sha_of(call, call.words["ref"])
    latest: dict[str, Status] = {}
    for each in _of(call, sha):
        latest.setdefault(each.context, each)
    return checks.combined(call.hub.links, call.repo, sha, list(latest.values()))
