"""Apps, installations and deliveries as JSON."""

from __future__ import annotations

import json

from bot.minihub.links import Links
from bot.minihub.records import App, Delivery, Installation
from bot.minihub.shapes import Json, people
from bot.minihub.store import node_id


def app(links: Links, one: App) -> Json:
    return {
        "id": one.id,
        "client_id": one.client_id,
        "slug": one.slug,
        "node_id": node_id("A", one.id),
        "owner": people.user(links, one.owner),
        "name": one.name,
        "description": "",
        "external_url": links.page("/"),
        "html_url": links.page(f"/apps/{one.slug}"),
        "created_at": one.created_at,
        "updated_at": one.created_at,
        "permissions": dict(one.permissions),
        "events": list(one.events),
    }


def installation(links: Links, one: Installation) -> Json:
    api = links.api(f"/app/installations/{one.id}")
    return {
        "id": one.id,
        "client_id": one.app.client_id,
        "account": people.user(links, one.account),
        "repository_selection": "all" if one.repository_ids is None else "selected",
        "access_tokens_url": f"{api}/access_tokens",
        "repositories_url": links.api("/installation/repositories"),
        "html_url": links.page(f"/settings/installations/{one.id}"),
        "app_id": one.app.id,
        "app_slug": one.app.slug,
        "target_id": one.account.id,
        "target_type": one.account.kind,
        "permissions": dict(one.permissions),
        "events": list(one.events),
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": people.maybe(links, one.suspended_by),
        "suspended_at": one.suspended_at,
    }


def delivery(one: Delivery) -> Json:
    return {
        "id": one.id,
        "guid": one.guid,
        "delivered_at": one.delivered_at,
        "redelivery": one.redelivery,
        "duration": one.duration,
        "status": one.status,
        "status_code": one.status_code,
        "event": one.event,
        "action": one.action,
        "installation_id": one.installation_id,
        "repository_id": one.repository_id,
        "throttled_at": None,
    }


def whole_delivery(one: Delivery) -> Json:
    return delivery(one) | {
        "url": one.app.hook_url,
        "request": {"headers": dict(one.headers), "payload": json.loads(one.body)},
        "response": {"headers": dict(one.answer_headers), "payload": one.answer},
    }
