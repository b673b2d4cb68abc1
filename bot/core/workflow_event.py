"""
Which events of a workflow jam listens to, and why not to the others.

The same readers as for webhooks understand them afterwards; here is only what is different about a
workflow: some events come with a stranger's code beside the secrets, some never come at all.
"""

from __future__ import annotations

HEARD = (
    "issues",
    "issue_comment",
    "workflow_run",
    "schedule",
    "workflow_dispatch",
    "repository_dispatch",
)
_WHY = {
    "pull_request_target": "it runs with the repository's secrets for whatever a stranger opens, "
    "and GitHub refuses it in public repositories: use `issue_comment` and `/jam verify`",
    "pull_request": "a fork's run has neither secrets nor the right to write: use `issue_comment` "
    "and `/jam verify`",
    "check_run": "GitHub does not send it for checks that Actions made: use `workflow_run`",
    "check_suite": "GitHub does not send it for checks that Actions made: use `workflow_run`",
    "push": "a push starts nothing; the checks it causes may: use `workflow_run`",
}


def unheard(event: str) -> str:
    """Why jam does not act on this event, in one sentence; '' where it does."""
    if event in HEARD:
        return ""
    why = _WHY.get(event, "jam does not know what it would ask for")
    return f"jam's Action does not run on {event!r}: {why}. It runs on {', '.join(HEARD)}"
