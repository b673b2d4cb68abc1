"""Check runs, suites and statuses as JSON."""

from __future__ import annotations

from urllib.parse import quote

from bot.minihub.links import Links
from bot.minihub.records import App, CheckRun, CheckSuite, Repo, Status
from bot.minihub.shapes import Json, apps, git, people, pulls, repos
from bot.minihub.store import node_id

WORST = ("action_required", "timed_out", "failure", "cancelled", "stale", "success", "neutral")


def app_of(links: Links, app: App | None, repo: Repo) -> Json:
    """GitHub Actions is an App too, and has this number on github.com."""
    if app is not None:
        return apps.app(links, app)
    return {
        "id": 15368,
        "client_id": "Iv1.actions",
        "slug": "github-actions",
        "node_id": node_id("A", 15368),
        "owner": people.user(links, repo.owner),
        "name": "GitHub Actions",
        "description": "Automate your workflow from idea to production",
        "external_url": links.page("/"),
        "html_url": links.page("/apps/github-actions"),
        "created_at": repo.created_at,
        "updated_at": repo.created_at,
        "permissions": {"actions": "write", "checks": "write"},
        "events": [],
    }


def run(links: Links, repo: Repo, one: CheckRun) -> Json:
    url = links.repo(repo, f"/check-runs/{one.id}")
    page = links.html(repo, f"/runs/{one.id}")
    return {
        "id": one.id,
        "name": one.name,
        "node_id": node_id("CR", one.id),
        "head_sha": one.suite.head_sha,
        "external_id": one.external_id,
        "url": url,
        "html_url": page,
        "details_url": one.details_url or page,
        "status": one.status,
        "conclusion": one.conclusion,
        "started_at": one.started_at,
        "completed_at": one.completed_at,
        "output": {
            "title": one.title,
            "summary": one.summary,
            "text": one.text,
            "annotations_count": len(one.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": one.suite.id},
        "app": app_of(links, one.suite.app, repo),
        "pull_requests": pulls.of_commit(links, repo, one.suite.head_sha),
    }


def hook_run(links: Links, repo: Repo, one: CheckRun) -> Json:
    """In a webhook the suite is told beside the run."""
    shape = run(links, repo, one)
    of_suite = suite(links, repo, one.suite)
    kept = [
        "id",
        "node_id",
        "head_branch",
        "head_sha",
        "status",
        "conclusion",
        "url",
        "before",
        "after",
        "pull_requests",
        "app",
        "created_at",
        "updated_at",
    ]
    return shape | {"check_suite": {name: of_suite[name] for name in kept}}


def annotation(links: Links, repo: Repo, one: CheckRun, given: Json) -> Json:
    optional = ("start_column", "end_column", "title", "raw_details")
    return {
        "path": given["path"],
        "start_line": given["start_line"],
        "end_line": given["end_line"],
        "annotation_level": given["annotation_level"],
        "message": given["message"],
        **{name: given.get(name) for name in optional},
        "blob_href": links.html(repo, f"/blob/{one.suite.head_sha}/{quote(given['path'])}"),
    }


def status_of(repo: Repo, suite: CheckSuite) -> tuple[str, str | None]:
    """A suite is what its runs are: running while one is, else as bad as the worst."""
    runs = [each for each in repo.checks if each.suite is suite]
    if not runs:
        return "queued", None
    if any(each.status != "completed" for each in runs):
        started = any(each.status != "queued" for each in runs)
        return ("in_progress" if started else "queued"), None
    said = {each.conclusion or "neutral" for each in runs}
    return "completed", next((each for each in WORST if each in said), "neutral")


def suite(links: Links, repo: Repo, one: CheckSuite) -> Json:
    status, conclusion = status_of(repo, one)
    url = links.repo(repo, f"/check-suites/{one.id}")
    return {
        "id": one.id,
        "node_id": node_id("CS", one.id),
        "head_branch": one.head_branch,
        "head_sha": one.head_sha,
        "status": status,
        "conclusion": conclusion,
        "url": url,
        "before": one.before,
        "after": one.after or one.head_sha,
        "pull_requests": pulls.of_commit(links, repo, one.head_sha),
        "app": app_of(links, one.app, repo),
        "repository": repos.repository(links, repo),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": sum(each.suite is one for each in repo.checks),
        "check_runs_url": f"{url}/check-runs",
        "head_commit": git.simple_commit(repo, one.head_sha),
    }


def status(links: Links, repo: Repo, one: Status) -> Json:
    return {
        "url": links.repo(repo, f"/statuses/{one.sha}"),
        "avatar_url": links.page(f"/avatars/u/{one.creator.id}"),
        "id": one.id,
        "node_id": node_id("SC", one.id),
        "state": one.state,
        "description": one.description,
        "target_url": one.target_url,
        "context": one.context,
        "created_at": one.created_at,
        "updated_at": one.created_at,
        "creator": people.user(links, one.creator),
    }


def combined(links: Links, repo: Repo, sha: str, latest: list[Status]) -> Json:
    states = {each.state for each in latest}
    state = "pending" if not states or "pending" in states else "success"
    if states & {"failure", "error"}:
        state = "failure"
    return {
        "state": state,
        "statuses": [status(links, repo, each) for each in latest],
        "sha": sha,
        "total_count": len(latest),
        "repository": repos.repository(links, repo),
        "commit_url": links.repo(repo, f"/commits/{sha}"),
        "url": links.repo(repo, f"/commits/{sha}/status"),
    }
