"""
Deliveries as jam's inbox keeps them: what is put in, what waits, and how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from bot.core.delivery import Delivery


class Kept(Enum):
    NEW = auto()
    KNOWN = auto()  # by its id, or by what it says


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """``unwanted``: why nothing will come of it; '' for what has to be decided about."""

    delivery: Delivery
    at: datetime
    unwanted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    id: str
    event: str
    body: bytes
    tries: int  # so far
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A delivery as people look at it."""

    id: str
    event: str
    at: datetime
    is_waiting: bool
    tries: int
    outcome: str
    why: str
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailCounts:
    waiting: int
    settled: Mapping[str, int]  # by what came of them
    oldest: datetime | None  # of those that wait
