"""
The one module that imports PyGithub: a request goes out, and what came back is told.

PyGithub makes addresses, headers and the App's signature. Its retries, waits, redirects, log lines
and objects are not used: a lost answer would be asked for again and make things twice, and an
object fetches when it is looked at. One gateway belongs to one thread.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, cast

from github.Auth import AppAuth, Auth, Token
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
)

from bot import __version__
from bot.adapters.github.line import Aside, Line, LineBroken, Raw, is_safe
from bot.adapters.github.outlet import Ask, fit
from bot.adapters.github.secret import Secret, clean
from bot.core.pacing import Reply
from bot.core.redact import Redactor
from bot.errors import RequestError

GITHUB = "https://api.github.com"
VERSION = "2022-11-28"
PER_PAGE = 100
_JWT_BACK_S, _JWT_AHEAD_S = 60, 300
_SILENT = logging.Logger("jam.silent", level=logging.CRITICAL + 1)  # it would write tokens down

Identity = Auth | None


@dataclass(frozen=True, slots=True)
class Heard:
    """``document``: the JSON, or None where there is none. ``skew_s``: GitHub's clock less ours."""

    reply: Reply
    document: Any
    skew_s: float | None


class _Wired(Requester):
    @property
    def _logger(self) -> logging.Logger:
        return _SILENT


def _requester(line: Line, base_url: str) -> Requester:
    """Connections are chosen by class; a class of its own keeps this from being everybody's."""

    class Mine(_Wired):
        pass

    Mine.injectConnectionClasses(
        cast(type[HTTPRequestsConnectionClass], line.plain),
        cast(type[HTTPSRequestsConnectionClass], line.secure),
    )
    return Mine(
        auth=None,
        base_url=base_url,
        timeout=1,  # the line keeps time
        user_agent=f"jam/{__version__}",
        per_page=PER_PAGE,
        verify=True,
        retry=None,
        pool_size=None,
        api_version=VERSION,
    )


class Gateway:
    """``base_url``: github.com's API, or ``https://HOST/api/v3`` of an Enterprise server."""

    def __init__(
        self,
        base_url: str = GITHUB,
        *,
        line: Line,
        now: Callable[[], datetime],
        redactor: Redactor,
    ) -> None:
        if not is_safe(base_url):
            raise RequestError(f"{clean(base_url)} is not an https address")
        self.line = line
        self._now = now
        self._redactor = redactor
        self._requester = _requester(line, base_url.rstrip("/"))

    @property
    def graphql_path(self) -> str:
        """An address of its own, beside the rest of the API."""
        return self._requester.graphql_url

    def call(self, ask: Ask, identity: Identity, *, until: float) -> Heard:
        """Whatever came back, refusals too. Never raises for an answer, or for the lack of one."""
        ask = fit(ask, self._redactor)
        self.line.until = until
        headers: dict[str, Any] = {"Accept": "application/vnd.github+json"}
        if identity is not None:
            identity.authentication(headers)
        before = self._now()
        try:
            raw = self._send(ask, headers)
        except LineBroken as broken:
            return Heard(Reply(method=ask.method, status=None, message=str(broken)), None, None)
        skew = _skew(raw.headers.get("date", ""), before, self._now())
        return _heard(ask.method, raw, skew)

    def _send(self, ask: Ask, headers: dict[str, Any]) -> Raw:
        try:
            status, told, text = self._requester.requestJson(
                ask.method,
                ask.path,
                parameters=dict(ask.params),
                headers=headers,
                input=ask.body,
            )
        except Aside as aside:
            raw = aside.raw
            return Raw(raw.status, {k.lower(): v for k, v in raw.headers.items()}, raw.body)
        return Raw(status, told, text.encode())


def token_identity(secret: Secret) -> Identity:
    return Token(secret.reveal())


def app_identity(issuer: str, key: Secret, *, now: Callable[[], datetime]) -> Identity:
    """Signs anew for each request, by jam's own clock. ``issuer``: the App's id or client id."""
    signer = AppAuth.create_jwt_sign(key.reveal(), "RS256")

    def sign(claims: dict[str, Any]) -> str | bytes:
        at = int(now().timestamp())
        try:
            return signer({**claims, "iat": at - _JWT_BACK_S, "exp": at + _JWT_AHEAD_S})
        except Exception:  # noqa: BLE001  whatever it says may quote the key
            raise RequestError("the App's private key cannot be used: is it all of it?") from None

    return AppAuth(issuer, sign_func=sign)


def _heard(method: str, raw: Raw, skew: float | None) -> Heard:
    document, is_json = _document(raw)
    if raw.status < 300 and raw.body and not is_json:
        # A page, or half a document: nobody knows what happened.
        return Heard(Reply(method=method, status=None, message="no whole JSON"), None, skew)
    message = clean(_message(document))
    reply = Reply(method=method, status=raw.status, headers=raw.headers, message=message)
    return Heard(reply, document, skew)


def _document(raw: Raw) -> tuple[Any, bool]:
    if "json" not in raw.headers.get("content-type", ""):
        return None, False
    try:
        return json.loads(raw.body), True
    except (ValueError, RecursionError):
        return None, False


def _message(document: Any) -> str:
    """GitHub's words with those of each error beneath, where the telling part often is."""
    if not isinstance(document, dict):
        return ""
    errors = document.get("errors")
    beneath = [
        f"{one.get('field', '')} {one.get('code', '')} {one.get('message', '')}"
        if isinstance(one, dict)
        else str(one)
        for one in (errors if isinstance(errors, list) else [])
    ]
    return "; ".join([str(document.get("message", "")), *beneath])


def _skew(date: str, before: datetime, after: datetime) -> float | None:
    """How far GitHub's clock is outside of the time that the request took; 0 within. The header
    tells whole seconds."""
    try:
        at = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    if at > after:
        return (at - after).total_seconds()
    end = at + timedelta(seconds=1)
    return (end - before).total_seconds() if end < before else 0.0
