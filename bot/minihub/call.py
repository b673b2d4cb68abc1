"""
One call as a handler sees it: who calls, about which repository, with which words. Reading a field
that is missing or of the wrong kind refuses as GitHub would.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.minihub.access import Actor
from bot.minihub.answers import Answer, Page, Refused, bad_credentials, invalid, unprocessable
from bot.minihub.events import Event
from bot.minihub.hub import Hub
from bot.minihub.records import Account, Installation, Repo
from bot.minihub.store import ROLES


@dataclass(frozen=True, slots=True)
class Request:
    """``path`` is still quoted, and without the API's prefix; header names are lower case.
    ``inside``: a person's act of the hub's own, which no limit counts."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    inside: bool = False


@dataclass(slots=True)
class Call:
    hub: Hub
    request: Request
    actor: Actor
    words: Mapping[str, str]
    found: Repo | None = None
    _fields: dict[str, Any] | None = None

    @property
    def repo(self) -> Repo:
        if self.found is None:
            raise ValueError("this route names no repository")
        return self.found

    @property
    def me(self) -> Account:
        if self.actor.account is None:
            raise bad_credentials()
        return self.actor.account

    def is_at_least(self, role: str) -> bool:
        """A person's role; an App's permissions were checked on the way in."""
        if self.actor.installation:
            return True
        mine = self.hub.store.role(self.repo, self.me)
        return ROLES.index(mine) >= ROLES.index(role)

    def number(self, name: str) -> int:
        try:
            return int(self.words[name])
        except ValueError as wrong:
            raise Refused(404, "Not Found") from wrong

    def query(self, name: str, default: str = "") -> str:
        return self.request.query.get(name, default)

    # the body

    @property
    def fields(self) -> dict[str, Any]:
        if self._fields is None:
            self._fields = _document(self.request.body)
        return self._fields

    def optional(self, name: str, kind: type, *, resource: str) -> Any:
        value = self.fields.get(name)
        if value is not None and type(value) is not kind:
            raise invalid(resource, name)
        return value

    def text(self, name: str, *, resource: str) -> str:
        """A text that has to be there."""
        value = self.optional(name, str, resource=resource)
        if not value:
            raise invalid(resource, name, "missing_field")
        return str(value)

    def strings(self, name: str) -> list[str]:
        value = self.fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise unprocessable(f"Invalid request.\n\nFor '{name}', {value!r} is not an array.")
        return value

    def names(self, name: str) -> list[str]:
        """GitHub takes labels as a bare list too."""
        document = _json(self.request.body)
        if isinstance(document, list):
            return [str(each) for each in document]
        return self.strings(name)

    # telling

    def tell(
        self, name: str, action: str | None, *, only: Installation | None = None, **payload: Any
    ) -> None:
        self.hub.emit(
            Event(
                name=name,
                action=action,
                sender=self.me,
                repo=self.found,
                only=only,
                payload=payload,
            )
        )


def _json(body: bytes) -> Any:
    try:
        return json.loads(body or b"{}")
    except (ValueError, RecursionError) as broken:
        raise Refused(400, "Problems parsing JSON") from broken


def _document(body: bytes) -> dict[str, Any]:
    document = _json(body)
    if not isinstance(document, dict):
        raise Refused(400, "Body should be a JSON object")
    return document


Result = Answer | Page | dict[str, Any] | list[Any]
Handler = Callable[[Call], Result]
