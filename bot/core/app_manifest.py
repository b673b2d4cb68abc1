"""
What jam asks of GitHub when it is registered as an App: permissions, events, addresses.

Never ``workflows``: a change of a workflow needs a person. Held by ``jam doctor --app`` to what the
App really has.
"""

from __future__ import annotations

from collections.abc import Mapping

PERMISSIONS: Mapping[str, str] = {
    "actions": "read",  # logs of jobs that failed
    "checks": "write",
    "contents": "write",  # branches and checkpoints
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}
EVENTS: tuple[str, ...] = (
    "check_run",
    "check_suite",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "repository",
    "workflow_run",
)
ALWAYS = ("installation", "installation_repositories")
"""Sent to every App, whether it asks or not."""
ABOUT = "Changes code until the repository's own tests agree, and shows the evidence."
PLACE = "https://jam.example"
_ORDER = {"": 0, "none": 0, "read": 1, "write": 2, "admin": 3}


def manifest(*, url: str = PLACE, name: str = "jam") -> dict[str, object]:
    """``url``: where this jam can be reached by GitHub."""
    return {
        "name": name,
        "url": url,
        "description": ABOUT,
        "public": False,
        "hook_attributes": {"url": f"{url}/webhook", "active": True},
        "redirect_url": f"{url}/registered",
        "default_permissions": dict(PERMISSIONS),
        "default_events": list(EVENTS),
    }


def missing_permissions(granted: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{name}: {level}"
        for name, level in PERMISSIONS.items()
        if _ORDER.get(granted.get(name, ""), 0) < _ORDER[level]
    )


def missing_events(told: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(event for event in EVENTS if event not in told)
