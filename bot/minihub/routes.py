"""
Every call that the hub knows, in one table. Paths are written as GitHub's own description writes
them. ``needs``: what an App's token must hold (any one of them) and what a person must be.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.minihub import (
    accounts,
    actions,
    apps,
    checks,
    comments,
    commits,
    gitdata,
    graphql,
    hooks,
    issues,
    labels,
    pulls,
    reactions,
    refs,
    repositories,
    reviews,
    statuses,
)
from bot.minihub.access import Needs
from bot.minihub.call import Handler
from bot.minihub.links import GRAPHQL


@dataclass(frozen=True, slots=True)
class Route:
    handler: Handler
    needs: Needs
    own: bool = False  # an App asks with its JWT, and hears only of its own
    creates: bool = False  # something that people are told about: secondary limits count it


def _route(handler: Handler, needs: str = "", *, role: str = "", creates: bool = False) -> Route:
    """Without ``role``: a reader where the permission is to read, else a writer."""
    permissions = tuple(needs.split()) or ("metadata:read",)
    reads = all(each.endswith(":read") for each in permissions)
    needed = Needs(permissions, role or ("read" if reads else "write"))
    return Route(handler, needed, creates=creates)


R = "/repos/{owner}/{repo}"
ISSUE = f"{R}/issues/{{issue_number}}"
COMMENT = f"{R}/issues/comments/{{comment_id}}"
PULL = f"{R}/pulls/{{pull_number}}"
RUN = f"{R}/actions/runs/{{run_id}}"
READS_THREADS = "issues:read pull_requests:read"
WRITES_THREADS = "issues:write pull_requests:write"

META: dict[str, Route] = {
    "GET /meta": _route(repositories.meta),
    "GET /rate_limit": _route(repositories.rate_limit),
    "GET /user": _route(accounts.me),
    "GET /user/{account_id}": _route(accounts.by_number),
    "GET /users/{username}": _route(accounts.read),
    "POST /user/repos": _route(repositories.made),
    f"POST {GRAPHQL}": _route(graphql.answered),
}
APPS: dict[str, Route] = {
    "GET /app": _route(apps.me),
    "GET /apps/{app_slug}": _route(apps.by_slug),
    "POST /app-manifests/{code}/conversions": _route(apps.converted),
    "GET /app/hook/config": _route(hooks.config),
    "PATCH /app/hook/config": _route(hooks.configured),
    "GET /app/hook/deliveries": _route(hooks.deliveries),
    "GET /app/hook/deliveries/{delivery_id}": _route(hooks.delivery),
    "POST /app/hook/deliveries/{delivery_id}/attempts": _route(hooks.redelivered),
    "GET /app/installations": _route(apps.installations),
    "GET /app/installations/{installation_id}": _route(apps.installation),
    "DELETE /app/installations/{installation_id}": _route(apps.deleted),
    "PUT /app/installations/{installation_id}/suspended": _route(apps.suspended),
    "DELETE /app/installations/{installation_id}/suspended": _route(apps.unsuspended),
    "POST /app/installations/{installation_id}/access_tokens": _route(apps.token),
    "GET /installation/repositories": _route(apps.reachable),
    "DELETE /installation/token": _route(apps.revoked),
    "GET /users/{username}/installation": _route(apps.of_account),
    "GET /orgs/{org}/installation": _route(apps.of_account),
    f"GET {R}/installation": Route(apps.of_repo, Needs(("metadata:read",), "read"), own=True),
}
REPOSITORIES: dict[str, Route] = {
    f"GET {R}": _route(repositories.read),
    f"PATCH {R}": _route(repositories.edited, "administration:write", role="admin"),
    f"DELETE {R}": _route(repositories.deleted, "administration:write", role="admin"),
    f"GET {R}/forks": _route(repositories.forks),
    f"POST {R}/forks": _route(repositories.forked, "contents:read"),
    f"POST {R}/dispatches": _route(repositories.dispatched, "contents:write"),
    f"GET {R}/collaborators": _route(accounts.collaborators, role="write"),
    f"GET {R}/collaborators/{{username}}": _route(accounts.is_collaborator, role="write"),
    f"PUT {R}/collaborators/{{username}}": _route(
        accounts.invited, "administration:write", role="admin"
    ),
    f"DELETE {R}/collaborators/{{username}}": _route(
        accounts.removed, "administration:write", role="admin"
    ),
    f"GET {R}/collaborators/{{username}}/permission": _route(accounts.permission),
}
THREADS: dict[str, Route] = {
    f"GET {R}/issues": _route(issues.listed, READS_THREADS),
    f"POST {R}/issues": _route(issues.opened, "issues:write", role="read", creates=True),
    f"GET {ISSUE}": _route(issues.read, READS_THREADS),
    f"PATCH {ISSUE}": _route(issues.edited, WRITES_THREADS, role="read"),
    f"PUT {ISSUE}/lock": _route(issues.locked, WRITES_THREADS),
    f"DELETE {ISSUE}/lock": _route(issues.unlocked, WRITES_THREADS),
    f"POST {ISSUE}/assignees": _route(issues.assigned, WRITES_THREADS, role="triage"),
    f"DELETE {ISSUE}/assignees": _route(issues.unassigned, WRITES_THREADS, role="triage"),
    f"GET {R}/labels": _route(labels.listed, READS_THREADS),
    f"POST {R}/labels": _route(labels.made, WRITES_THREADS),
    f"GET {R}/labels/{{name}}": _route(labels.read, READS_THREADS),
    f"PATCH {R}/labels/{{name}}": _route(labels.edited, WRITES_THREADS),
    f"DELETE {R}/labels/{{name}}": _route(labels.deleted, WRITES_THREADS),
    f"GET {ISSUE}/labels": _route(labels.of_issue, READS_THREADS),
    f"POST {ISSUE}/labels": _route(labels.added, WRITES_THREADS, role="triage"),
    f"PUT {ISSUE}/labels": _route(labels.replaced, WRITES_THREADS, role="triage"),
    f"DELETE {ISSUE}/labels": _route(labels.all_taken_off, WRITES_THREADS, role="triage"),
    f"DELETE {ISSUE}/labels/{{name}}": _route(labels.taken_off, WRITES_THREADS, role="triage"),
    f"GET {R}/issues/comments": _route(comments.of_repo, READS_THREADS),
    f"GET {ISSUE}/comments": _route(comments.of_issue, READS_THREADS),
    f"POST {ISSUE}/comments": _route(comments.written, WRITES_THREADS, role="read", creates=True),
    f"GET {COMMENT}": _route(comments.read, READS_THREADS),
    f"PATCH {COMMENT}": _route(comments.edited, WRITES_THREADS, role="read"),
    f"DELETE {COMMENT}": _route(comments.deleted, WRITES_THREADS, role="read"),
    f"GET {ISSUE}/reactions": _route(reactions.listed, READS_THREADS),
    f"POST {ISSUE}/reactions": _route(reactions.made, WRITES_THREADS, role="read"),
    f"DELETE {ISSUE}/reactions/{{reaction_id}}": _route(
        reactions.deleted, WRITES_THREADS, role="read"
    ),
    f"GET {COMMENT}/reactions": _route(reactions.listed, READS_THREADS),
    f"POST {COMMENT}/reactions": _route(reactions.made, WRITES_THREADS, role="read"),
    f"DELETE {COMMENT}/reactions/{{reaction_id}}": _route(
        reactions.deleted, WRITES_THREADS, role="read"
    ),
}
PULLS: dict[str, Route] = {
    f"GET {R}/pulls": _route(pulls.listed, "pull_requests:read"),
    f"POST {R}/pulls": _route(pulls.opened, "pull_requests:write", role="read", creates=True),
    f"GET {PULL}": _route(pulls.read, "pull_requests:read"),
    f"PATCH {PULL}": _route(pulls.edited, "pull_requests:write", role="read"),
    f"GET {PULL}/files": _route(pulls.files, "pull_requests:read"),
    f"GET {PULL}/commits": _route(pulls.commits, "pull_requests:read"),
    f"GET {PULL}/merge": _route(pulls.is_merged, "pull_requests:read"),
    f"PUT {PULL}/merge": _route(pulls.merged, "contents:write"),
    f"GET {PULL}/requested_reviewers": _route(pulls.reviewers, "pull_requests:read"),
    f"POST {PULL}/requested_reviewers": _route(pulls.asked, "pull_requests:write", creates=True),
    f"DELETE {PULL}/requested_reviewers": _route(pulls.unasked, "pull_requests:write"),
    f"GET {PULL}/comments": _route(reviews.no_comments, "pull_requests:read"),
    f"GET {PULL}/reviews": _route(reviews.listed, "pull_requests:read"),
    f"POST {PULL}/reviews": _route(reviews.given, "pull_requests:write", role="read", creates=True),
    f"GET {PULL}/reviews/{{review_id}}": _route(reviews.read, "pull_requests:read"),
    f"PUT {PULL}/reviews/{{review_id}}/dismissals": _route(
        reviews.dismissed, "pull_requests:write"
    ),
    f"GET {R}/commits/{{commit_sha}}/pulls": _route(pulls.of_commit, "pull_requests:read"),
}
GIT: dict[str, Route] = {
    f"POST {R}/git/blobs": _route(gitdata.make_blob, "contents:write"),
    f"GET {R}/git/blobs/{{file_sha}}": _route(gitdata.read_blob, "contents:read"),
    f"POST {R}/git/trees": _route(gitdata.make_tree, "contents:write"),
    f"GET {R}/git/trees/{{tree_sha}}": _route(gitdata.read_tree, "contents:read"),
    f"POST {R}/git/commits": _route(gitdata.make_commit, "contents:write"),
    f"GET {R}/git/commits/{{commit_sha}}": _route(gitdata.read_commit, "contents:read"),
    f"GET {R}/git/ref/{{ref}}": _route(refs.read, "contents:read"),
    f"GET {R}/git/matching-refs/{{ref}}": _route(refs.matching, "contents:read"),
    f"POST {R}/git/refs": _route(refs.made, "contents:write"),
    f"PATCH {R}/git/refs/{{ref}}": _route(refs.moved, "contents:write"),
    f"DELETE {R}/git/refs/{{ref}}": _route(refs.deleted, "contents:write"),
    f"GET {R}/commits": _route(commits.listed, "contents:read"),
    f"GET {R}/commits/{{ref}}": _route(commits.read, "contents:read"),
    f"GET {R}/compare/{{basehead}}": _route(commits.compared, "contents:read"),
    f"GET {R}/contents/{{path}}": _route(commits.contents, "contents:read"),
    f"GET {R}/branches": _route(commits.branches, "contents:read"),
    f"GET {R}/branches/{{branch}}": _route(commits.branch, "contents:read"),
    f"GET {R}/rules/branches/{{branch}}": _route(commits.no_rules),
}
CHECKS: dict[str, Route] = {
    f"POST {R}/check-runs": _route(checks.made, "checks:write"),
    f"GET {R}/check-runs/{{check_run_id}}": _route(checks.read, "checks:read"),
    f"PATCH {R}/check-runs/{{check_run_id}}": _route(checks.edited, "checks:write"),
    f"GET {R}/check-runs/{{check_run_id}}/annotations": _route(checks.annotated, "checks:read"),
    f"POST {R}/check-runs/{{check_run_id}}/rerequest": _route(checks.rerequested, "checks:write"),
    f"GET {R}/commits/{{ref}}/check-runs": _route(checks.of_ref, "checks:read"),
    f"GET {R}/commits/{{ref}}/check-suites": _route(checks.suites_of_ref, "checks:read"),
    f"GET {R}/check-suites/{{check_suite_id}}": _route(checks.read_suite, "checks:read"),
    f"GET {R}/check-suites/{{check_suite_id}}/check-runs": _route(checks.of_suite, "checks:read"),
    f"POST {R}/check-suites/{{check_suite_id}}/rerequest": _route(
        checks.suite_rerequested, "checks:write"
    ),
    f"POST {R}/statuses/{{sha}}": _route(statuses.made, "statuses:write"),
    f"GET {R}/statuses/{{ref}}": _route(statuses.listed, "statuses:read"),  # as PyGithub asks
    f"GET {R}/commits/{{ref}}/statuses": _route(statuses.listed, "statuses:read"),
    f"GET {R}/commits/{{ref}}/status": _route(statuses.combined, "statuses:read"),
}
ACTIONS: dict[str, Route] = {
    f"GET {R}/actions/runs": _route(actions.runs, "actions:read"),
    f"GET {RUN}": _route(actions.read, "actions:read"),
    f"GET {RUN}/jobs": _route(actions.jobs, "actions:read"),
    f"GET {RUN}/logs": _route(actions.run_log, "actions:read"),
    f"GET {RUN}/artifacts": _route(actions.artifacts, "actions:read"),
    f"POST {RUN}/rerun": _route(actions.rerun, "actions:write"),
    f"POST {RUN}/rerun-failed-jobs": _route(actions.rerun, "actions:write"),
    f"POST {RUN}/cancel": _route(actions.cancel, "actions:write"),
    f"GET {R}/actions/jobs/{{job_id}}": _route(actions.job, "actions:read"),
    f"GET {R}/actions/jobs/{{job_id}}/logs": _route(actions.job_log, "actions:read"),
    f"GET {R}/actions/artifacts/{{artifact_id}}": _route(actions.artifact, "actions:read"),
    f"GET {R}/actions/artifacts/{{artifact_id}}/{{archive_format}}": _route(
        actions.artifact_zip, "actions:read"
    ),
    f"GET {R}/actions/workflows": _route(actions.workflows, "actions:read"),
    f"GET {R}/actions/workflows/{{workflow_id}}": _route(actions.workflow, "actions:read"),
    f"GET {R}/actions/workflows/{{workflow_id}}/runs": _route(actions.runs, "actions:read"),
}

ROUTES: dict[str, Route] = {
    **META,
    **APPS,
    **REPOSITORIES,
    **THREADS,
    **PULLS,
    **GIT,
    **CHECKS,
    **ACTIONS,
}
