"""Accounts as JSON."""

from __future__ import annotations

from urllib.parse import quote

from bot.minihub.links import Links
from bot.minihub.records import Account
from bot.minihub.shapes import Json
from bot.minihub.store import node_id

PREFIX = {"User": "U", "Bot": "BOT", "Organization": "O"}


def user(links: Links, account: Account) -> Json:
    name = quote(account.login, safe="")
    api = links.api(f"/users/{name}")
    page = f"/apps/{account.login.removesuffix('[bot]')}" if account.kind == "Bot" else f"/{name}"
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id(PREFIX[account.kind], account.id),
        "avatar_url": links.page(f"/avatars/u/{account.id}"),
        "gravatar_id": "",
        "url": api,
        "html_url": links.page(page),
        "followers_url": f"{api}/followers",
        "following_url": f"{api}/following{{/other_user}}",
        "gists_url": f"{api}/gists{{/gist_id}}",
        "starred_url": f"{api}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{api}/subscriptions",
        "organizations_url": f"{api}/orgs",
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events{{/privacy}}",
        "received_events_url": f"{api}/received_events",
        "type": account.kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def maybe(links: Links, account: Account | None) -> Json | None:
    return user(links, account) if account else None


def profile(links: Links, account: Account, *, repositories: int, since: str) -> Json:
    return user(links, account) | {
        "name": account.name,
        "company": None,
        "blog": "",
        "location": None,
        "email": account.email,
        "hireable": None,
        "bio": None,
        "twitter_username": None,
        "public_repos": repositories,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": since,
        "updated_at": since,
    }


def organization(links: Links, account: Account) -> Json:
    api = links.api(f"/orgs/{account.login}")
    return {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("O", account.id),
        "url": api,
        "repos_url": f"{api}/repos",
        "events_url": f"{api}/events",
        "hooks_url": f"{api}/hooks",
        "issues_url": f"{api}/issues",
        "members_url": f"{api}/members{{/member}}",
        "public_members_url": f"{api}/public_members{{/member}}",
        "avatar_url": links.page(f"/avatars/u/{account.id}"),
        "description": "",
    }
