"""Readers of what checks say: runs, suites, workflow runs, and buttons pressed on them."""

from __future__ import annotations

from pydantic import Field

from bot.core.deliveries.shapes import (
    App,
    Branch,
    Number,
    Only,
    PullNumber,
    Root,
    Sha,
    Shape,
    Short,
    User,
    pulls_of,
)
from bot.core.event import CheckAsked, CheckEnded, CheckKind, Conclusion


class Suite(Shape):
    id: Number
    head_branch: Branch | None = None
    head_sha: Sha
    conclusion: Short | None = None
    app: App | None = None
    pull_requests: list[PullNumber] = Field(default_factory=list)


class InSuite(Shape):
    head_branch: Branch | None = None


class Run(Shape):
    id: Number
    name: Short
    head_sha: Sha
    conclusion: Short | None = None
    external_id: Short | None = None
    app: App | None = None
    check_suite: InSuite | None = None
    pull_requests: list[PullNumber] = Field(default_factory=list)


class Workflow(Shape):
    id: Number
    name: Short | None = None
    head_sha: Sha
    head_branch: Branch | None = None
    head_repository: Only | None = None
    conclusion: Short | None = None
    event: Short = ""
    actor: User | None = None
    triggering_actor: User | None = None
    pull_requests: list[PullNumber] = Field(default_factory=list)


class Button(Shape):
    identifier: Short


class OfRun(Root):
    check_run: Run


class OfPressed(OfRun):
    requested_action: Button


class OfSuite(Root):
    check_suite: Suite


class OfWorkflow(Root):
    workflow_run: Workflow


def run_ended(payload: object) -> CheckEnded:
    said = OfRun.model_validate(payload)
    run = said.check_run
    return CheckEnded(
        where=said.where,
        by=said.by,
        kind=CheckKind.RUN,
        id=run.id,
        name=run.name,
        conclusion=_conclusion(run.conclusion),
        head_sha=run.head_sha,
        head_branch=run.check_suite.head_branch if run.check_suite else None,
        app=run.app.id if run.app else None,
        pulls=pulls_of(said.repository, run.pull_requests),
    )


def suite_ended(payload: object) -> CheckEnded:
    said = OfSuite.model_validate(payload)
    suite = said.check_suite
    return CheckEnded(
        where=said.where,
        by=said.by,
        kind=CheckKind.SUITE,
        id=suite.id,
        name="",
        conclusion=_conclusion(suite.conclusion),
        head_sha=suite.head_sha,
        head_branch=suite.head_branch,
        app=suite.app.id if suite.app else None,
        pulls=pulls_of(said.repository, suite.pull_requests),
    )


def workflow_ended(payload: object) -> CheckEnded:
    said = OfWorkflow.model_validate(payload)
    run = said.workflow_run
    actors = {user.id: user.say() for user in (run.actor, run.triggering_actor) if user}
    return CheckEnded(
        where=said.where,
        by=said.by,
        kind=CheckKind.WORKFLOW,
        id=run.id,
        name=run.name or "",
        conclusion=_conclusion(run.conclusion),
        head_sha=run.head_sha,
        head_branch=run.head_branch,
        head_repository=run.head_repository.id if run.head_repository else None,
        pulls=pulls_of(said.repository, run.pull_requests),
        actors=tuple(actors.values()),
        caused_by=run.event,
    )


def run_asked(payload: object) -> CheckAsked:
    said = OfRun.model_validate(payload)
    return _asked(said, said.check_run, "")


def run_pressed(payload: object) -> CheckAsked:
    said = OfPressed.model_validate(payload)
    return _asked(said, said.check_run, said.requested_action.identifier)


def _asked(said: Root, run: Run, action: str) -> CheckAsked:
    return CheckAsked(
        where=said.where,
        by=said.by,
        name=run.name,
        head_sha=run.head_sha,
        app=run.app.id if run.app else None,
        external=run.external_id or "",
        action=action,
        pulls=pulls_of(said.repository, run.pull_requests),
    )


def suite_asked(payload: object) -> CheckAsked:
    said = OfSuite.model_validate(payload)
    suite = said.check_suite
    return CheckAsked(
        where=said.where,
        by=said.by,
        name="",
        head_sha=suite.head_sha,
        app=suite.app.id if suite.app else None,
        pulls=pulls_of(said.repository, suite.pull_requests),
    )


def _conclusion(word: str | None) -> Conclusion:
    """A word that GitHub adds one day is not a failure that jam knows how to mend."""
    try:
        return Conclusion(word or "none")
    except ValueError:
        return Conclusion.NONE
