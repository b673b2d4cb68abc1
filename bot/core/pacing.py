"""
How to get along with GitHub: what to do about an answer, and when the next write may go.

Decides from status, headers and words alone. A wait is a number to come back after, never a sleep,
and always has an end. What may or may not have happened is *look again*, never *failed*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias

ATTEMPTS = 6
LONGEST_S = 2 * 3600.0
"""No answer makes jam wait longer; a limit that is further away is a reason to give up for now."""
SECONDARY_S = 60.0
FIRST_S = 1.0
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back. ``status`` None: nothing did (time-out, reset, a body that was cut)."""

    method: str
    status: int | None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""

    def header(self, name: str) -> str:
        return next((v for k, v in self.headers.items() if k.lower() == name), "").strip()

    @property
    def is_write(self) -> bool:
        return self.method.upper() in WRITES


@dataclass(frozen=True, slots=True)
class Fine:
    pass


@dataclass(frozen=True, slots=True)
class Retry:
    after_s: float
    why: str


@dataclass(frozen=True, slots=True)
class LookAgain:
    """It may have happened: read what is there before writing again."""

    after_s: float
    why: str


@dataclass(frozen=True, slots=True)
class Renew:
    """The token is over; a new one, once."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    why: str


Move: TypeAlias = Fine | Retry | LookAgain | Renew | GiveUp


def decide(reply: Reply, *, attempt: int, now: datetime, chance: float = 0.0) -> Move:
    """``attempt`` counts from 1. ``chance`` in 0..1 spreads those who wait for the same thing."""
    move = _decide(reply, attempt=attempt, now=now, chance=chance)
    if isinstance(move, Retry | LookAgain):
        if attempt >= ATTEMPTS:
            return GiveUp(f"{move.why}, {attempt} times")
        if move.after_s > LONGEST_S:
            return GiveUp(f"{move.why}, for {move.after_s:.0f} seconds")
    return move


def _decide(reply: Reply, *, attempt: int, now: datetime, chance: float) -> Move:
    status, wait = reply.status, _backoff(attempt, first_s=FIRST_S, chance=chance)
    if status is None:
        return _unsure(reply, wait, "no answer")
    if status < 400:
        return _no_error(status, wait)
    if status in (403, 429):
        return _limited(reply, attempt=attempt, now=now, chance=chance)
    if status == 408 or status >= 500:
        return _unsure(reply, max(wait, _asked(reply, now) or 0.0), f"GitHub answered {status}")
    return _refused(reply, status, wait, attempt=attempt)


def _no_error(status: int, wait: float) -> Move:
    if status == 202:
        return Retry(max(wait, 2.0), "GitHub is still at it")
    if status in (301, 302, 307, 308):
        return GiveUp("it has moved: find the repository by its number again")
    return Fine()


def _refused(reply: Reply, status: int, wait: float, *, attempt: int) -> Move:
    if status == 401:
        return Renew() if attempt == 1 else GiveUp("the token is not accepted")
    if status == 409:
        return _unsure(reply, wait, "something else changed it at the same time")
    if status == 422 and _is_there(reply.message):
        return LookAgain(0.0, "it is there already")
    return GiveUp(f"GitHub answered {status}")


def _unsure(reply: Reply, wait: float, why: str) -> Move:
    return LookAgain(wait, why) if reply.is_write else Retry(wait, why)


def _limited(reply: Reply, *, attempt: int, now: datetime, chance: float) -> Move:
    """A refused request has not happened, so a write may be repeated as it is."""
    said = reply.message.lower()
    secondary = "secondary rate limit" in said or "abuse detection" in said
    asked = _asked(reply, now)
    if asked is not None and (secondary or reply.status == 429 or "rate limit" in said):
        return Retry(max(asked, FIRST_S), "GitHub asked to wait")
    if reply.header("x-ratelimit-remaining") == "0":
        reset = _until(reply.header("x-ratelimit-reset"), now)
        return Retry(reset + 1.0 + chance, "the hour's requests are used up")
    if secondary or reply.status == 429 or "rate limit" in said:
        wait = _backoff(attempt, first_s=SECONDARY_S, chance=chance)
        return Retry(wait, "too many requests at a time")
    return GiveUp("GitHub does not permit it")


def _is_there(message: str) -> bool:
    said = message.lower()
    return "already exists" in said or "already_exists" in said


def _backoff(attempt: int, *, first_s: float, chance: float) -> float:
    return first_s * 2.0 ** min(max(attempt, 1) - 1, 16) * (1.0 + chance / 2)


def _asked(reply: Reply, now: datetime) -> float | None:
    """``Retry-After``, in seconds or as a date. Nonsense is as good as nothing."""
    said = reply.header("retry-after")
    if said.isascii() and said.isdigit():
        return float(said) if len(said) < 10 else LONGEST_S * 2
    try:
        return max((parsedate_to_datetime(said) - now).total_seconds(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _until(reset: str, now: datetime) -> float:
    if not (reset.isascii() and reset.isdigit() and len(reset) < 12):
        return SECONDARY_S
    return max(float(reset) - now.timestamp(), 0.0)
