"""
Tokens: signed for, minted late, for one repository and one purpose, and forgotten early.

They live in memory only. A clock that is far from GitHub's is told as such, since an App signs in
with a time and would otherwise be refused for reasons that nobody understands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from bot.adapters.github.gateway import Identity, app_identity, token_identity
from bot.adapters.github.means import Means
from bot.adapters.github.outlet import Ask
from bot.adapters.github.purpose import PERMISSIONS, Purpose
from bot.adapters.github.secret import Secret
from bot.adapters.github.shapes import Shape
from bot.adapters.github.talk import Talk
from bot.errors import ClockWrong, ForgeRefused

SKEW_S = 30.0
EARLY_S = 600.0  # a token is exchanged this long before its end: it lives an hour


@dataclass(frozen=True, slots=True)
class AppKey:
    """``issuer``: the App's client id, or its number."""

    issuer: str
    private_key: Secret


class _Minted(Shape):
    token: Annotated[str, Field(min_length=16, repr=False)]
    expires_at: AwareDatetime


@dataclass(frozen=True, slots=True)
class Minted:
    secret: Secret
    good_until: float


class SignedIn:
    """The App itself, by its key. Every request is signed anew."""

    def __init__(self, key: AppKey, means: Means) -> None:
        means.redactor.learn(key.private_key.reveal())
        self._identity = app_identity(key.issuer, key.private_key, now=means.now)

    def identity(self, purpose: Purpose) -> Identity:  # noqa: ARG002
        return self._identity

    def renew(self, purpose: Purpose) -> None:
        """It is new each time."""

    def mind(self, skew_s: float | None) -> None:
        if skew_s is not None and abs(skew_s) > SKEW_S:
            way = "behind" if skew_s > 0 else "ahead of"
            raise ClockWrong(
                f"the clock of this machine is {abs(skew_s):.0f} seconds {way} GitHub's, and an "
                f"App signs in with the time: set it right (with NTP, say); jam bears {SKEW_S:.0f}"
            )


class Nobody:
    """For addresses that anybody may read."""

    def identity(self, purpose: Purpose) -> Identity:  # noqa: ARG002
        return None

    def renew(self, purpose: Purpose) -> None:
        """There is nothing to renew."""

    def mind(self, skew_s: float | None) -> None:
        """Nothing depends on it."""


class Constant:
    """One token for everything, a workflow's say. It cannot be renewed."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    def identity(self, purpose: Purpose) -> Identity:
        return token_identity(self.secret(purpose))

    def secret(self, purpose: Purpose) -> Secret:  # noqa: ARG002
        return self._secret

    def renew(self, purpose: Purpose) -> None:
        raise ForgeRefused(f"GitHub does not accept the token it was given to {purpose}")

    def mind(self, skew_s: float | None) -> None:
        """It was made by somebody else's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Which installation, and which of its repositories: by number, by name, or any."""

    installation: int
    repository: int = 0
    name: str = ""

    @property
    def words(self) -> Mapping[str, Sequence[int | str]]:
        if self.name:
            return {"repositories": [self.name]}
        return {"repository_ids": [self.repository]} if self.repository else {}


class Installed:
    """Tokens of an installation, one per purpose, minted when first needed."""

    def __init__(self, app: Talk, grant: Grant, means: Means) -> None:
        self._app = app
        self._grant = grant
        self._means = means
        self._minted: dict[Purpose, Minted] = {}

    def identity(self, purpose: Purpose) -> Identity:
        return token_identity(self.secret(purpose))

    def secret(self, purpose: Purpose) -> Secret:
        held = self._minted.get(purpose)
        if held is None or self._means.clock() >= held.good_until:
            held = self._minted[purpose] = self._mint(purpose)
        return held.secret

    def renew(self, purpose: Purpose) -> None:
        self._minted.pop(purpose, None)

    def mind(self, skew_s: float | None) -> None:
        """Minting has minded it."""

    def _mint(self, purpose: Purpose) -> Minted:
        ask = Ask(
            method="POST",
            path=f"/app/installations/{self._grant.installation}/access_tokens",
            body={**self._grant.words, "permissions": dict(PERMISSIONS[purpose])},
        )
        try:
            made = self._app.write(ask, _Minted, purpose=purpose)
        except ForgeRefused as refused:
            needs = ", ".join(f"{name}: {level}" for name, level in PERMISSIONS[purpose].items())
            raise type(refused)(f"no token to {purpose} ({needs}): {refused}") from None
        self._means.redactor.learn(made.token)
        lives = _seconds(made.expires_at, self._means.now()) - EARLY_S
        return Minted(Secret(made.token), self._means.clock() + lives)


def _seconds(until: datetime, now: datetime) -> float:
    return (until - now).total_seconds()
