"""
The docket in the database: one row for each session that was accepted.

Every change of state names the state that it follows, and the run that it is of, so that of two
workers one is refused. A lease is kept by the database's clock, which all workers share. Why a
session changes its state is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bot.adapters import docket_rows as rows
from bot.adapters.database import Database, spell
from bot.adapters.docket_looks import DocketLooks
from bot.adapters.purse import settling
from bot.core.docket import Listed
from bot.core.facts import State
from bot.errors import Superseded

NOTABLE = frozenset(
    {"judged_sha", "head_sha", "pull", "branch", "cents", "title", "turns", "tokens", "judged_s"}
)
"""What may be noted while a session runs."""
LEASE = timedelta(seconds=90)


class Docket(DocketLooks):
    """The ``Docket`` port of ``bot.app.github``. ``worker``: the process that begins runs here."""

    def __init__(
        self,
        database: Database,
        *,
        worker: str = "",
        lease: timedelta = LEASE,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        super().__init__(database, clock)
        self.worker, self.lease = worker, lease

    def lapsed(self) -> tuple[str, ...]:
        """Those that run, and whose worker was not heard of."""
        found = self.database.read(
            "SELECT session FROM sessions WHERE state = 'running' AND lease_until < :now",
            now=spell(self.clock()),
        )
        return tuple(row["session"] for row in found)

    def add(self, listed: Listed) -> bool:
        """False: it is there already."""
        return bool(self.database.write(rows.INSERT, **rows.row(listed)))

    def answer(self, repository: int, number: int, text: str) -> None:
        self.database.write(
            "INSERT INTO answers (repository, number, text) VALUES (:repository, :number, :text) "
            "ON CONFLICT (repository, number) DO UPDATE SET text = excluded.text",
            repository=repository,
            number=number,
            text=text,
        )

    def begin(self, session: str, *, run: int) -> bool:
        """Queued is running from here on; or it runs already, and whoever ran it is gone."""
        now = self.clock()
        return bool(
            self.database.write(
                "UPDATE sessions SET state = 'running', worker = :worker, lease_until = :until, "
                "due_at = NULL WHERE session = :session AND run = :run AND (state = 'queued' "
                "OR (state = 'running' AND lease_until < :now)) RETURNING place",
                session=session,
                run=run,
                worker=self.worker,
                now=spell(now),
                until=spell(now + self.lease),
            )
        )

    def beat(self, session: str, *, run: int) -> str | None:
        """It is alive. Who wants it to stop, '' for nobody; None: it is not this run's any more."""
        found = self.database.write(
            "UPDATE sessions SET lease_until = :until "
            "WHERE session = :session AND run = :run AND state = 'running' RETURNING stop_by",
            session=session,
            run=run,
            until=spell(self.clock() + self.lease),
        )
        return found[0]["stop_by"] if found else None

    def demand(self, session: str, *, run: int) -> None:
        """``Superseded`` where the session is another run's. While it runs, a lease goes with the
        answer, so that what follows at once is still this run's to do."""
        found = self.database.write(
            "UPDATE sessions SET lease_until = "
            "CASE WHEN state = 'running' THEN :until ELSE lease_until END "
            "WHERE session = :session AND run = :run RETURNING place",
            session=session,
            run=run,
            until=spell(self.clock() + self.lease),
        )
        if not found:
            raise Superseded(f"session {session} is another worker's by now")

    def let_go(self, worker: str | None = None) -> int:
        """What this worker ran may be taken over at once. None: whoever it was; on one machine
        with one process, nobody else can be running anything."""
        return len(
            self.database.write(
                "UPDATE sessions SET lease_until = :then WHERE state = 'running' "
                "AND (worker = :worker OR :anybody) RETURNING place",
                then=spell(self.clock() - self.lease),
                worker=worker or "",
                anybody=worker is None,
            )
        )

    def note(self, session: str, *, run: int, **facts: Any) -> None:
        assert facts.keys() <= NOTABLE, facts.keys()  # noqa: S101  # names go into a statement
        given = ", ".join(f"{name} = :{name}" for name in facts)
        update = (
            f"UPDATE sessions SET {given} "  # noqa: S608  # names of ours
            "WHERE session = :session AND run = :run RETURNING place"
        )
        settled: Sequence[tuple[str, Mapping[str, Any]]] = ()
        if "cents" in facts:
            settled = settling(session, run=run, cents=facts["cents"], at=self.clock())
        whose = {"session": session, "run": run}
        noted, *_ = self.database.write_all([(update, {**whose, **facts}), *settled])
        if not noted:
            raise Superseded(f"session {session} is another worker's by now")

    def reserve(self, session: str, *, run: int, wanted: float, limit: float) -> float | None:
        return self.purse.reserve(session, run=run, wanted=wanted, limit=limit)

    def rest(
        self, session: str, *, run: int, state: State, why: str, due: datetime | None = None
    ) -> None:
        """``state``: asking or resting. ``due``: when it goes on by itself."""
        self.database.write(
            "UPDATE sessions SET state = :state, why = :why, due_at = :due, lease_until = NULL "
            "WHERE session = :session AND run = :run AND state IN ('running', 'queued')",
            session=session,
            run=run,
            state=state.value,
            why=why,
            due=spell(due) if due else None,
        )

    def queue_again(self, session: str, *, approved_by: str = "") -> int | None:
        """The number of its next run; None where it does not rest."""
        found = self.database.write(
            "UPDATE sessions SET state = 'queued', run = run + 1, stop_by = '', due_at = NULL, "
            "approved_by = :approved_by "
            "WHERE session = :session AND state IN ('resting', 'asking') RETURNING run",
            session=session,
            approved_by=approved_by,
        )
        return int(found[0]["run"]) if found else None

    def take_over(self, session: str) -> int | None:
        """The next run of a session whose worker is gone."""
        found = self.database.write(
            "UPDATE sessions SET state = 'queued', run = run + 1 WHERE session = :session "
            "AND state = 'running' AND lease_until < :now RETURNING run",
            session=session,
            now=spell(self.clock()),
        )
        return int(found[0]["run"]) if found else None

    def end(
        self, session: str, *, end: str, why: str, now: datetime, run: int | None = None
    ) -> None:
        """``run`` None: whoever runs it."""
        self.database.write(
            "UPDATE sessions SET state = 'ended', end_ = :end, why = :why, ended_at = :now, "
            "lease_until = NULL, due_at = NULL WHERE session = :session AND state <> 'ended' "
            "AND (run = :run OR :anybody)",
            session=session,
            end=end,
            why=why,
            now=spell(now),
            run=run or 0,
            anybody=run is None,
        )

    def ask_stop(self, session: str, *, by: str) -> State:
        """How it stood when it was asked."""
        found = self.database.write(
            "UPDATE sessions SET stop_by = :by WHERE session = :session AND state <> 'ended' "
            "RETURNING state",
            session=session,
            by=by,
        )
        return State(found[0]["state"]) if found else State.ENDED
