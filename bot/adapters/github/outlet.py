"""
The way out to GitHub: no request is sent that did not pass here.

What people read is masked. What is kept bit for bit, a file or a name, cannot be masked without
becoming something else: with a known secret in it, it is refused, and the work stays here.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.core.redact import Redactor
from bot.errors import ForgeRefused

GIT = "/git/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """``path`` is relative to the API. ``creates``: people are told of it, so limits count it."""

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    creates: bool = False


def fit(ask: Ask, redactor: Redactor) -> Ask:
    """Raises ``ForgeRefused`` where a secret would go out with a name or a file."""
    _demand_clean("\n".join([ask.path, *_texts(ask.params)]).encode(), redactor)
    if ask.body is None:
        return ask
    if GIT not in ask.path:
        return replace(ask, body=redactor.told_all(ask.body))
    words = {name: value for name, value in ask.body.items() if name == "message"}
    rest = {name: value for name, value in ask.body.items() if name not in words}
    _demand_clean(_whole(rest), redactor)
    return replace(ask, body={**rest, **redactor.told_all(words)})


def _whole(body: Mapping[str, Any]) -> bytes:
    content = body.get("content")
    if body.get("encoding") == "base64" and isinstance(content, str):
        try:
            return base64.b64decode(content)
        except binascii.Error:
            return content.encode()
    return "\n".join(_texts(body)).encode("utf-8", "surrogatepass")


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for name, one in value.items():
                yield from (str(name), *_texts(one))
        case list() | tuple():
            for one in value:
                yield from _texts(one)
        case _:
            pass


def _demand_clean(content: bytes, redactor: Redactor) -> None:
    if redactor.holds(content):
        raise ForgeRefused(
            "what was to be sent to GitHub holds a secret that jam knows: that needs a person"
        )
