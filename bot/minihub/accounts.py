"""People: who they are, and what they may do in a repository."""

from __future__ import annotations

from bot.minihub.answers import NOTHING_TO_SAY, Answer, Page, invalid, not_accessible, not_found
from bot.minihub.call import Call
from bot.minihub.records import Account
from bot.minihub.shapes import Json, people, repos
from bot.minihub.store import ROLES

#: how the five roles were told before there were five
OLD_NAMES = {"maintain": "write", "triage": "read"}
GIVEN = {"pull": "read", "push": "write"}
SINCE = "2020-01-01T00:00:00Z"


def _profile(call: Call, account: Account) -> Json:
    owned = sum(repo.owner is account for repo in call.hub.store.repos.values())
    return people.profile(call.hub.links, account, repositories=owned, since=SINCE)


def me(call: Call) -> Json:
    if call.actor.installation or call.actor.app:
        raise not_accessible()
    return _profile(call, call.me)


def read(call: Call) -> Json:
    return _profile(call, call.hub.store.account(call.words["username"]))


def by_number(call: Call) -> Json:
    number = call.number("account_id")
    for account in call.hub.store.accounts.values():
        if account.id == number:
            return _profile(call, account)
    raise not_found()


def collaborators(call: Call) -> Page:
    store = call.hub.store
    return Page([_collaborator(call, store.account(login)) for login in call.repo.roles])


def _collaborator(call: Call, account: Account) -> Json:
    role = call.hub.store.role(call.repo, account)
    return people.user(call.hub.links, account) | {
        "permissions": repos.permissions(role),
        "role_name": role,
    }


def is_collaborator(call: Call) -> Answer:
    account = call.hub.store.account(call.words["username"])
    if account.login not in call.repo.roles:
        raise not_found()
    return NOTHING_TO_SAY


def permission(call: Call) -> Json:
    """A bot is no user here, whatever it may do: its permissions are its installation's."""
    login = call.words["username"]
    account = call.hub.store.accounts.get(login.lower())
    if account is None or account.kind != "User":
        raise not_found(f"{login} is not a user")
    role = call.hub.store.role(call.repo, account)
    return {
        "permission": OLD_NAMES.get(role, role),
        "role_name": role,
        "user": _collaborator(call, account),
    }


def invited(call: Call) -> Answer:
    """Invitations are accepted at once."""
    account = call.hub.store.account(call.words["username"])
    given = call.optional("permission", str, resource="Repository") or "push"
    role = GIVEN.get(given, given)
    if role not in ROLES[1:]:
        raise invalid("Repository", "permission")
    call.repo.roles[account.login] = role
    return NOTHING_TO_SAY


def removed(call: Call) -> Answer:
    call.repo.roles.pop(call.hub.store.account(call.words["username"]).login, None)
    return NOTHING_TO_SAY
