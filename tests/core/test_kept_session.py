from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.core import kept_session
from bot.core.docket import Kind, Listed
from bot.core.facts import State
from bot.core.kept_session import KeptSession, NotKept
from bot.core.thread import Repository

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LISTED = Listed(
    session="gh-1",
    kind=Kind.FIX,
    where=Repository(id=7, name="ada/lib", default_branch="main"),
    thread=3,
    asked="{}",
    asked_by="ben",
    counts_as="7#3",
    title="\u202e tricky \x00 title",
    opened_at=NOW,
    state=State.RUNNING,
    pull=4,
)
KEPT = KeptSession(listed=LISTED, delivery="actions-9", job=9)


def test_what_was_kept_comes_back_whole() -> None:
    assert kept_session.unspell(kept_session.spell(KEPT)) == KEPT


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"listed": 1, "delivery": "x", "job": 1}']
)
def test_what_jam_did_not_write_is_refused(content: bytes) -> None:
    with pytest.raises(NotKept):
        kept_session.unspell(content)


@pytest.mark.parametrize(
    ("state", "is_alive", "then"),
    [
        (State.RUNNING, True, State.RUNNING),
        (State.RUNNING, False, State.RESTING),
        (State.QUEUED, False, State.RESTING),
        (State.ASKING, False, State.ASKING),
        (State.ENDED, False, State.ENDED),
    ],
)
def test_a_session_whose_job_is_gone_rests(state: State, is_alive: bool, then: State) -> None:
    kept = replace(KEPT, listed=replace(LISTED, state=state))

    assert kept_session.at_rest(kept, is_alive=is_alive).listed.state is then


def test_an_ended_session_is_kept_for_thirty_days() -> None:
    ended = replace(KEPT, listed=replace(LISTED, state=State.ENDED, ended_at=NOW))

    assert not kept_session.is_over(ended, now=NOW + timedelta(days=30))
    assert kept_session.is_over(ended, now=NOW + timedelta(days=31))
    assert not kept_session.is_over(KEPT, now=NOW + timedelta(days=400))
