"""
The docket in the database: one row for each session that was accepted.

Every change of state names the state that it follows, so that of two workers one is refused. Why a
session changes its state is not known here.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from bot.adapters import docket_rows as rows
from bot.adapters.database import spell
from bot.adapters.docket_looks import DocketLooks
from bot.core.docket import Listed
from bot.core.facts import State

NOTABLE = frozenset({"judged_sha", "head_sha", "pull", "branch", "cents", "title"})
"""What may be noted while a session runs."""
LEASE = timedelta(seconds=90)


class Docket(DocketLooks):
    """The ``Docket`` port of ``bot.app.github``."""

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

    def begin(self, session: str, *, run: int, now: datetime) -> bool:
        """Queued is running from here on; or it runs already, and whoever ran it is gone."""
        return bool(
            self.database.write(
                "UPDATE sessions SET state = 'running', lease_until = :until, due_at = NULL "
                "WHERE session = :session AND run = :run AND (state = 'queued' "
                "OR (state = 'running' AND lease_until < :now)) RETURNING place",
                session=session,
                run=run,
                now=spell(now),
                until=spell(now + LEASE),
            )
        )

    def beat(self, session: str, *, run: int, now: datetime) -> str | None:
        """It is alive. Who wants it to stop, '' for nobody; None: it is not this run's any more."""
        found = self.database.write(
            "UPDATE sessions SET lease_until = :until "
            "WHERE session = :session AND run = :run AND state = 'running' RETURNING stop_by",
            session=session,
            run=run,
            until=spell(now + LEASE),
        )
        return found[0]["stop_by"] if found else None

    def let_go(self, *, now: datetime) -> None:
        """On one machine with one process, nobody else can be running anything."""
        self.database.write(
            "UPDATE sessions SET lease_until = :then WHERE state = 'running'",
            then=spell(now - LEASE),
        )

    def note(self, session: str, **facts: Any) -> None:
        assert facts.keys() <= NOTABLE, facts.keys()  # noqa: S101  # names go into a statement
        given = ", ".join(f"{name} = :{name}" for name in facts)
        self.database.write(
            f"UPDATE sessions SET {given} WHERE session = :session",  # noqa: S608  # names of ours
            session=session,
            **facts,
        )

    def rest(self, session: str, *, state: State, why: str, due: datetime | None = None) -> None:
        """``state``: asking or resting. ``due``: when it goes on by itself."""
        self.database.write(
            "UPDATE sessions SET state = :state, why = :why, due_at = :due, lease_until = NULL "
            "WHERE session = :session AND state IN ('running', 'queued')",
            session=session,
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

    def take_over(self, session: str, *, now: datetime) -> int | None:
        """The next run of a session whose worker is gone."""
        found = self.database.write(
            "UPDATE sessions SET state = 'queued', run = run + 1 WHERE session = :session "
            "AND state = 'running' AND lease_until < :now RETURNING run",
            session=session,
            now=spell(now),
        )
        return int(found[0]["run"]) if found else None

    def end(self, session: str, *, end: str, why: str, now: datetime) -> None:
        self.database.write(
            "UPDATE sessions SET state = 'ended', end_ = :end, why = :why, ended_at = :now, "
            "lease_until = NULL, due_at = NULL WHERE session = :session AND state <> 'ended'",
            session=session,
            end=end,
            why=why,
            now=spell(now),
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
