"""
The clocks of the adapter, the pace of its writes, and what it may not say.

Decides how long a worker may stand waiting for its turn; what is further away is an errand to come
back for, not a sleep. One ``Pace`` serves all workers of an installation in a process.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.core.redact import Redactor
from bot.core.write_pace import WritePace
from bot.errors import ForgeUnavailable

TURN_S = 30.0
"""How long to queue behind the writes of other workers of this process."""
REST_S = 5.0
"""A longer wait than this is somebody else's: the request is put off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """``redactor``: what leaves goes through it, and it learns each secret that is used here."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    redactor: Redactor = field(default_factory=Redactor)
    meter: Meter = field(default_factory=lambda: Meter())


class Meter:
    """How much was asked of GitHub, and what is left of the hour as it said last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.calls = 0
        self.left: int | None = None

    def heard(self, remaining: str) -> None:
        with self._lock:
            self.calls += 1
            if remaining.isascii() and remaining.isdigit():
                self.left = int(remaining)


class Pace:
    """Writes go one after the other, as far apart as GitHub wants them."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._lock = threading.Lock()
        self._past = WritePace()

    @contextmanager
    def turn(self, *, creates: bool) -> Iterator[None]:
        if not self._lock.acquire(timeout=TURN_S):
            raise ForgeUnavailable("others are writing to GitHub", retry_after=TURN_S)
        try:
            wait = self._past.wait_s(self._means.clock(), creates=creates)
            if wait > REST_S:
                raise ForgeUnavailable("as much was written as GitHub takes", retry_after=wait)
            if wait:
                self._means.sleep(wait)
            try:
                yield
            finally:
                self._past = self._past.wrote(self._means.clock(), creates=creates)
        finally:
            self._lock.release()


class Unpaced:
    """For what makes nothing: a token, say."""

    @contextmanager
    def turn(self, *, creates: bool) -> Iterator[None]:  # noqa: ARG002
        yield
