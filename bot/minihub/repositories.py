"""Repositories: read, make, change, fork, delete; and what the server tells of itself."""

from __future__ import annotations

from typing import Any

from bot.minihub.answers import NOTHING_TO_SAY, Answer, Page, created, invalid, unprocessable
from bot.minihub.call import Call
from bot.minihub.records import Repo
from bot.minihub.shapes import Json
from bot.minihub.shapes import repos as shapes

FILE_PROTOCOL = {"GIT_ALLOW_PROTOCOL": "file"}
EVERYTHING = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")


def _full(call: Call, repo: Repo) -> Json:
    account = call.actor.account
    role = call.hub.store.role(repo, account) if account else "read"
    return shapes.full(call.hub.links, repo, role=role)


def read(call: Call) -> Json:
    return _full(call, call.repo)


def made(call: Call) -> Answer:
    name = call.text("name", resource="Repository")
    if f"{call.me.login}/{name}".lower() in call.hub.store.names:
        raise invalid("Repository", "name", "custom", message="name already exists on this account")
    repo = call.hub.store.add_repo(call.me, name)
    repo.private = bool(call.optional("private", bool, resource="Repository"))
    repo.description = call.optional("description", str, resource="Repository")
    return created(_full(call, repo))


def edited(call: Call) -> Json:
    repo, old = call.repo, call.repo.name
    name = call.optional("name", str, resource="Repository")
    branch = call.optional("default_branch", str, resource="Repository")
    if branch and repo.git.resolve(f"refs/heads/{branch}") is None:
        raise unprocessable(f"The branch {branch} was not found.")
    repo.default_branch = branch or repo.default_branch
    repo.description = call.fields.get("description", repo.description)
    for flag in ("private", "archived"):
        value = call.optional(flag, bool, resource="Repository")
        if value is not None and value != getattr(repo, flag):
            setattr(repo, flag, value)
            _tell(call, _word(flag, on=value))
    if name and name != old:
        call.hub.store.rename(repo, name)
        _tell(call, "renamed", changes={"repository": {"name": {"from": old}}})
    return _full(call, repo)


def _word(flag: str, *, on: bool) -> str:
    words = {"private": ("publicized", "privatized"), "archived": ("unarchived", "archived")}
    return words[flag][on]


def _tell(call: Call, action: str, **extra: Any) -> None:
    call.tell("repository", action, **extra)


def deleted(call: Call) -> Answer:
    _tell(call, "deleted")
    call.hub.store.delete_repo(call.repo)
    return NOTHING_TO_SAY


def forks(call: Call) -> Page:
    every = call.hub.store.repos.values()
    found = [repo for repo in every if repo.parent is call.repo]
    return Page([shapes.repository(call.hub.links, repo) for repo in found])


def forked(call: Call) -> Answer:
    """The same fork again is the one that is there."""
    parent, store = call.repo, call.hub.store
    for repo in store.repos.values():
        if repo.parent is parent and repo.owner is call.me:
            return Answer(_full(call, repo), 202)
    name = call.optional("name", str, resource="Repository") or parent.name
    fork = store.add_repo(call.me, name, parent=parent)
    fork.private = parent.private
    fork.git.git("fetch", "-q", str(parent.git.path), *EVERYTHING, env=FILE_PROTOCOL)
    return Answer(_full(call, fork), 202)


def dispatched(call: Call) -> Answer:
    kind = call.text("event_type", resource="Dispatch")
    payload = call.optional("client_payload", dict, resource="Dispatch") or {}
    if len(kind) > 100:
        raise unprocessable("event_type is too long (maximum is 100 characters)")
    if len(payload) > 10:
        raise unprocessable("No more than 10 properties are allowed; more were supplied.")
    call.tell("repository_dispatch", kind, branch=call.repo.default_branch, client_payload=payload)
    return NOTHING_TO_SAY


def meta(_: Call) -> Json:
    return {"verifiable_password_authentication": False, "hooks": ["127.0.0.0/8", "::1/128"]}


def rate_limit(call: Call) -> Json:
    core = call.hub.limits.overview(call.actor.key)
    return {"resources": {"core": core, "search": core, "graphql": core}, "rate": core}
