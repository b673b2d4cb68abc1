"""
Who is calling, and whether they may. Decides from a token alone; knows no resource.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from bot.minihub import keys
from bot.minihub.answers import bad_credentials, forbidden, not_accessible, not_found
from bot.minihub.records import Account, App, Installation, Repo, Token
from bot.minihub.store import ROLES, Store

LEVELS = ("", "read", "write", "admin")


@dataclass(frozen=True, slots=True)
class Actor:
    """``account`` is None for nobody; ``app`` alone is an App speaking with its JWT."""

    key: str  # whose rate limit this call is counted against
    account: Account | None = None
    app: App | None = None
    token: Token | None = None

    @property
    def installation(self) -> Installation | None:
        return self.token.installation if self.token else None


@dataclass(frozen=True, slots=True)
class Needs:
    """What a call asks for: an App's permissions (any of them), and a person's role."""

    permissions: tuple[str, ...]
    role: str

    def allowed_by(self, granted: dict[str, str]) -> bool:
        return any(
            LEVELS.index(granted.get(name, "")) >= LEVELS.index(level)
            for name, _, level in (each.partition(":") for each in self.permissions)
        )


def identify(store: Store, authorization: str | None) -> Actor:
    if not authorization:
        return Actor("anonymous")
    scheme, _, rest = authorization.partition(" ")
    secret = _password(rest) if scheme.lower() == "basic" else rest.strip()
    if secret.count(".") == 2 and secret.startswith("ey"):
        return _app(store, secret)
    token = store.tokens.get(secret)
    if token is None:
        raise bad_credentials()
    return _holder(store, token)


def _password(encoded: str) -> str:
    try:
        return base64.b64decode(encoded).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError) as broken:
        raise bad_credentials() from broken


def _app(store: Store, secret: str) -> Actor:
    issuer = keys.claimed_issuer(secret)
    for app in store.apps.values():
        if issuer in (str(app.id), app.client_id):
            keys.check_app_jwt(secret, public_pem=app.public_key, now=store.clock.seconds())
            return Actor(f"app {app.id}", app=app)
    raise not_found("Integration not found")


def _holder(store: Store, token: Token) -> Actor:
    if token.expires_at is not None and store.clock.now().timestamp() >= token.expires_at:
        raise bad_credentials()
    installation = token.installation
    if installation is None:
        return Actor(f"user {token.account.id}", account=token.account, token=token)
    if installation.deleted:
        raise bad_credentials()
    if installation.suspended_at:
        raise forbidden("This installation has been suspended")
    key = f"installation {installation.id}"
    return Actor(key, account=installation.app.bot, app=installation.app, token=token)


def admit(store: Store, actor: Actor, repo: Repo, needs: Needs) -> None:
    """Raise unless ``actor`` may do what ``needs`` says in ``repo``."""
    if actor.installation and actor.token:
        return _admit_token(store, actor.token, repo, needs)
    role = store.role(repo, actor.account) if actor.account else _nobody(repo)
    if role == "none":
        raise not_found()
    if actor.account is None and needs.role != "read":
        raise bad_credentials() if actor.app is None else not_accessible()
    if ROLES.index(role) < ROLES.index(needs.role):
        raise forbidden(f"Must have {needs.role} rights to Repository.")
    if repo.archived and needs.role != "read":
        raise forbidden("Repository was archived so is read-only.")
    return None


def _nobody(repo: Repo) -> str:
    return "none" if repo.private else "read"


def _admit_token(store: Store, token: Token, repo: Repo, needs: Needs) -> None:
    inside = can_reach(store, token, repo)
    if not inside and repo.private:
        raise not_found()
    reads = all(each.endswith(":read") for each in needs.permissions)
    if not inside and reads:
        return  # anybody reads what is public
    if not inside or not needs.allowed_by(token.permissions):
        raise not_accessible()
    if repo.archived and not reads:
        raise forbidden("Repository was archived so is read-only.")


def can_reach(store: Store, token: Token, repo: Repo) -> bool:
    installation = token.installation
    if installation is None or not store.covers(installation, repo):
        return False
    return token.repository_ids is None or repo.id in token.repository_ids
