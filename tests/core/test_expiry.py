"""A checkpoint goes when its session ended long ago, and for no other reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.core.docket import Kind, Listed
from bot.core.expiry import expired
from bot.core.facts import State
from bot.core.thread import Repository

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HERE = Repository(id=7, name="ada/lib", default_branch="main", installation=1)
OLD = Listed(
    session="old",
    kind=Kind.FIX,
    where=HERE,
    thread=1,
    is_pull=False,
    asked="",
    asked_by="ben",
    counts_as="",
    title="",
    opened_at=NOW - timedelta(days=40),
    state=State.ENDED,
    end="failed",
    ended_at=NOW - timedelta(days=30),
)
SESSIONS = {
    one.session: one
    for one in (
        OLD,
        replace(OLD, session="young", ended_at=NOW - timedelta(days=30) + timedelta(seconds=1)),
        replace(OLD, session="rests", state=State.RESTING),
        replace(OLD, session="asks", state=State.ASKING),
        replace(OLD, session="runs", state=State.RUNNING),
        replace(OLD, session="elsewhere", where=replace(HERE, id=8)),
    )
}
REFS = [f"refs/jam/checkpoints/{name}/{n}" for name in (*SESSIONS, "unknown") for n in (1, 2)]


def test_only_checkpoints_of_what_ended_thirty_days_ago_go() -> None:
    others = ["refs/jam/evidence/old", "refs/heads/jam/x", "refs/jam/checkpoints/old/x"]
    found = expired([*REFS, *others], SESSIONS.get, repository=7, now=NOW)

    assert found == ("refs/jam/checkpoints/old/1", "refs/jam/checkpoints/old/2")
