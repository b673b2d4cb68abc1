"""
What sessions spent, for each day, and what they have reserved for calls that are under way: counted
in one place, by the database's clock, for all workers.

What may be reserved is decided in ``bot.core.allowance``. A reservation ends when its session says
what it has spent in all, or reserves anew; so a worker that was lost holds nothing for longer than
its session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Index, MetaData, String, Table

from bot.adapters.database import Database
from bot.core.allowance import granted

TABLES = MetaData()
Table(
    "spendings",
    TABLES,
    Column("session", String, primary_key=True),
    Column("day", String, primary_key=True),
    Column("repository", BigInteger, nullable=False),
    Column("cents", Float, nullable=False),
    Index("spendings_by_day", "repository", "day"),
)
Table(
    "reservations",
    TABLES,
    Column("session", String, primary_key=True),
    Column("repository", BigInteger, nullable=False),
    Column("cents", Float, nullable=False),
    Index("reservations_by_repository", "repository"),
)
WHERE = "SELECT repository FROM sessions WHERE session = :session"
SPENT = """
SELECT (SELECT COALESCE(SUM(cents), 0) FROM spendings
        WHERE repository = :repository AND day >= :day)
     + (SELECT COALESCE(SUM(cents), 0) FROM sessions s
        WHERE repository = :repository AND SUBSTR(opened_at, 1, 10) >= :day
        AND NOT EXISTS (SELECT 1 FROM spendings p WHERE p.session = s.session)) AS cents
"""
"""Sessions of before anybody counted by day, or that were brought here, count where they began."""
SETTLE = """
INSERT INTO spendings (session, day, repository, cents)
SELECT session, CAST(:day AS VARCHAR), repository,
       CAST(:cents AS FLOAT) - (SELECT COALESCE(SUM(cents), 0) FROM spendings
       WHERE session = :session AND day < CAST(:day AS VARCHAR))
FROM sessions WHERE session = :session AND run = :run
ON CONFLICT (session, day) DO UPDATE SET cents = excluded.cents
"""
RELEASE = """
DELETE FROM reservations WHERE session = :session AND EXISTS
  (SELECT 1 FROM sessions WHERE session = :session AND run = :run)
"""
RESERVE = """
INSERT INTO reservations (session, repository, cents)
SELECT session, repository, CAST(:cents AS FLOAT) FROM sessions
WHERE session = :session AND run = :run AND state = 'running'
ON CONFLICT (session) DO UPDATE SET cents = excluded.cents
RETURNING session
"""


def settling(
    session: str, *, run: int, cents: float, at: datetime
) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """The statements of a session that has spent this much in all."""
    whose = {"session": session, "run": run}
    return (
        (SETTLE, {**whose, "cents": cents, "day": day_of(at)}),
        (RELEASE, whose),
    )


class Purse:
    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database, self._clock = database, clock
        database.make(TABLES)

    def spent(self, repository: int, *, since: datetime) -> float:
        found = self._database.read(SPENT, repository=repository, day=day_of(since))
        return float(found[0]["cents"])

    def reserve(self, session: str, *, run: int, wanted: float, limit: float) -> float | None:
        """Cents for one call; None: others have reserved what is left, so far, or the session is
        another run's by now, which reserves for itself."""
        day = day_of(self._clock())
        where = self._database.read(WHERE, session=session)
        repository = where[0]["repository"] if where else 0
        with self._database.alone(repository) as connection:
            write = self._database.within(connection)
            others = write(
                "SELECT COALESCE(SUM(r.cents), 0) AS cents FROM reservations r "
                "JOIN sessions s ON s.session = r.session AND s.state <> 'ended' "
                "WHERE r.repository = :repository AND r.session <> :session",
                repository=repository,
                session=session,
            )
            spent = float(write(SPENT, repository=repository, day=day)[0]["cents"])
            cents = granted(wanted, limit=limit, spent=spent, reserved=float(others[0]["cents"]))
            if cents is None or not write(RESERVE, session=session, run=run, cents=cents):
                return None
            return cents


def day_of(at: datetime) -> str:
    return at.date().isoformat()
