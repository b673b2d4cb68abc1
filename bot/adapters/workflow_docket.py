"""
The docket of one job: rows that were kept in the repository, and the queue that this job works off.

Who wants a session of another job to stop says so where both can see it; what that place is, is
handed in. Nothing outlives the job but what somebody keeps.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from bot.adapters import docket_rows as rows
from bot.adapters.database import Database, spell
from bot.adapters.docket import Docket
from bot.core.docket import Listed
from bot.core.facts import State

LOOK_EVERY_S = 20.0
RESTORE = """
INSERT INTO sessions
  (session, kind, repository, repository_name, default_branch, is_private, installation, thread,
   is_pull, asked, asked_by, counts_as, title, opened_at, state, run, why, end_, ended_at, cents,
   judged_sha, head_sha, pull, branch, stop_by, approved_by)
VALUES
  (:session, :kind, :repository, :repository_name, :default_branch, :is_private, :installation,
   :thread, :is_pull, :asked, :asked_by, :counts_as, :title, :opened_at, :state, :run, :why, :end_,
   :ended_at, :cents, :judged_sha, :head_sha, :pull, :branch, :stop_by, :approved_by)
ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Where jobs leave word for one another."""

    leave: Callable[[str, str], None]  # session, and who wants it to stop
    look: Callable[[str], str]  # who wants the session to stop; '' for nobody
    clock: Callable[[], float]


class WorkflowDocket(Docket):
    """``running_here``: the sessions of this job. One of another job hears by ``post``."""

    def __init__(self, database: Database, post: Post) -> None:
        super().__init__(database)
        self._post = post
        self._looked = float("-inf")
        self._lock = threading.Lock()
        self.running_here: set[str] = set()

    def restore(self, listed: Listed) -> None:
        self.database.write(RESTORE, **_whole_row(listed))

    def due_at(self, session: str) -> datetime | None:
        """When its rest is over; None where nobody said."""
        found = self.database.read(
            "SELECT due_at FROM sessions WHERE session = :session", session=session
        )
        due = found[0]["due_at"] if found else None
        return datetime.fromisoformat(due) if due else None

    def begin(self, session: str, *, run: int) -> bool:
        self.running_here.add(session)
        return super().begin(session, run=run)

    def beat(self, session: str, *, run: int) -> str | None:
        stop = super().beat(session, run=run)
        if stop == "" and self._is_time():
            return self._post.look(session)
        return stop

    def ask_stop(self, session: str, *, by: str) -> State:
        stood = super().ask_stop(session, by=by)
        if stood is State.RUNNING and session not in self.running_here:
            self._post.leave(session, by)
        return stood

    def _is_time(self) -> bool:
        with self._lock:
            now = self._post.clock()
            if now - self._looked < LOOK_EVERY_S:
                return False
            self._looked = now
            return True


def _whole_row(one: Listed) -> dict[str, object]:
    """As it stood elsewhere, state and all."""
    return {
        **rows.row(one),
        "state": one.state.value,
        "run": one.run,
        "why": one.why,
        "end_": one.end,
        "ended_at": spell(one.ended_at) if one.ended_at else None,
        "cents": one.cents,
        "pull": one.pull,
        "branch": one.branch,
        "stop_by": one.stop_by,
    }


@dataclass(slots=True)
class OneByOne:
    """The ``Line`` port: what this job has to do, in order."""

    waiting: deque[tuple[str, int]] = field(default_factory=deque)

    def put(self, session: str, *, run: int, repository: int) -> None:  # noqa: ARG002  one only
        if (session, run) not in self.waiting:
            self.waiting.append((session, run))

    def next(self) -> tuple[str, int] | None:
        return self.waiting.popleft() if self.waiting else None
