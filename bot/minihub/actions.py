"""
Workflow runs as seen from outside: read, download, rerun, cancel. Nothing is run; a person's CI is
acted out through ``bot.minihub.ci``.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

from bot.minihub.answers import Answer, Page, Refused, created, not_found
from bot.minihub.call import Call
from bot.minihub.records import Artifact, Job, Workflow, WorkflowRun
from bot.minihub.shapes import Json
from bot.minihub.shapes import actions as shapes

Filter = Callable[[WorkflowRun, str], bool]
FILTERS: dict[str, Filter] = {
    "branch": lambda run, text: run.suite.head_branch == text,
    "event": lambda run, text: run.event == text,
    "status": lambda run, text: text in (run.status, run.conclusion),
    "head_sha": lambda run, text: run.suite.head_sha == text,
    "actor": lambda run, text: run.actor.login == text,
    "check_suite_id": lambda run, text: str(run.suite.id) == text,
}


def _run(call: Call) -> WorkflowRun:
    number = call.number("run_id")
    for each in call.repo.runs:
        if each.id == number:
            return each
    raise not_found()


def _job(call: Call) -> tuple[WorkflowRun, Job]:
    number = call.number("job_id")
    for run in call.repo.runs:
        for job in run.jobs:
            if job.id == number:
                return run, job
    raise not_found()


def _artifact(call: Call) -> tuple[WorkflowRun, Artifact]:
    number = call.number("artifact_id")
    for run in call.repo.runs:
        for artifact in run.artifacts:
            if artifact.id == number:
                return run, artifact
    raise not_found()


def _shape(call: Call, run: WorkflowRun) -> Json:
    return shapes.run(call.hub.links, call.repo, run)


def runs(call: Call) -> Page:
    asked = {name: call.query(name) for name in FILTERS if call.query(name)}
    found = [
        run
        for run in reversed(call.repo.runs)
        if all(FILTERS[name](run, text) for name, text in asked.items())
    ]
    if "workflow_id" in call.words:
        workflow = _workflow(call)
        found = [run for run in found if run.workflow is workflow]
    return Page([_shape(call, each) for each in found], under="workflow_runs")


def read(call: Call) -> Json:
    return _shape(call, _run(call))


def jobs(call: Call) -> Page:
    run = _run(call)
    return Page([shapes.job(call.hub.links, call.repo, run, job) for job in run.jobs], under="jobs")


def job(call: Call) -> Json:
    return shapes.job(call.hub.links, call.repo, *_job(call))


def job_log(call: Call) -> Answer:
    _, job = _job(call)
    if job.check_run.status != "completed":
        raise not_found()
    return call.hub.downloads.offer(
        call.hub.links.base, job.log.encode(), media_type="text/plain; charset=utf-8"
    )


def run_log(call: Call) -> Answer:
    run, packed = _run(call), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, job in enumerate(run.jobs):
            archive.writestr(f"{number}_{job.name.replace('/', '_')}.txt", job.log)
    return call.hub.downloads.offer(
        call.hub.links.base, packed.getvalue(), media_type="application/zip"
    )


def artifacts(call: Call) -> Page:
    run, name = _run(call), call.query("name")
    found = [each for each in run.artifacts if name in ("", each.name)]
    shaped = [shapes.artifact(call.hub.links, call.repo, run, each) for each in found]
    return Page(shaped, under="artifacts")


def artifact(call: Call) -> Json:
    return shapes.artifact(call.hub.links, call.repo, *_artifact(call))


def artifact_zip(call: Call) -> Answer:
    if call.words["archive_format"] != "zip":
        raise not_found()
    _, found = _artifact(call)
    if found.expired:
        raise Refused(410, "Artifact has expired")
    return call.hub.downloads.offer(
        call.hub.links.base, found.content, media_type="application/zip"
    )


def rerun(call: Call) -> Answer:
    run = _run(call)
    if run.status != "completed":
        raise Refused(403, "This workflow run is not rerunnable: it is still running.")
    run.attempt += 1
    run.status, run.conclusion = "queued", None
    run.triggering_actor, run.updated_at = call.me, call.hub.clock.stamp()
    for each in run.jobs:
        each.check_run.status, each.check_run.conclusion = "queued", None
    return created({})


def cancel(call: Call) -> Answer:
    run = _run(call)
    if run.status == "completed":
        raise Refused(409, "Cannot cancel a workflow run that is completed.")
    run.status, run.conclusion = "completed", "cancelled"
    for each in run.jobs:
        each.check_run.status, each.check_run.conclusion = "completed", "cancelled"
    tell(call, run, "completed")
    return Answer({}, 202)


def _workflow(call: Call) -> Workflow:
    name = call.words["workflow_id"]
    for each in call.repo.workflows:
        if name in (str(each.id), each.path.rpartition("/")[2]):
            return each
    raise not_found()


def workflows(call: Call) -> Page:
    links = call.hub.links
    found = [shapes.workflow(links, call.repo, each) for each in call.repo.workflows]
    return Page(found, under="workflows")


def workflow(call: Call) -> Json:
    return shapes.workflow(call.hub.links, call.repo, _workflow(call))


def tell(call: Call, run: WorkflowRun, action: str) -> None:
    call.tell(
        "workflow_run",
        action,
        workflow=shapes.workflow(call.hub.links, call.repo, run.workflow),
        workflow_run=_shape(call, run),
    )
