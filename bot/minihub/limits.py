"""
Rate limits: the hourly allowance that every answer's headers tell, and the secondary limits that
nothing tells. Counts by the hub's clock; knows nothing of routes.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

from bot.minihub.answers import Refused
from bot.minihub.clock import Clock

HOUR = 3600


@dataclass(slots=True)
class Window:
    resets_at: int
    used: int = 0


class Limits:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._windows: dict[str, Window] = {}
        self._made: dict[str, deque[float]] = defaultdict(deque)
        self.per_hour = 5000
        self.anonymous_per_hour = 60
        self.creations_per_minute = 80
        self.creations_per_hour = 500
        self.retry_after: int | None = 60  # None: the secondary limit names no time

    def limit(self, key: str) -> int:
        return self.anonymous_per_hour if key == "anonymous" else self.per_hour

    def window(self, key: str) -> Window:
        now = self._clock.seconds()
        found = self._windows.get(key)
        if found is None or now >= found.resets_at:
            found = self._windows[key] = Window(now + HOUR)
        return found

    def spend(self, key: str) -> None:
        window = self.window(key)
        if window.used >= self.limit(key):
            raise Refused(403, f"API rate limit exceeded for {key}.", headers={"Retry-After": "60"})
        window.used += 1

    def refund(self, key: str) -> None:
        """What was not modified costs nothing."""
        self.window(key).used -= 1

    def exhaust(self, key: str) -> None:
        """As if the hour's allowance were gone."""
        self.window(key).used = self.limit(key)

    def create(self, key: str) -> None:
        """Called for every call that makes something people are told about."""
        now, made = self._clock.now().timestamp(), self._made[key]
        while made and made[0] <= now - HOUR:
            made.popleft()
        recent = sum(at > now - 60 for at in made)
        if recent >= self.creations_per_minute or len(made) >= self.creations_per_hour:
            wait = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
            raise Refused(
                403,
                "You have exceeded a secondary rate limit and have been temporarily blocked from "
                "content creation. Please retry your request again later.",
                headers=wait,
            )
        made.append(now)

    def headers(self, key: str) -> dict[str, str]:
        window, limit = self.window(key), self.limit(key)
        return {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(max(0, limit - window.used)),
            "X-RateLimit-Used": str(window.used),
            "X-RateLimit-Reset": str(window.resets_at),
            "X-RateLimit-Resource": "core",
        }

    def overview(self, key: str) -> dict[str, int]:
        window, limit = self.window(key), self.limit(key)
        return {
            "limit": limit,
            "used": window.used,
            "remaining": max(0, limit - window.used),
            "reset": window.resets_at,
        }
