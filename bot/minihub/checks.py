"""
Check runs and suites. Only an App makes a run, and only the App that made it changes it. A suite is
complete when its runs are, and says so once.
"""

from __future__ import annotations

from typing import Any

from bot.minihub.answers import (
    Answer,
    Page,
    Refused,
    created,
    forbidden,
    invalid,
    not_found,
    unprocessable,
)
from bot.minihub.call import Call
from bot.minihub.commits import sha_of
from bot.minihub.records import App, CheckRun, CheckSuite, Installation, Repo
from bot.minihub.shapes import Json
from bot.minihub.shapes import checks as shapes

ANNOTATIONS_AT_ONCE = 50
TEXT_LIMIT = 65_535
TITLE_LIMIT = 255
ACTIONS_LIMIT = 3
STATUSES = ("queued", "in_progress", "completed", "waiting", "requested", "pending")
CONCLUSIONS = (
    "success",
    "failure",
    "neutral",
    "cancelled",
    "skipped",
    "timed_out",
    "action_required",
)
LEVELS = ("notice", "warning", "failure")


def find(repo: Repo, number: int) -> CheckRun:
    for each in repo.checks:
        if each.id == number:
            return each
    raise not_found()


def _run(call: Call) -> CheckRun:
    return find(call.repo, call.number("check_run_id"))


def _suite(call: Call) -> CheckSuite:
    number = call.number("check_suite_id")
    for each in call.repo.suites:
        if each.id == number:
            return each
    raise not_found()


def _shape(call: Call, run: CheckRun) -> Json:
    return shapes.run(call.hub.links, call.repo, run)


def _my_app(call: Call) -> App:
    if call.actor.app is None or call.actor.account is None:
        raise forbidden("You must authenticate via a GitHub App.")
    return call.actor.app


def made(call: Call) -> Answer:
    app, name = _my_app(call), call.text("name", resource="CheckRun")
    sha = call.text("head_sha", resource="CheckRun")
    if call.repo.git.kind(sha) != "commit":
        raise unprocessable(f"No commit found for SHA: {sha}")
    run = CheckRun(
        id=call.hub.store.new_id(), suite=suite_for(call, app, sha), name=name, status="queued"
    )
    _write(call, run)
    call.repo.checks.append(run)
    tell_run(call, run, "created")
    if run.status == "completed":
        completed(call, run)
    return created(_shape(call, run))


def suite_for(call: Call, app: App | None, sha: str) -> CheckSuite:
    for suite in call.repo.suites:
        if suite.app is app and suite.head_sha == sha:
            return suite
    heads = call.repo.git.refs("refs/heads/")
    branch = next((name for name, at in heads.items() if at == sha), None)
    suite = CheckSuite(
        id=call.hub.store.new_id(),
        app=app,
        head_sha=sha,
        head_branch=branch.removeprefix("refs/heads/") if branch else None,
        created_at=call.hub.clock.stamp(),
        updated_at=call.hub.clock.stamp(),
    )
    call.repo.suites.append(suite)
    return suite


def edited(call: Call) -> Json:
    run = _run(call)
    if run.suite.app is not _my_app(call):
        raise forbidden(
            f"Invalid app_id `{_my_app(call).id}` - check run can only be modified by the GitHub "
            "App that created it."
        )
    before = run.status
    run.name = call.optional("name", str, resource="CheckRun") or run.name
    _write(call, run)
    run.suite.updated_at = call.hub.clock.stamp()
    if run.status == "completed" != before:
        completed(call, run)
    return _shape(call, run)


def _write(call: Call, run: CheckRun) -> None:
    status, conclusion = call.fields.get("status"), call.fields.get("conclusion")
    if status not in (None, *STATUSES):
        raise invalid("CheckRun", "status")
    if conclusion not in (None, *CONCLUSIONS):
        raise invalid("CheckRun", "conclusion")
    if status == "completed" and conclusion is None and run.conclusion is None:
        raise invalid("CheckRun", "conclusion", "missing_field")
    _write_output(call, run)
    _write_actions(call, run)
    run.external_id = call.optional("external_id", str, resource="CheckRun") or run.external_id
    run.details_url = call.optional("details_url", str, resource="CheckRun") or run.details_url
    run.status = "completed" if conclusion else status or run.status
    run.conclusion = conclusion or (run.conclusion if run.status == "completed" else None)
    now = call.hub.clock.stamp()
    run.started_at = call.fields.get("started_at") or run.started_at or now
    ended = call.fields.get("completed_at") or run.completed_at or now
    run.completed_at = ended if run.status == "completed" else None


def _write_output(call: Call, run: CheckRun) -> None:
    output = call.optional("output", dict, resource="CheckRun")
    if output is None:
        return
    title, summary, text = (output.get(name) for name in ("title", "summary", "text"))
    if (not title and run.title is None) or summary is None:
        raise unprocessable(
            'Invalid request.\n\n"title", "summary" weren\'t supplied.'  # for output
        )
    for name, limit in (("title", TITLE_LIMIT), ("summary", TEXT_LIMIT), ("text", TEXT_LIMIT)):
        if len(output.get(name) or "") > limit:
            said = f"{name} exceeds a maximum bytesize of {limit}"
            raise invalid("CheckRun", name, "custom", message=said)
    annotations = output.get("annotations") or []
    if len(annotations) > ANNOTATIONS_AT_ONCE:
        raise unprocessable(
            "Invalid request.\n\nNo more than 50 items are allowed; "
            f"{len(annotations)} were supplied."
        )
    for each in annotations:
        _check_annotation(each)
    run.title, run.summary = title or run.title, summary
    run.text = text if text is not None else run.text
    run.annotations += annotations


def _check_annotation(given: Any) -> None:
    wanted = {"path", "start_line", "end_line", "annotation_level", "message"}
    if not isinstance(given, dict) or wanted - given.keys():
        raise unprocessable("Invalid request.\n\nAn annotation lacks a field.")
    if given["annotation_level"] not in LEVELS:
        raise invalid("CheckAnnotation", "annotation_level")
    several_lines = given["start_line"] != given["end_line"]
    if several_lines and {"start_column", "end_column"} & given.keys():
        raise invalid("CheckAnnotation", "start_column")


def _write_actions(call: Call, run: CheckRun) -> None:
    actions = call.optional("actions", list, resource="CheckRun")
    if actions is None:
        return
    if len(actions) > ACTIONS_LIMIT or any(len(each["label"]) > 20 for each in actions):
        raise invalid("CheckRun", "actions")
    run.actions = actions


def read(call: Call) -> Json:
    return _shape(call, _run(call))


def annotated(call: Call) -> Page:
    run = _run(call)
    links = call.hub.links
    return Page([shapes.annotation(links, call.repo, run, each) for each in run.annotations])


def of_ref(call: Call) -> Page:
    sha = sha_of(call, call.words["ref"])
    return _page(call, [each for each in call.repo.checks if each.suite.head_sha == sha])


def of_suite(call: Call) -> Page:
    suite = _suite(call)
    return _page(call, [each for each in call.repo.checks if each.suite is suite])


def _page(call: Call, runs: list[CheckRun]) -> Page:
    name, status, app_id = (call.query(each) for each in ("check_name", "status", "app_id"))
    found = [
        each
        for each in runs
        if name in ("", each.name)
        and status in ("", each.status)
        and app_id in ("", str(each.suite.app.id if each.suite.app else 15368))
    ]
    if call.query("filter", "latest") == "latest":
        found = list({(each.suite.id, each.name): each for each in found}.values())
    return Page([_shape(call, each) for each in reversed(found)], under="check_runs")


def suites_of_ref(call: Call) -> Page:
    sha = sha_of(call, call.words["ref"])
    links = call.hub.links
    found = [shapes.suite(links, call.repo, each) for each in call.repo.suites]
    return Page([each for each in found if each["head_sha"] == sha], under="check_suites")


def read_suite(call: Call) -> Json:
    return shapes.suite(call.hub.links, call.repo, _suite(call))


def rerequested(call: Call) -> Answer:
    run = _run(call)
    _ask_again(call, run.suite.app, "check_run", shapes.hook_run(call.hub.links, call.repo, run))
    return created({})


def suite_rerequested(call: Call) -> Answer:
    suite = _suite(call)
    shape = shapes.suite(call.hub.links, call.repo, suite)
    shape.pop("repository")
    _ask_again(call, suite.app, "check_suite", shape)
    return created({})


def _ask_again(call: Call, app: App | None, name: str, shape: Json) -> None:
    """Only the App whose check it is hears of it."""
    installation = installation_of(call, app)
    if installation is None:
        raise Refused(422, "This check is not rerequestable")
    call.tell(name, "rerequested", only=installation, **{name: shape})


def installation_of(call: Call, app: App | None) -> Installation | None:
    installed = call.hub.store.installed_on(call.repo)
    return next((each for each in installed if each.app is app), None)


def tell_run(call: Call, run: CheckRun, action: str, **extra: Any) -> None:
    shape = shapes.hook_run(call.hub.links, call.repo, run)
    call.tell("check_run", action, check_run=shape, **extra)


def completed(call: Call, run: CheckRun) -> None:
    tell_run(call, run, "completed")
    if shapes.status_of(call.repo, run.suite)[0] == "completed":
        shape = shapes.suite(call.hub.links, call.repo, run.suite)
        shape.pop("repository")
        call.tell("check_suite", "completed", check_suite=shape)
