"""Issues: list, open, read, edit, lock, assign."""

from __future__ import annotations

from bot.minihub import threads
from bot.minihub.answers import (
    NOTHING_TO_SAY,
    TITLE_LIMIT,
    Answer,
    Page,
    check_length,
    created,
    invalid,
)
from bot.minihub.call import Call
from bot.minihub.records import Account, Issue
from bot.minihub.shapes import Json

KEYS = {"created": "created_at", "updated": "updated_at"}


def listed(call: Call) -> Page:
    wanted = {each.lower() for each in call.query("labels").split(",") if each}
    found = [issue for issue in call.repo.issues.values() if _matches(call, issue, wanted)]
    found.sort(
        key=lambda issue: (
            getattr(issue, KEYS.get(call.query("sort"), "created_at")),
            issue.number,
        ),
        reverse=call.query("direction", "desc") != "asc",
    )
    return Page([threads.shape(call, issue) for issue in found])


def _matches(call: Call, issue: Issue, labels: set[str]) -> bool:
    state, creator = call.query("state", "open"), call.query("creator")
    assignee, since = call.query("assignee"), call.query("since")
    return (
        state in ("all", issue.state)
        and labels <= {each.name.lower() for each in issue.labels}
        and creator.lower() in ("", issue.user.login.lower())
        and (not assignee or assignee in [each.login for each in issue.assignees])
        and (not since or issue.updated_at >= since)
    )


def opened(call: Call) -> Answer:
    title = call.text("title", resource="Issue")
    body = call.optional("body", str, resource="Issue")
    check_length("Issue", "title", title, limit=TITLE_LIMIT)
    check_length("Issue", "body", body)
    issue = new_issue(call, title, body)
    threads.tell(call, issue, "opened")
    if call.is_at_least("triage"):  # others' labels and assignees are dropped without a word
        threads.add_labels(call, issue, _label_names(call))
        for account in _accounts(call, "assignees"):
            threads.assign(call, issue, account)
    return created(threads.shape(call, issue))


def new_issue(call: Call, title: str, body: str | None) -> Issue:
    repo, now = call.repo, call.hub.clock.stamp()
    issue = Issue(
        id=call.hub.store.new_id(),
        number=repo.next_number,
        title=title,
        body=body,
        user=call.me,
        created_at=now,
        updated_at=now,
        app=call.actor.app,
    )
    repo.next_number += 1
    repo.issues[issue.number] = issue
    return issue


def _label_names(call: Call) -> list[str]:
    given = call.fields.get("labels") or []
    return [each["name"] if isinstance(each, dict) else str(each) for each in given]


def _accounts(call: Call, name: str) -> list[Account]:
    known = call.hub.store.accounts
    return [known[login.lower()] for login in call.strings(name) if login.lower() in known]


def read(call: Call) -> Json:
    return threads.shape(call, threads.here(call))


def edited(call: Call) -> Json:
    issue = threads.here(call)
    threads.may_edit(call, issue.user)
    rewrite(call, issue, resource="Issue")
    if call.is_at_least("triage"):
        if "labels" in call.fields:
            threads.set_labels(call, issue, _label_names(call))
        if "assignees" in call.fields:
            _set_assignees(call, issue, _accounts(call, "assignees"))
    move(call, issue, reason=call.fields.get("state_reason") or "completed")
    return threads.shape(call, issue)


def rewrite(call: Call, issue: Issue, *, resource: str) -> None:
    """Title and body; both at once are one event that says what they were before."""
    changes: Json = {}
    for name, limit in (("title", TITLE_LIMIT), ("body", None)):
        text = call.optional(name, str, resource=resource)
        if name not in call.fields or text == getattr(issue, name):
            continue
        check_length(resource, name, text, **({"limit": limit} if limit else {}))
        changes[name] = {"from": getattr(issue, name) or ""}
        setattr(issue, name, text)
    if changes:
        threads.touch(call, issue)
        threads.tell(call, issue, "edited", changes=changes)


def _set_assignees(call: Call, issue: Issue, wanted: list[Account]) -> None:
    for account in [each for each in issue.assignees if each not in wanted]:
        threads.unassign(call, issue, account)
    for account in wanted:
        threads.assign(call, issue, account)


def move(call: Call, issue: Issue, *, reason: str) -> None:
    match call.fields.get("state"):
        case None:
            return
        case "closed":
            threads.close(call, issue, reason=reason)
        case "open":
            threads.reopen(call, issue)
        case _:
            raise invalid("Issue", "state")


def locked(call: Call) -> Answer:
    issue = threads.here(call)
    issue.locked = True
    threads.tell(call, issue, "locked")
    return NOTHING_TO_SAY


def unlocked(call: Call) -> Answer:
    issue = threads.here(call)
    issue.locked = False
    threads.tell(call, issue, "unlocked")
    return NOTHING_TO_SAY


def assigned(call: Call) -> Answer:
    issue = threads.here(call)
    for account in _accounts(call, "assignees"):
        threads.assign(call, issue, account)
    return created(threads.shape(call, issue))


def unassigned(call: Call) -> Json:
    issue = threads.here(call)
    for account in _accounts(call, "assignees"):
        threads.unassign(call, issue, account)
    return threads.shape(call, issue)
