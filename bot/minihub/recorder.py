"""
Everything that went over the wire, kept so that it can be held against GitHub's own descriptions.
Secrets are not kept: headers are left out, but for those that a check needs.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """``template`` is the path as GitHub's description writes it; empty where none matched."""

    method: str
    template: str
    path: str
    body: bytes
    status: int
    answer: bytes
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A webhook as it was sent."""

    event: str
    action: str | None
    body: bytes


class Recorder:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._exchanges: list[Exchange] = []
        self._sent: list[Sent] = []

    def exchange(self, one: Exchange) -> None:
        with self._lock:
            self._exchanges.append(one)

    def sent(self, one: Sent) -> None:
        with self._lock:
            self._sent.append(one)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        with self._lock:
            return tuple(self._exchanges)

    @property
    def webhooks(self) -> tuple[Sent, ...]:
        with self._lock:
            return tuple(self._sent)
