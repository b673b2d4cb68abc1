"""
What happens to an issue or a pull request as a thread: it is found, touched, labelled, closed, and
the world is told in the words that fit (``issues`` or ``pull_request``).
"""

from __future__ import annotations

from typing import Any

from bot.minihub.answers import forbidden
from bot.minihub.call import Call
from bot.minihub.records import Account, Issue, Label
from bot.minihub.shapes import Json, issues, people, pulls
from bot.minihub.store import issue_of


def here(call: Call) -> Issue:
    return issue_of(call.repo, call.number("issue_number"))


def shape(call: Call, issue: Issue) -> Json:
    return issues.issue(call.hub.links, call.repo, issue)


def touch(call: Call, issue: Issue) -> None:
    issue.updated_at = call.hub.clock.stamp()


def tell(call: Call, issue: Issue, action: str, **extra: Any) -> None:
    if issue.pull:
        pull = pulls.full(call.hub.links, call.repo, issue)
        call.tell("pull_request", action, number=issue.number, pull_request=pull, **extra)
    else:
        call.tell("issues", action, issue=shape(call, issue), **extra)


def find_label(call: Call, name: str) -> Label | None:
    return next((each for each in call.repo.labels if each.name.lower() == name.lower()), None)


def made_label(call: Call, name: str) -> Label:
    """A label that an issue is given springs into being."""
    found = find_label(call, name)
    if found is None:
        found = Label(id=call.hub.store.new_id(), name=name)
        call.repo.labels.append(found)
    return found


def add_labels(call: Call, issue: Issue, names: list[str]) -> None:
    """One event for each label that was not there yet."""
    for label in [made_label(call, name) for name in names]:
        if label not in issue.labels:
            issue.labels.append(label)
            touch(call, issue)
            tell(call, issue, "labeled", label=issues.label(call.hub.links, call.repo, label))


def remove_label(call: Call, issue: Issue, label: Label) -> None:
    issue.labels.remove(label)
    touch(call, issue)
    tell(call, issue, "unlabeled", label=issues.label(call.hub.links, call.repo, label))


def set_labels(call: Call, issue: Issue, names: list[str]) -> None:
    wanted = {name.lower() for name in names}
    for label in [each for each in issue.labels if each.name.lower() not in wanted]:
        remove_label(call, issue, label)
    add_labels(call, issue, names)


def assign(call: Call, issue: Issue, account: Account) -> None:
    if account not in issue.assignees and call.hub.store.role(call.repo, account) != "none":
        issue.assignees.append(account)
        touch(call, issue)
        tell(call, issue, "assigned", assignee=people.user(call.hub.links, account))


def unassign(call: Call, issue: Issue, account: Account) -> None:
    if account in issue.assignees:
        issue.assignees.remove(account)
        touch(call, issue)
        tell(call, issue, "unassigned", assignee=people.user(call.hub.links, account))


def close(call: Call, issue: Issue, *, reason: str | None = "completed") -> None:
    if issue.state == "closed":
        return
    issue.state, issue.closed_at, issue.closed_by = "closed", call.hub.clock.stamp(), call.me
    issue.state_reason = None if issue.pull else reason
    touch(call, issue)
    tell(call, issue, "closed")


def reopen(call: Call, issue: Issue) -> None:
    if issue.state == "open":
        return
    issue.state, issue.closed_at, issue.closed_by = "open", None, None
    issue.state_reason = None if issue.pull else "reopened"
    touch(call, issue)
    tell(call, issue, "reopened")


def may_edit(call: Call, author: Account) -> None:
    """The author may, and whoever may write."""
    if call.me is author or call.is_at_least("write"):
        return
    raise forbidden("Must have write rights to Repository.")
