"""
Short-lived addresses for logs and archives. They carry their own permission, so a caller that still
sends its token there is refused, as GitHub's storage does.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from bot.minihub.answers import Answer, not_found
from bot.minihub.clock import Clock

LIVES_S = 60
PREFIX = "/_download/"


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    media_type: str
    until: float


class Downloads:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._files: dict[str, _File] = {}

    def offer(self, base: str, content: bytes, *, media_type: str) -> Answer:
        """302 to an address on another host name, so that a client drops its token."""
        key = secrets.token_urlsafe(24)
        until = self._clock.now().timestamp() + LIVES_S
        self._files[key] = _File(content, media_type, until)
        elsewhere = base.replace("127.0.0.1", "localhost")
        return Answer(None, 302, {"Location": f"{elsewhere}{PREFIX}{key}"})

    def fetch(self, path: str, *, authorization: str | None) -> Answer:
        found = self._files.get(path.removeprefix(PREFIX))
        if found is None or self._clock.now().timestamp() >= found.until:
            raise not_found()
        if authorization:
            return Answer(b"InvalidAuthenticationInfo", 400, {"Content-Type": "application/xml"})
        return Answer(found.content, headers={"Content-Type": found.media_type})
