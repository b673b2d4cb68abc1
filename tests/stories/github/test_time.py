"""What time does to jam's work: it is down for a while, it is ended, months go by."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.stories.github.world import REPO, TITLE, World, agent, world
from tests.stories.project import FIX

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SLOW = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 8
- finish: true
"""
CHECKPOINTS = "refs/jam/checkpoints/"


def ask(one: World) -> int:
    number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
    one.ben.label(REPO, number, "jam")
    return number


def test_what_came_while_jam_was_down_is_brought_again_after_the_start(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, FIX)) as one:
        one.stop()
        number = ask(one)
        one.hub.wait()
        missed = [each for each in one.hub.deliveries(one.app) if each.action == "labeled"]
        one.start()
        one.said_in(number, "**Verified.**")
        tried = [each for each in one.hub.deliveries(one.app) if each.guid == missed[0].guid]
        comments = [comment.by for comment in one.thread(number).comments]
        pulls = one.pulls()

    assert [200 <= each.status_code < 300 for each in missed] == [False]
    assert sorted(each.redelivery for each in tried) == [False, True]
    assert f"asked GitHub to bring {missed[0].guid} again" in one.log
    assert comments == ["jam[bot]"]
    assert pulls == (2,)


def test_ended_in_the_middle_it_leaves_soon_and_goes_on_where_it_was(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, SLOW)) as one:
        number = ask(one)
        one.until(lambda: "turn 2" in one.log)
        began = time.monotonic()
        code = one.stop()
        took = time.monotonic() - began
        sent = list(one.hub.refs(REPO, CHECKPOINTS))
        before = one.said(number)
        one.start()
        said = one.said_in(number, "**Verified.**")
        turns = one.log.count("turn 1:")

    assert code == 0
    assert took < 25
    assert [ref.rpartition("/")[2] for ref in sent] == ["1"]
    assert "jam is working on this" in before
    assert turns == 1  # what was done was not done again
    assert said.count("jam:status") == 1


def test_checkpoints_stay_for_thirty_days_and_no_longer(tmp_path: Path) -> None:
    with world(tmp_path, options=agent(tmp_path, FIX)) as one:
        for _ in range(2):
            one.said_in(ask(one), "**Verified.**")
        one.until(lambda: len(one.hub.refs(REPO, CHECKPOINTS)) == 2)
        one.stop()
        sessions = _age(one.home / "state", first=timedelta(days=31), second=timedelta(days=29))
        one.start()
        one.until(lambda: len(one.hub.refs(REPO, CHECKPOINTS)) == 1)
        left = list(one.hub.refs(REPO, CHECKPOINTS))
        branches = list(one.hub.refs(REPO, "refs/heads/jam/"))

    assert left == [f"{CHECKPOINTS}{sessions[1]}/1"]
    assert len(branches) == 2
    assert "was kept for 30 days, and is gone" in one.log


def _age(state: Path, *, first: timedelta, second: timedelta) -> list[str]:
    """As if the sessions had ended so long ago."""
    [path] = [one for one in state.glob("*.sqlite*") if _has_sessions(one)]
    with sqlite3.connect(path) as base:
        found = [row[0] for row in base.execute("SELECT session FROM sessions ORDER BY place")]
        for name, ago in zip(found, (first, second), strict=True):
            at = (datetime.now(UTC) - ago).isoformat()
            base.execute("UPDATE sessions SET ended_at = ? WHERE session = ?", (at, name))
    base.close()
    return found


def _has_sessions(path: Path) -> bool:
    if path.name.endswith(("-wal", "-shm")):
        return False
    with sqlite3.connect(path) as base:
        found = base.execute("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").fetchall()
    base.close()
    return bool(found)
