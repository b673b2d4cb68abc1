"""
From something that happened to the deliveries that it causes: which Apps asked for it, and the
exact signed bytes that each is sent.
"""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.minihub.answers import encode
from bot.minihub.links import Links
from bot.minihub.records import Account, App, Delivery, Installation, Repo
from bot.minihub.shapes import apps, people, repos
from bot.minihub.store import Store, node_id

#: an App hears of these without asking
ALWAYS = frozenset({"installation", "installation_repositories", "github_app_authorization"})
#: an App that may write checks hears of these about its own, asked for or not
OWN_CHECKS = frozenset({"rerequested", "requested_action"})
#: event -> the permission without which an App cannot ask for it
PERMISSION = {
    "issues": "issues",
    "issue_comment": "issues",
    "label": "metadata",
    "pull_request": "pull_requests",
    "pull_request_review": "pull_requests",
    "push": "contents",
    "check_run": "checks",
    "check_suite": "checks",
    "status": "statuses",
    "workflow_run": "actions",
    "workflow_job": "actions",
    "repository": "metadata",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """``only``: the one installation that is told, for what concerns no repository or one App."""

    name: str
    action: str | None
    sender: Account
    repo: Repo | None = None
    only: Installation | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)


def receivers(store: Store, event: Event) -> list[Installation]:
    if event.only is not None:
        return [event.only]
    installed = store.installed_on(event.repo) if event.repo else []
    return [each for each in installed if not each.suspended_at and _hears(each, event)]


def _hears(installation: Installation, event: Event) -> bool:
    needed = PERMISSION.get(event.name, "metadata")
    return event.name in installation.events and (
        needed == "metadata" or needed in installation.permissions
    )


def body(links: Links, event: Event, installation: Installation) -> bytes:
    document: dict[str, Any] = {} if event.action is None else {"action": event.action}
    document |= event.payload
    if event.repo is not None:
        document.setdefault("repository", repos.repository(links, event.repo))
        if event.repo.owner.kind == "Organization":
            document["organization"] = people.organization(links, event.repo.owner)
    document["sender"] = people.user(links, event.sender)
    if event.name in ("installation", "installation_repositories"):
        document["installation"] = apps.installation(links, installation)
    else:
        document["installation"] = {
            "id": installation.id,
            "node_id": node_id("I", installation.id),
        }
    return encode(document)


def ping(links: Links, app: App) -> bytes:
    """What a new address is sent first, and whenever somebody wants to know if it is heard."""
    hook = {
        "type": "App",
        "id": app.id,
        "name": "web",
        "active": True,
        "events": list(app.events),
        "config": {"url": app.hook_url, "content_type": "json", "insecure_ssl": "0"},
        "app_id": app.id,
        "created_at": app.created_at,
        "updated_at": app.created_at,
        "url": links.api("/app/hook"),
        "ping_url": links.api("/app/hook/pings"),
        "deliveries_url": links.api("/app/hook/deliveries"),
    }
    return encode({"zen": "Design for failure.", "hook_id": app.id, "hook": hook})


def deliver(
    store: Store, app: App, event: Event, content: bytes, *, installation: Installation | None
) -> Delivery:
    guid = str(uuid.uuid4())
    return Delivery(
        id=store.new_id(),
        guid=guid,
        app=app,
        event=event.name,
        action=event.action,
        installation_id=installation.id if installation else None,
        repository_id=event.repo.id if event.repo else None,
        body=content,
        headers=headers(app, event.name, guid, content),
        delivered_at=store.clock.stamp(),
    )


def headers(app: App, event: str, guid: str, content: bytes) -> dict[str, str]:
    signed = {}
    if app.hook_secret:
        secret = app.hook_secret.encode()
        old = hmac.new(secret, content, hashlib.sha1).hexdigest()
        new = hmac.new(secret, content, hashlib.sha256).hexdigest()
        signed = {"X-Hub-Signature": f"sha1={old}", "X-Hub-Signature-256": f"sha256={new}"}
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/minihub",
        "X-GitHub-Delivery": guid,
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        **signed,
    }
