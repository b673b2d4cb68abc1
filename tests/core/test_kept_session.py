from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core import asked, kept_session
from bot.core.asked import Asked
from bot.core.contract import Contract
from bot.core.decision import Start, Verify, Words
from bot.core.docket import Kind, Listed
from bot.core.facts import State
from bot.core.kept_session import KeptSession, NotKept
from bot.core.thread import Account, Pull, Repository
from tests import make

BEN = Account(7, "ben")
WHERE = Repository(id=7, name="ada/lib", default_branch="main")
OTHER = Repository(id=8, name="eve/lib", default_branch="main")
PULL = Pull(
    number=9,
    author=BEN,
    head_sha="a" * 40,
    head_branch="x",
    head_repository=None,
    base_branch="main",
)
START = Start(session="gh-1", where=WHERE, by=BEN, subject=Words("mend it"))
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LISTED = Listed(
    session="gh-1",
    kind=Kind.FIX,
    where=WHERE,
    thread=3,
    asked=asked.spell(Asked(wish=START)),
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
    "over",
    [
        {"kind": Kind.VERIFY},
        {
            "asked": asked.spell(
                Asked(wish=Verify(id="gh-1", where=WHERE, by=BEN, pull=PULL, is_fork=True))
            )
        },
        {"asked": asked.spell(Asked(wish=replace(START, where=OTHER)))},
        {"asked": "{}"},
        {"opened_at": NOW.replace(tzinfo=None)},
        {"ended_at": NOW.replace(tzinfo=None)},
    ],
    ids=["kind", "judging", "another repository", "nothing", "a zone", "the end's zone"],
)
def test_what_no_job_keeps_is_refused(over: dict[str, Any]) -> None:
    with pytest.raises(NotKept):
        kept_session.unspell(kept_session.spell(replace(KEPT, listed=replace(LISTED, **over))))


CONTRACT = Contract.model_validate(
    {
        "version": 1,
        "oracles": {"unit": {"gates": [{"name": "tests", "run": "python -m pytest -q"}]}},
    }
)


@pytest.mark.parametrize(
    ("over", "fits"),
    [
        ({}, True),
        ({"branch": "jam-fix-it"}, True),
        ({"branch": "main"}, False),
        ({"agents": ("command:sh",)}, False),
        ({"sandbox": "none"}, False),
        ({"network": "open"}, False),
        ({"commands": (("tests", "python -m pytest -q --co"),)}, False),
        ({"oracle": "lint"}, False),
        ({"dry_run": True}, False),
    ],
)
def test_an_opening_is_gone_on_with_as_it_would_be_opened_anew(
    over: dict[str, Any], fits: bool
) -> None:
    opened = make.opened(**over)

    same = kept_session.is_the_same(opened, CONTRACT, agents=("repair",), sandbox="bwrap")

    assert same is fits


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
