"""
The docket: every session that was accepted, and how it stands.

It says what a thread's last session is, what was tried and spent, and who is to be stopped. What a
session did is in its ledger; where the two disagree, the ledger is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.core.facts import State
from bot.core.thread import Repository


class Kind(StrEnum):
    FIX = "fix"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """``asked``: the decision that began it, as it was written down."""

    session: str
    kind: Kind
    where: Repository
    thread: int = 0  # 0: no issue and no pull request
    is_pull: bool = False
    asked: str
    asked_by: str
    counts_as: str
    title: str = ""
    opened_at: datetime

    state: State = State.QUEUED
    run: int = 1  # a session that rested goes on in its next run
    why: str = ""  # it rests, or ended
    end: str = ""  # of DESIGN's table; or ``refused``, ``broken``
    ended_at: datetime | None = None
    cents: float = 0.0
    judged_sha: str = ""  # the head that its verdict is about
    head_sha: str = ""  # where its check run stands
    pull: int | None = None  # jam's own
    branch: str = ""
    stop_by: str = ""  # who wants it to stop
    approved_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocketCounts:
    states: Mapping[str, int]
    ends: Mapping[str, int]
    cents: float
    oldest_queued: datetime | None
    turns: int = 0
    tokens: int = 0
    judged_s: float = 0.0  # seconds of oracles
