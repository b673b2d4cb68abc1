"""
A person's CI, acted out: a workflow run with its jobs, logs and checks appears and completes, and
the world is told what GitHub would tell. Nothing is run.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.minihub import actions, checks
from bot.minihub.answers import invalid
from bot.minihub.call import Call
from bot.minihub.records import Artifact, CheckRun, CheckSuite, Job, Workflow, WorkflowRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """One job: what it concluded and what its log says."""

    name: str = "test"
    conclusion: str = "success"
    log: str = ""
    annotations: tuple[Mapping[str, object], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """A whole run. ``event`` is what started it; ``artifacts``: name -> file name -> bytes."""

    sha: str
    branch: str | None
    workflow: str = "CI"
    path: str = ".github/workflows/ci.yml"
    event: str = "push"
    jobs: tuple[Acted, ...] = (Acted(),)
    artifacts: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


def act(call: Call, play: Play) -> WorkflowRun:
    """``call`` says in which repository, and whose run it is."""
    if call.repo.git.kind(play.sha) != "commit":
        raise invalid("WorkflowRun", "head_sha")
    now, store = call.hub.clock.stamp(), call.hub.store
    suite = CheckSuite(
        id=store.new_id(),
        app=None,
        head_sha=play.sha,
        head_branch=play.branch,
        created_at=now,
        updated_at=now,
    )
    workflow = _workflow(call, play)
    run = WorkflowRun(
        id=store.new_id(),
        workflow=workflow,
        number=1 + sum(each.workflow is workflow for each in call.repo.runs),
        event=play.event,
        actor=call.me,
        triggering_actor=call.me,
        suite=suite,
        head_repo=call.repo,
        title=call.repo.git.facts(play.sha).message.splitlines()[0],
        created_at=now,
        updated_at=now,
    )
    run.jobs = [_job(call, suite, acted) for acted in play.jobs]
    run.artifacts = [_artifact(call, name, files) for name, files in play.artifacts.items()]
    call.repo.suites.append(suite)
    call.repo.runs.append(run)
    call.repo.checks += [job.check_run for job in run.jobs]
    actions.tell(call, run, "requested")
    finish(call, run, play.jobs)
    return run


def _workflow(call: Call, play: Play) -> Workflow:
    for each in call.repo.workflows:
        if each.path == play.path:
            return each
    made = Workflow(
        id=call.hub.store.new_id(),
        name=play.workflow,
        path=play.path,
        created_at=call.hub.clock.stamp(),
    )
    call.repo.workflows.append(made)
    return made


def _job(call: Call, suite: CheckSuite, acted: Acted) -> Job:
    number = call.hub.store.new_id()  # a job is the check run of the same number
    check = CheckRun(id=number, suite=suite, name=acted.name, started_at=call.hub.clock.stamp())
    check.annotations = [dict(each) for each in acted.annotations]
    return Job(id=number, name=acted.name, check_run=check, log=acted.log)


def _artifact(call: Call, name: str, files: Mapping[str, bytes]) -> Artifact:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return Artifact(
        id=call.hub.store.new_id(),
        name=name,
        content=packed.getvalue(),
        created_at=call.hub.clock.stamp(),
    )


def finish(call: Call, run: WorkflowRun, jobs: tuple[Acted, ...]) -> None:
    """Jobs end one after the other, then the run, as bad as its worst job."""
    for job, acted in zip(run.jobs, jobs, strict=True):
        check = job.check_run
        checks.tell_run(call, check, "created")
        check.status, check.conclusion = "completed", acted.conclusion
        check.completed_at = call.hub.clock.stamp()
        job.steps = [
            {
                "name": "Run tests",
                "status": "completed",
                "conclusion": acted.conclusion,
                "number": 1,
            }
        ]
        checks.completed(call, check)
    said = {acted.conclusion for acted in jobs}
    run.status, run.updated_at = "completed", call.hub.clock.stamp()
    run.conclusion = next((each for each in ("failure", "cancelled") if each in said), "success")
    actions.tell(call, run, "completed")
