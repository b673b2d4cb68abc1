"""
What the hub answers with, and its refusals in GitHub's words. Knows no resource.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DOCS = "https://docs.github.com/rest"
BODY_LIMIT = 65_536
TITLE_LIMIT = 256


@dataclass(frozen=True, slots=True)
class Answer:
    """``body`` is JSON when it is not bytes; None is an answer without a body."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def payload(self) -> bytes:
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else encode(self.body)

    def media_type(self) -> str:
        return "text/html; charset=utf-8" if self.is_raw else "application/json; charset=utf-8"

    @property
    def is_raw(self) -> bool:
        return isinstance(self.body, bytes)


def encode(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(
        errors="replace"  # a lone surrogate in somebody's text
    )


def created(body: Any) -> Answer:
    return Answer(body, 201)


NOTHING_TO_SAY = Answer(None, 204)


@dataclass(frozen=True, slots=True)
class Page:
    """A list that the dispatcher cuts into pages. ``under`` names it where GitHub wraps lists."""

    items: list[Any]
    under: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict)


class Refused(Exception):
    """The hub answers with an error status."""

    def __init__(
        self, status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(message)
        self.answer = Answer(
            {"message": message, **more, "documentation_url": DOCS, "status": str(status)},
            status,
            headers or {},
        )


def not_found(message: str = "Not Found") -> Refused:
    return Refused(404, message)


def forbidden(message: str) -> Refused:
    return Refused(403, message)


def not_accessible() -> Refused:
    return Refused(403, "Resource not accessible by integration")


def bad_credentials() -> Refused:
    return Refused(401, "Bad credentials")


def invalid(resource: str, name: str, code: str = "invalid", *, message: str = "") -> Refused:
    """422 with one entry under ``errors``, GitHub's form for a field that will not do."""
    error = {"resource": resource, "code": code, "field": name}
    return Refused(
        422, "Validation Failed", errors=[error | ({"message": message} if message else {})]
    )


def unprocessable(message: str) -> Refused:
    return Refused(422, message)


def check_length(resource: str, name: str, text: str | None, *, limit: int = BODY_LIMIT) -> None:
    if text is not None and len(text) > limit:
        said = f"{name} is too long (maximum is {limit} characters)"
        raise invalid(resource, name, "custom", message=said)
