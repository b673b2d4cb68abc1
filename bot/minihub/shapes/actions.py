"""Workflows, their runs, jobs and artifacts as JSON."""

from __future__ import annotations

from bot.minihub.links import Links
from bot.minihub.records import Artifact, Job, Repo, Workflow, WorkflowRun
from bot.minihub.shapes import Json, git, people, pulls, repos
from bot.minihub.store import node_id


def workflow(links: Links, repo: Repo, one: Workflow) -> Json:
    page = links.html(repo, f"/actions/workflows/{one.path.rpartition('/')[2]}")
    return {
        "id": one.id,
        "node_id": node_id("W", one.id),
        "name": one.name,
        "path": one.path,
        "state": "active",
        "created_at": one.created_at,
        "updated_at": one.created_at,
        "url": links.repo(repo, f"/actions/workflows/{one.id}"),
        "html_url": page,
        "badge_url": f"{page}/badge.svg",
    }


def run(links: Links, repo: Repo, one: WorkflowRun) -> Json:
    url = links.repo(repo, f"/actions/runs/{one.id}")
    own = one.head_repo is repo
    return {
        "id": one.id,
        "name": one.workflow.name,
        "node_id": node_id("WFR", one.id),
        "check_suite_id": one.suite.id,
        "check_suite_node_id": node_id("CS", one.suite.id),
        "head_branch": one.suite.head_branch,
        "head_sha": one.suite.head_sha,
        "path": one.workflow.path,
        "display_title": one.title,
        "run_number": one.number,
        "event": one.event,
        "status": one.status,
        "conclusion": one.conclusion,
        "workflow_id": one.workflow.id,
        "url": url,
        "html_url": links.html(repo, f"/actions/runs/{one.id}"),
        "pull_requests": pulls.of_commit(links, repo, one.suite.head_sha) if own else [],
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "actor": people.user(links, one.actor),
        "triggering_actor": people.user(links, one.triggering_actor),
        "run_attempt": one.attempt,
        "run_started_at": one.created_at,
        "referenced_workflows": [],
        "previous_attempt_url": f"{url}/attempts/{one.attempt - 1}" if one.attempt > 1 else None,
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": links.repo(repo, f"/check-suites/{one.suite.id}"),
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "workflow_url": links.repo(repo, f"/actions/workflows/{one.workflow.id}"),
        "head_commit": git.simple_commit(one.head_repo, one.suite.head_sha),
        "repository": repos.repository(links, repo),
        "head_repository": repos.repository(links, one.head_repo),
    }


def job(links: Links, repo: Repo, run_of: WorkflowRun, one: Job) -> Json:
    check = one.check_run
    started = check.started_at or run_of.created_at
    return {
        "id": one.id,
        "run_id": run_of.id,
        "run_url": links.repo(repo, f"/actions/runs/{run_of.id}"),
        "run_attempt": run_of.attempt,
        "node_id": node_id("CR", one.id),
        "head_sha": run_of.suite.head_sha,
        "head_branch": run_of.suite.head_branch,
        "url": links.repo(repo, f"/actions/jobs/{one.id}"),
        "html_url": links.html(repo, f"/actions/runs/{run_of.id}/job/{one.id}"),
        "status": check.status,
        "conclusion": check.conclusion,
        "created_at": started,
        "started_at": started,
        "completed_at": check.completed_at,
        "name": one.name,
        "steps": [
            {"started_at": started, "completed_at": check.completed_at, **step}
            for step in one.steps
        ],
        "check_run_url": links.repo(repo, f"/check-runs/{check.id}"),
        "labels": ["ubuntu-24.04"],
        "runner_id": 1,
        "runner_name": "GitHub Actions 1",
        "runner_group_id": 0,
        "runner_group_name": "GitHub Actions",
        "workflow_name": run_of.workflow.name,
    }


def artifact(links: Links, repo: Repo, run_of: WorkflowRun, one: Artifact) -> Json:
    url = links.repo(repo, f"/actions/artifacts/{one.id}")
    return {
        "id": one.id,
        "node_id": node_id("ART", one.id),
        "name": one.name,
        "size_in_bytes": len(one.content),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": one.expired,
        "created_at": one.created_at,
        "updated_at": one.created_at,
        "expires_at": one.created_at,
        "workflow_run": {
            "id": run_of.id,
            "repository_id": repo.id,
            "head_repository_id": run_of.head_repo.id,
            "head_branch": run_of.suite.head_branch,
            "head_sha": run_of.suite.head_sha,
        },
    }
