"""
Whose turn it is to write to GitHub: among all workers of an installation, and only for the one who
still has the session.

The database keeps what was written and what is booked. A booking is a moment; nobody holds a lock
while they wait for theirs, so a worker that dies or stops in between holds nobody up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import BigInteger, Column, MetaData, Table, Text

from bot.adapters.database import Database
from bot.adapters.github.means import TURN_S, Means
from bot.core.write_pace import WritePace
from bot.errors import ForgeUnavailable

TABLES = MetaData()
Table(
    "paces",
    TABLES,
    Column("installation", BigInteger, primary_key=True, autoincrement=False),
    Column("past", Text, nullable=False),
)


class Turns(Protocol):
    def turn(self, *, creates: bool) -> AbstractContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class Fenced:
    """``holds`` raises where the session is somebody else's by now: asked last, when nothing is
    left to wait for."""

    pace: Turns
    holds: Callable[[], None]

    @contextmanager
    def turn(self, *, creates: bool) -> Iterator[None]:
        with self.pace.turn(creates=creates):
            self.holds()
            yield


class SharedPace:
    """One installation's, in the database, by the database's clock."""

    def __init__(self, database: Database, installation: int, means: Means) -> None:
        self._database, self._installation, self._means = database, installation, means
        database.make(TABLES)
        database.write(
            "INSERT INTO paces (installation, past) VALUES (:installation, '') "
            "ON CONFLICT DO NOTHING",
            installation=installation,
        )

    @contextmanager
    def turn(self, *, creates: bool) -> Iterator[None]:
        if wait := self._book(creates=creates):
            self._means.sleep(wait)
        yield

    def _book(self, *, creates: bool) -> float:
        """Seconds to wait."""
        lock = " FOR UPDATE" if self._database.is_shared else ""
        with self._database.writing() as write:
            found = write(
                f"SELECT past FROM paces WHERE installation = :installation{lock}",  # noqa: S608
                installation=self._installation,
            )
            now = self._database.now().timestamp()
            at, pace = _read(found[0]["past"]).book(now, creates=creates)
            if at - now > TURN_S:
                raise ForgeUnavailable("as much was written as GitHub takes", retry_after=at - now)
            write(
                "UPDATE paces SET past = :past WHERE installation = :installation",
                past=json.dumps([pace.last, *pace.created]),
                installation=self._installation,
            )
        return at - now


def _read(past: str) -> WritePace:
    last, *created = json.loads(past) if past else (None,)
    return WritePace(tuple(created), last)
