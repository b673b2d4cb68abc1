"""
The table of the docket, and what one of its rows means.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

from bot.adapters.database import spell
from bot.core.docket import Kind, Listed
from bot.core.facts import State
from bot.core.thread import Repository

TABLES = MetaData()
Table(
    "sessions",
    TABLES,
    Column("place", Integer, primary_key=True, autoincrement=True),
    Column("session", String, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    Column("repository", BigInteger, nullable=False),
    Column("repository_name", String, nullable=False),
    Column("default_branch", String, nullable=False),
    Column("is_private", Boolean, nullable=False),
    Column("installation", BigInteger, nullable=True),
    Column("thread", Integer, nullable=False),
    Column("is_pull", Boolean, nullable=False),
    Column("asked", Text, nullable=False),
    Column("asked_by", String, nullable=False),
    Column("counts_as", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("opened_at", String, nullable=False),
    Column("state", String, nullable=False),
    Column("run", Integer, nullable=False),
    Column("why", Text, nullable=False),
    Column("end_", String, nullable=False),
    Column("ended_at", String, nullable=True),
    Column("cents", Float, nullable=False),
    Column("judged_sha", String, nullable=False),
    Column("head_sha", String, nullable=False),
    Column("pull", Integer, nullable=True),
    Column("branch", String, nullable=False),
    Column("stop_by", String, nullable=False),
    Column("approved_by", String, nullable=False),
    Column("lease_until", String, nullable=True),
    Column("due_at", String, nullable=True),  # a rest that ends by itself
    Column("worker", String, nullable=False, server_default=""),  # the process that runs it
    Column("turns", Integer, nullable=False, server_default="0"),
    Column("tokens", BigInteger, nullable=False, server_default="0"),
    Column("judged_s", Float, nullable=False, server_default="0"),  # seconds of the oracle
    Index("sessions_by_thread", "repository", "thread"),
    Index("sessions_by_pull", "repository", "pull"),
    Index("sessions_by_count", "counts_as"),
    Index("sessions_by_state", "state"),
)
Table(
    "answers",
    TABLES,
    Column("repository", BigInteger, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("text", Text, nullable=False),
)
INSERT = """
INSERT INTO sessions
  (session, kind, repository, repository_name, default_branch, is_private, installation, thread,
   is_pull, asked, asked_by, counts_as, title, opened_at, state, run, why, end_, cents, judged_sha,
   head_sha, branch, stop_by, approved_by)
VALUES
  (:session, :kind, :repository, :repository_name, :default_branch, :is_private, :installation,
   :thread, :is_pull, :asked, :asked_by, :counts_as, :title, :opened_at, 'queued', 1, '', '', 0,
   :judged_sha, :head_sha, '', '', :approved_by)
ON CONFLICT DO NOTHING
RETURNING place
"""


def row(one: Listed) -> dict[str, object]:
    return {
        "session": one.session,
        "kind": one.kind.value,
        "repository": one.where.id,
        "repository_name": one.where.name,
        "default_branch": one.where.default_branch,
        "is_private": one.where.is_private,
        "installation": one.where.installation,
        "thread": one.thread,
        "is_pull": one.is_pull,
        "asked": one.asked,
        "asked_by": one.asked_by,
        "counts_as": one.counts_as,
        "title": one.title,
        "opened_at": spell(one.opened_at),
        "judged_sha": one.judged_sha,
        "head_sha": one.head_sha,
        "approved_by": one.approved_by,
    }


def listed(row: Mapping[str, Any]) -> Listed:
    where = Repository(
        id=row["repository"],
        name=row["repository_name"],
        default_branch=row["default_branch"],
        is_private=bool(row["is_private"]),
        installation=row["installation"],
    )
    return Listed(
        session=row["session"],
        kind=Kind(row["kind"]),
        where=where,
        thread=row["thread"],
        is_pull=bool(row["is_pull"]),
        asked=row["asked"],
        asked_by=row["asked_by"],
        counts_as=row["counts_as"],
        title=row["title"],
        opened_at=datetime.fromisoformat(row["opened_at"]),
        state=State(row["state"]),
        run=row["run"],
        why=row["why"],
        end=row["end_"],
        ended_at=datetime.fromisoformat(row["ended_at"]) if row["ended_at"] else None,
        cents=row["cents"],
        judged_sha=row["judged_sha"],
        head_sha=row["head_sha"],
        pull=row["pull"],
        branch=row["branch"],
        stop_by=row["stop_by"],
        approved_by=row["approved_by"],
    )
