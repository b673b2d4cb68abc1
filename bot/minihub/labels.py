"""Labels of a repository, and of an issue."""

from __future__ import annotations

from bot.minihub import threads
from bot.minihub.answers import NOTHING_TO_SAY, Answer, Page, created, invalid, not_found
from bot.minihub.call import Call
from bot.minihub.records import Issue, Label
from bot.minihub.shapes import Json, issues


def _shape(call: Call, label: Label) -> Json:
    return issues.label(call.hub.links, call.repo, label)


def _here(call: Call) -> Label:
    found = threads.find_label(call, call.words["name"])
    if found is None:
        raise not_found()
    return found


def listed(call: Call) -> Page:
    return Page([_shape(call, each) for each in call.repo.labels])


def made(call: Call) -> Answer:
    name = call.text("name", resource="Label")
    if threads.find_label(call, name):
        raise invalid("Label", "name", "already_exists")
    color = call.optional("color", str, resource="Label") or "ededed"
    if len(color) != 6 or not all(each in "0123456789abcdefABCDEF" for each in color):
        raise invalid("Label", "color")
    label = Label(
        id=call.hub.store.new_id(),
        name=name,
        color=color.lower(),
        description=call.optional("description", str, resource="Label"),
    )
    call.repo.labels.append(label)
    call.tell("label", "created", label=_shape(call, label))
    return created(_shape(call, label))


def read(call: Call) -> Json:
    return _shape(call, _here(call))


def edited(call: Call) -> Json:
    label = _here(call)
    label.name = call.optional("new_name", str, resource="Label") or label.name
    label.color = call.optional("color", str, resource="Label") or label.color
    if "description" in call.fields:
        label.description = call.optional("description", str, resource="Label")
    return _shape(call, label)


def deleted(call: Call) -> Answer:
    label = _here(call)
    call.repo.labels.remove(label)
    for issue in call.repo.issues.values():
        if label in issue.labels:
            issue.labels.remove(label)
    call.tell("label", "deleted", label=_shape(call, label))
    return NOTHING_TO_SAY


def _of(call: Call, issue: Issue) -> list[Json]:
    return [_shape(call, each) for each in issue.labels]


def of_issue(call: Call) -> Page:
    return Page(_of(call, threads.here(call)))


def added(call: Call) -> list[Json]:
    issue = threads.here(call)
    threads.add_labels(call, issue, call.names("labels"))
    return _of(call, issue)


def replaced(call: Call) -> list[Json]:
    issue = threads.here(call)
    threads.set_labels(call, issue, call.names("labels"))
    return _of(call, issue)


def taken_off(call: Call) -> list[Json]:
    issue, label = threads.here(call), threads.find_label(call, call.words["name"])
    if label is None or label not in issue.labels:
        raise not_found("Label does not exist")
    threads.remove_label(call, issue, label)
    return _of(call, issue)


def all_taken_off(call: Call) -> Answer:
    threads.set_labels(call, threads.here(call), [])
    return NOTHING_TO_SAY
