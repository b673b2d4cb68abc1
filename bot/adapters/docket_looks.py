"""
The docket as it is looked at: what a decision needs to know, and what people and machines ask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bot.adapters import docket_rows as rows
from bot.adapters.database import Database, spell
from bot.adapters.purse import Purse
from bot.core.docket import DocketCounts, Listed
from bot.core.facts import Standing, State
from bot.core.thread import Repository


class DocketLooks:
    """Changes nothing."""

    def __init__(self, database: Database, clock: Callable[[], datetime] | None = None) -> None:
        self.database = database
        self.clock = clock or database.now
        database.make(rows.TABLES)
        self.purse = Purse(database, self.clock)

    def get(self, session: str) -> Listed | None:
        found = self.database.read(
            "SELECT * FROM sessions WHERE session = :session", session=session
        )
        return rows.listed(found[0]) if found else None

    def last(self, repository: int, number: int) -> Listed | None:
        """Of a thread, on a pull request of jam's also what made it; what works is first."""
        found = self.database.read(
            "SELECT * FROM sessions WHERE repository = :repository AND end_ <> 'refused' "
            "AND (thread = :number OR pull = :number) ORDER BY "
            "CASE WHEN kind = 'fix' AND state IN ('queued', 'running') THEN 0 ELSE 1 END, "
            "place DESC LIMIT 1",
            repository=repository,
            number=number,
        )
        return rows.listed(found[0]) if found else None

    def standing(self, repository: int, number: int, *, counted: str = "") -> Standing:
        """Of the sessions that work: a verification is not one to stop or to go on with.
        ``counted``: where there is no thread, those that count as this."""
        found = self.database.read(
            "SELECT session, state FROM sessions WHERE repository = :repository AND kind = 'fix' "
            "AND end_ <> 'refused' AND (:number = 0 OR thread = :number OR pull = :number) "
            "AND (:number > 0 OR counts_as = :counted) ORDER BY place DESC LIMIT 1",
            repository=repository,
            number=number,
            counted=counted,
        )
        judged = self.database.read(
            "SELECT judged_sha FROM sessions WHERE repository = :repository AND judged_sha <> '' "
            "AND (thread = :number OR pull = :number) ORDER BY place DESC LIMIT 1",
            repository=repository,
            number=number,
        )
        sha = judged[0]["judged_sha"] if judged else ""
        if not found:
            return Standing(judged_sha=sha)
        return Standing(state=State(found[0]["state"]), session=found[0]["session"], judged_sha=sha)

    def attempts(self, counts_as: str) -> int:
        return int(
            self.database.read(
                "SELECT COUNT(*) AS many FROM sessions "
                "WHERE counts_as = :key AND end_ <> 'refused'",
                key=counts_as,
            )[0]["many"]
        )

    def spent_cents(self, repository: int, *, since: datetime) -> int:
        """Rounded up: a limit is not missed by a fraction."""
        return math.ceil(self.purse.spent(repository, since=since))

    def branch_of(self, repository: int, number: int) -> str:
        found = self.database.read(
            "SELECT branch FROM sessions WHERE repository = :repository AND branch <> '' "
            "AND (thread = :number OR pull = :number) ORDER BY place DESC LIMIT 1",
            repository=repository,
            number=number,
        )
        return str(found[0]["branch"]) if found else ""

    def answered(self, repository: int, number: int) -> str:
        found = self.database.read(
            "SELECT text FROM answers WHERE repository = :repository AND number = :number",
            repository=repository,
            number=number,
        )
        return str(found[0]["text"]) if found else ""

    def sessions_of(self, repository: int, number: int) -> tuple[str, ...]:
        found = self.database.read(
            "SELECT session FROM sessions WHERE repository = :repository "
            "AND (thread = :number OR pull = :number) ORDER BY place",
            repository=repository,
            number=number,
        )
        return tuple(row["session"] for row in found)

    def place(self, session: str) -> int:
        """How many wait before it, and itself."""
        found = self.database.read(
            "SELECT COUNT(*) AS many FROM sessions WHERE state = 'queued' AND place <= "
            "(SELECT place FROM sessions WHERE session = :session)",
            session=session,
        )
        return max(1, int(found[0]["many"]))

    def in_state(self, *states: State, limit: int = 500) -> tuple[Listed, ...]:
        """The oldest first."""
        names = {f"s{place}": state.value for place, state in enumerate(states)}
        found = self.database.read(
            "SELECT * FROM sessions WHERE state IN "  # noqa: S608  # placeholders only
            f"({', '.join(f':{name}' for name in names)}) ORDER BY place LIMIT :limit",
            limit=limit,
            **names,
        )
        return tuple(map(rows.listed, found))

    def due(self, *, now: datetime) -> tuple[str, ...]:
        """Those whose rest is over."""
        found = self.database.read(
            "SELECT session FROM sessions WHERE state = 'resting' AND due_at <= :now",
            now=spell(now),
        )
        return tuple(row["session"] for row in found)

    def ended_in(self, *, before: datetime) -> tuple[Repository, ...]:
        """Where sessions ended before that, as they were called last."""
        found = self.database.read(
            "SELECT * FROM sessions WHERE place IN (SELECT MAX(place) FROM sessions "
            "WHERE state = 'ended' AND ended_at <= :before GROUP BY repository) ORDER BY place",
            before=spell(before),
        )
        return tuple(rows.listed(row).where for row in found)

    def open_in(
        self, *, repositories: tuple[int, ...] = (), installation: int | None = None
    ) -> tuple[Listed, ...]:
        busy = self.in_state(State.QUEUED, State.RUNNING, State.ASKING, State.RESTING, limit=10_000)
        return tuple(
            one
            for one in busy
            if one.where.id in repositories
            or (installation is not None and one.where.installation == installation)
        )

    def latest(self, *, limit: int) -> tuple[Listed, ...]:
        found = self.database.read(
            "SELECT * FROM sessions ORDER BY place DESC LIMIT :limit", limit=limit
        )
        return tuple(map(rows.listed, found))

    def spending(self, *, since: datetime) -> tuple[Mapping[str, Any], ...]:
        """For each repository and day: how many sessions, and what they cost."""
        return tuple(
            self.database.read(
                "SELECT repository_name, SUBSTR(opened_at, 1, 10) AS day, COUNT(*) AS sessions, "
                "SUM(cents) AS cents, "
                "SUM(CASE WHEN end_ = 'verified' THEN 1 ELSE 0 END) AS verified "
                "FROM sessions WHERE opened_at >= :since "
                "GROUP BY repository_name, SUBSTR(opened_at, 1, 10) ORDER BY day DESC, 1",
                since=spell(since),
            )
        )

    def counts(self) -> DocketCounts:
        found = self.database.read(
            "SELECT state, end_, COUNT(*) AS many, SUM(cents) AS cents, SUM(turns) AS turns, "
            "SUM(tokens) AS tokens, SUM(judged_s) AS judged_s, "
            "MIN(opened_at) AS oldest FROM sessions GROUP BY state, end_"
        )
        states: dict[str, int] = {}
        ends: dict[str, int] = {}
        for row in found:
            states[row["state"]] = states.get(row["state"], 0) + row["many"]
            if row["end_"]:
                ends[row["end_"]] = ends.get(row["end_"], 0) + row["many"]
        queued = [row["oldest"] for row in found if row["state"] == State.QUEUED.value]
        return DocketCounts(
            states=states,
            ends=ends,
            cents=sum(row["cents"] or 0.0 for row in found),
            oldest_queued=datetime.fromisoformat(min(queued)) if queued else None,
            turns=sum(int(row["turns"] or 0) for row in found),
            tokens=sum(int(row["tokens"] or 0) for row in found),
            judged_s=sum(float(row["judged_s"] or 0.0) for row in found),
        )
