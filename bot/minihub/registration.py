"""
Apps come to be, are installed, suspended and taken away again; each is told in the words of its
webhook. Used by the API, by pages and by people's acts.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.minihub import keys
from bot.minihub.events import Event
from bot.minihub.hub import Hub
from bot.minihub.records import Account, App, Installation, Repo
from bot.minihub.shapes import Json
from bot.minihub.store import node_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an App asks for when it is registered."""

    name: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    hook_url: str = ""
    hook_secret: str = ""


@dataclass(frozen=True, slots=True)
class Registered:
    """A new App, with what only its owner is shown."""

    app: App
    number: int
    private_key: str = field(repr=False)


def register(hub: Hub, manifest: Manifest, *, owner: Account) -> Registered:
    store = hub.store
    slug = manifest.name.lower().replace(" ", "-")
    number = len(store.apps) + 1
    app = App(
        id=store.new_id(),
        slug=slug,
        name=manifest.name,
        owner=owner,
        bot=store.add_account(f"{slug}[bot]", kind="Bot"),
        client_id=f"Iv23li{secrets.token_hex(7)}",
        public_key=keys.public_key(number),
        created_at=hub.clock.stamp(),
        permissions={"metadata": "read", **manifest.permissions},
        events=list(manifest.events),
        hook_url=manifest.hook_url,
        hook_secret=manifest.hook_secret,
    )
    store.apps[app.id] = app
    return Registered(app, number, keys.private_key(number))


def _lite(repo: Repo) -> Json:
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }


def _tell(hub: Hub, one: Installation, action: str, *, by: Account, **more: Any) -> None:
    lifecycle = "installation_repositories" if action in ("added", "removed") else "installation"
    hub.emit(Event(name=lifecycle, action=action, sender=by, only=one, payload=more))


def install(
    hub: Hub, app: App, account: Account, *, by: Account, only: Iterable[Repo] | None = None
) -> Installation:
    """``only``: the chosen repositories; None is all of the account's, those to come too."""
    now = hub.clock.stamp()
    one = Installation(
        id=hub.store.new_id(),
        app=app,
        account=account,
        permissions=dict(app.permissions),
        events=list(app.events),
        created_at=now,
        updated_at=now,
        repository_ids=None if only is None else [repo.id for repo in only],
    )
    hub.store.installations[one.id] = one
    covered = [_lite(repo) for repo in hub.store.reachable(one)]
    _tell(hub, one, "created", by=by, repositories=covered)
    return one


def quiet(hub: Hub, app: App, repo: Repo, permissions: Mapping[str, str]) -> Installation:
    """An installation that nobody made and nobody is told of: GitHub's own Actions."""
    now = hub.clock.stamp()
    one = Installation(
        id=hub.store.new_id(),
        app=app,
        account=repo.owner,
        permissions={"metadata": "read", **permissions},
        events=[],
        created_at=now,
        updated_at=now,
        repository_ids=[repo.id],
    )
    hub.store.installations[one.id] = one
    return one


def uninstall(hub: Hub, one: Installation, *, by: Account) -> None:
    covered = [_lite(repo) for repo in hub.store.reachable(one)]
    one.deleted = True
    _tell(hub, one, "deleted", by=by, repositories=covered)


def suspend(hub: Hub, one: Installation, *, by: Account) -> None:
    one.suspended_at, one.suspended_by = hub.clock.stamp(), by
    _tell(hub, one, "suspend", by=by, repositories=[])


def unsuspend(hub: Hub, one: Installation, *, by: Account) -> None:
    one.suspended_at, one.suspended_by = None, None
    _tell(hub, one, "unsuspend", by=by, repositories=[])


def choose(hub: Hub, one: Installation, repos: Iterable[Repo], *, by: Account) -> None:
    """Change which repositories an installation covers."""
    before = {repo.id: repo for repo in hub.store.reachable(one)}
    one.repository_ids = [repo.id for repo in repos]
    after = {repo.id: repo for repo in hub.store.reachable(one)}
    added = [_lite(repo) for number, repo in after.items() if number not in before]
    removed = [_lite(repo) for number, repo in before.items() if number not in after]
    for action, changed in (("added", added), ("removed", removed)):
        if changed:
            _tell(
                hub,
                one,
                action,
                by=by,
                repository_selection="selected",
                repositories_added=added if action == "added" else [],
                repositories_removed=removed if action == "removed" else [],
                requester=None,
            )
