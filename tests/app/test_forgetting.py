"""What is let go of when a thread ends, and what a session that is being stopped still needs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from bot.adapters.database import Database, address, open_engine
from bot.adapters.docket import Docket
from bot.adapters.store import Store
from bot.app.github.accept import Acceptance, Done
from bot.app.github.status import Status
from bot.core.decision import Forget, Scope
from bot.core.docket import Kind, Listed
from bot.core.event import How, ThreadEnded
from bot.core.thread import Account, Repository, Thread
from tests.ports.forges import MemoryGround

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIB = Repository(id=7, name="ada/lib", default_branch="main", installation=5)
ENDED = ThreadEnded(
    where=LIB, by=Account(11, "ben"), thread=Thread(number=12), how=How.DELETED, pull=None
)


class NoLine:
    """Nothing is queued by an end."""

    def put(self, session: str, *, run: int, repository: int) -> None:
        raise AssertionError(f"{session}.{run} was queued")


def listed(session: str) -> Listed:
    return Listed(
        session=session, kind=Kind.FIX, where=LIB, thread=12, asked="{}", asked_by="ben",
        counts_as="7#12", title="One is left", opened_at=NOW,
    )  # fmt: skip


def test_checkpoints_of_what_is_over_go_and_those_of_what_is_being_stopped_stay(
    tmp_path: Path,
) -> None:
    docket = Docket(Database(open_engine(address("", folder=tmp_path))), worker="w")
    for session in ("gh-over", "gh-runs"):
        docket.add(listed(session))
        docket.begin(session, run=1)
    docket.end("gh-over", end="failed", why="", now=NOW)
    ground = MemoryGround()
    kept = {f"refs/jam/checkpoints/{name}/1": "a" * 40 for name in ("gh-over", "gh-runs")}
    ground.hub.git.refs.update(kept)
    status = Status(docket=docket, journal=Store(tmp_path), page=str)
    acceptance = Acceptance(docket=docket, line=NoLine(), status=status, now=lambda: NOW)
    wish = Forget(scope=Scope.THREAD, ids=(12,), why="gone", where=LIB, session="gh-runs")

    done = acceptance.perform(wish, ENDED, ground.forge)
    found = docket.get("gh-runs")
    docket.database.close()

    assert done == Done(outcome="forgotten", why="gone", session="gh-runs")
    assert found is not None
    assert found.stop_by == "gone"
    assert [name for name in kept if name in ground.hub.git.refs] == [
        "refs/jam/checkpoints/gh-runs/1"
    ]
