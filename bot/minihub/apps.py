"""Apps and their installations, as the App itself sees them, and the tokens that it is given."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bot.minihub import keys, registration
from bot.minihub.access import LEVELS
from bot.minihub.answers import (
    NOTHING_TO_SAY,
    Answer,
    Page,
    Refused,
    created,
    forbidden,
    not_accessible,
    not_found,
    unprocessable,
)
from bot.minihub.call import Call
from bot.minihub.clock import stamp
from bot.minihub.records import App, Installation, Repo, Token
from bot.minihub.shapes import Json, repos
from bot.minihub.shapes import apps as shapes

TOKEN_LIVES = timedelta(hours=1)
REPOSITORIES_AT_ONCE = 500


def _me(call: Call) -> App:
    """These calls are the App's own, with its JWT; no other token will do."""
    if call.actor.app is None or call.actor.account is not None:
        raise Refused(401, "A JSON web token could not be decoded")
    return call.actor.app


def me(call: Call) -> Json:
    app = _me(call)
    count = len(_mine(call, app))
    return shapes.app(call.hub.links, app) | {"installations_count": count}


def by_slug(call: Call) -> Json:
    return shapes.app(call.hub.links, call.hub.store.app(call.words["app_slug"]))


def _mine(call: Call, app: App) -> list[Installation]:
    every = call.hub.store.installations.values()
    return [each for each in every if each.app is app and not each.deleted]


def _installation(call: Call) -> Installation:
    app, number = _me(call), call.number("installation_id")
    for each in _mine(call, app):
        if each.id == number:
            return each
    raise not_found()


def installations(call: Call) -> Page:
    return Page([shapes.installation(call.hub.links, each) for each in _mine(call, _me(call))])


def installation(call: Call) -> Json:
    return shapes.installation(call.hub.links, _installation(call))


def of_repo(call: Call) -> Json:
    app = _me(call)
    for each in _mine(call, app):
        if call.hub.store.covers(each, call.repo):
            return shapes.installation(call.hub.links, each)
    raise not_found()


def of_account(call: Call) -> Json:
    app, login = _me(call), (call.words.get("username") or call.words["org"]).lower()
    for each in _mine(call, app):
        if each.account.login.lower() == login:
            return shapes.installation(call.hub.links, each)
    raise not_found()


def token(call: Call) -> Answer:
    found = _installation(call)
    if found.suspended_at:
        raise forbidden("This installation has been suspended")
    granted, chosen = _permissions(call, found), _repositories(call, found)
    until = call.hub.clock.now() + TOKEN_LIVES
    text = keys.installation_token(
        app_id=found.app.id, installation_id=found.id, now=call.hub.clock.seconds()
    )
    made = Token(
        text=text,
        account=found.app.bot,
        expires_at=until.timestamp(),
        installation=found,
        permissions=granted,
        repository_ids=[repo.id for repo in chosen] if chosen is not None else None,
    )
    call.hub.store.tokens[text] = made
    everything = found.repository_ids is None and chosen is None
    shape: Json = {
        "token": text,
        "expires_at": stamp(until),
        "permissions": granted,
        "repository_selection": "all" if everything else "selected",
    }
    if chosen is not None:
        shape["repositories"] = [repos.repository(call.hub.links, repo) for repo in chosen]
    return created(shape)


def _permissions(call: Call, found: Installation) -> dict[str, str]:
    wanted = call.optional("permissions", dict, resource="Installation")
    if not wanted:
        return dict(found.permissions)
    for name, level in wanted.items():
        if level not in LEVELS or LEVELS.index(level) > LEVELS.index(
            found.permissions.get(name, "")
        ):
            raise unprocessable("The permissions requested are not granted to this installation.")
    return {"metadata": "read", **wanted}


def _repositories(call: Call, found: Installation) -> list[Repo] | None:
    numbers = call.optional("repository_ids", list, resource="Installation")
    names = call.optional("repositories", list, resource="Installation")
    if numbers is None and names is None:
        return None
    if len(numbers or names or []) > REPOSITORIES_AT_ONCE:
        raise unprocessable("Too many repositories.")
    reachable = call.hub.store.reachable(found)
    by_key: dict[Any, Repo] = {repo.id: repo for repo in reachable}
    by_key |= {repo.name: repo for repo in reachable}
    wanted = [*(numbers or []), *(names or [])]
    if not wanted or any(each not in by_key for each in wanted):
        raise unprocessable(
            "There is at least one repository that does not exist or is not accessible to the "
            "parent installation."
        )
    return [by_key[each] for each in wanted]


def deleted(call: Call) -> Answer:
    registration.uninstall(call.hub, _installation(call), by=_me(call).bot)
    return NOTHING_TO_SAY


def suspended(call: Call) -> Answer:
    registration.suspend(call.hub, _installation(call), by=_me(call).bot)
    return NOTHING_TO_SAY


def unsuspended(call: Call) -> Answer:
    registration.unsuspend(call.hub, _installation(call), by=_me(call).bot)
    return NOTHING_TO_SAY


def reachable(call: Call) -> Page:
    token = call.actor.token
    if token is None or token.installation is None:
        raise not_accessible()
    found = [
        repo
        for repo in call.hub.store.reachable(token.installation)
        if token.repository_ids is None or repo.id in token.repository_ids
    ]
    everything = token.installation.repository_ids is None and token.repository_ids is None
    return Page(
        [repos.repository(call.hub.links, repo) for repo in found],
        under="repositories",
        beside={"repository_selection": "all" if everything else "selected"},
    )


def revoked(call: Call) -> Answer:
    token = call.actor.token
    if token is None or token.installation is None:
        raise not_accessible()
    del call.hub.store.tokens[token.text]
    return NOTHING_TO_SAY


def converted(call: Call) -> Answer:
    """The last step of the manifest flow: the code is good once, and brings the secrets."""
    registered = call.hub.manifests.pop(call.words["code"], None)
    if registered is None:
        raise not_found()
    app, number = registered
    return created(
        shapes.app(call.hub.links, app)
        | {
            "client_secret": "",
            "webhook_secret": app.hook_secret or None,
            "pem": keys.private_key(number),
        }
    )
