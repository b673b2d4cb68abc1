"""
A ledger that was read back from a repository is history: no verdict in it counts again.

Whoever may write to the repository could have written it, seals and all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.workflow_store import WorkflowStore
from bot.core import ledger, moving
from bot.core.next_step import next_step
from bot.core.session import learn, replay
from bot.core.steps import Prepare
from tests.make import AT, opened, sealed, terms, verified_story

STORY = sealed(*verified_story())
LINES = [ledger.line(entry) for entry in STORY]
SESSION = opened().session


def brought(home: Path, *, is_over: bool) -> tuple[WorkflowStore, tuple[ledger.Sealed, ...]]:
    store = WorkflowStore(home)
    store.restore(SESSION, LINES, is_over=is_over)
    return store, ledger.read(store.read(SESSION))


def test_no_last_word_is_taken_over(tmp_path: Path) -> None:
    _, entries = brought(tmp_path, is_over=False)
    session = replay(entries)

    assert (session.adjudicated, session.published, session.ended) == (None, None, None)


@pytest.mark.parametrize("without", [(), ("adjudicated",), ("adjudicated", "published")])
def test_an_end_without_a_last_judgement_is_taken_over_as_little(
    tmp_path: Path, without: tuple[str, ...]
) -> None:
    story = [fact for fact in verified_story() if fact.kind not in without]
    store = WorkflowStore(tmp_path)
    store.restore(SESSION, [ledger.line(entry) for entry in sealed(*story)], is_over=False)
    session = replay(ledger.read(store.read(SESSION)))

    assert (session.adjudicated, session.published, session.ended) == (None, None, None)


def test_what_goes_on_is_judged_anew_from_the_base_on(tmp_path: Path) -> None:
    store, entries = brought(tmp_path, is_over=False)
    moved = moving.move(entries, {}, at=AT)
    session = learn(replay(entries), moved)

    assert not store.is_here(SESSION, seal=ledger.last_seal(entries))
    assert (session.preflights, session.baseline, session.adjudications) == ((), None, ())
    assert (session.probes, session.with_tests, dict(session.answers)) == ((), None, {})
    assert next_step(session, terms()) == Prepare()


def test_what_is_over_is_there_to_be_read_and_known_for_history(tmp_path: Path) -> None:
    store, entries = brought(tmp_path, is_over=True)

    assert entries == STORY
    assert store.is_as_brought(SESSION)


def test_what_was_written_here_is_no_history(tmp_path: Path) -> None:
    store = WorkflowStore(tmp_path)
    store.create(SESSION)
    store.append(SESSION, LINES[0], place=0, after=ledger.ORIGIN)

    assert not store.is_as_brought(SESSION)
