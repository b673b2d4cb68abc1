"""
The database of ``jam serve``: SQLite in a file, or PostgreSQL by its address.

Decides how a connection is opened so that what was committed survives a crash. The tables are each
user's own, the statements are what both databases understand, and what they mean is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, MetaData, TextClause, create_engine, event, inspect, text
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from bot.errors import StateUnusable, TransientError

BUSY_MS = 20_000
PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # a delivery that was answered is on the disk
    f"PRAGMA busy_timeout={BUSY_MS}",
    "PRAGMA foreign_keys=ON",
)
POOL = 20
MAKING = 0x6A616D
"""Which lock of PostgreSQL is held while tables are made or changed."""


class Writing(Protocol):
    def __call__(self, statement: str, **values: Any) -> list[Mapping[str, Any]]: ...


class DatabaseBusy(TransientError):
    """The database did not answer."""


def address(given: str, *, folder: Path) -> str:
    """``given``: as a person writes it; '' is a file in ``folder``."""
    if not given:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return f"sqlite:///{folder.absolute() / 'jam.sqlite'}"
    scheme, colon, rest = given.partition(":")
    if scheme in ("postgres", "postgresql"):
        return f"postgresql+psycopg{colon}{rest}"
    return given


def queue_address(url: str, *, folder: Path) -> str:
    """The queue's own file beside ours, so that neither waits for the other; or the same server."""
    if not url.startswith("sqlite"):
        return url
    beside = f"sqlite:///{folder.absolute() / 'queue.sqlite'}"
    open_engine(beside).dispose()  # which puts it into WAL mode, for good
    return beside


def open_engine(url: str) -> Engine:
    """``StateUnusable`` when there is no database at ``url``; its password is never told."""
    try:
        is_file = url.startswith("sqlite")
        engine = create_engine(
            url, pool_size=POOL, max_overflow=POOL, pool_pre_ping=not is_file, hide_parameters=True
        )
        if is_file:
            event.listen(engine, "connect", _harden)
        with engine.connect():
            pass
    except (ArgumentError, DBAPIError, ImportError, ValueError) as refused:
        raise StateUnusable(f"the database cannot be opened ({type(refused).__name__})") from None
    return engine


def _harden(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


class Database:
    """Rows in, rows out. Every write is one transaction, durable when the call returns."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def is_shared(self) -> bool:
        """Other machines may use it as well: it has a clock and locks of its own."""
        return self.engine.dialect.name == "postgresql"

    def now(self) -> datetime:
        """By the database's own clock, which all of its users share."""
        if not self.is_shared:
            return datetime.now(UTC)
        at: datetime = self.read("SELECT clock_timestamp() AS at")[0]["at"]
        return at.astimezone(UTC)

    def has_table(self, name: str) -> bool:
        with self.connection() as connection:
            return inspect(connection).has_table(name)

    def make(self, tables: MetaData) -> None:
        """Unless they are there. Of several who try, one does."""
        with self.alone(MAKING) as connection:
            tables.create_all(connection)

    @contextmanager
    def alone(self, key: int) -> Iterator[Connection]:
        """One transaction; whoever asks for the same key waits until it is over."""
        with self.connection() as connection:
            if self.is_shared:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})
            else:
                connection.execute(text("BEGIN IMMEDIATE"))
            yield connection

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """One transaction."""
        with self._told(), self.engine.begin() as connection:
            yield connection

    def read(self, statement: str, **values: Any) -> list[Mapping[str, Any]]:
        with self._told(), self.engine.connect() as connection:
            found = connection.execute(text(statement), values).mappings()
            return [dict(row) for row in found]

    def write(self, statement: str, **values: Any) -> list[Mapping[str, Any]]:
        """The rows that the statement returns, if it says so."""
        return self.write_all([(statement, values)])[0]

    def write_all(
        self, statements: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> list[list[Mapping[str, Any]]]:
        """All of them, or none."""
        with self.connection() as connection:
            return [_execute(connection, statement, values) for statement, values in statements]

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """Several statements, each after a look at what the last one said, in one transaction."""
        with self.connection() as connection:
            yield self.within(connection)

    def within(self, connection: Connection) -> Writing:
        return lambda statement, **values: _execute(connection, statement, values)

    def many(
        self, connection: Connection, statement: str, rows: Sequence[Mapping[str, Any]]
    ) -> int:
        """The same for each of ``rows``; how many rows were changed."""
        return connection.execute(_read(statement), rows).rowcount

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as busy:
            raise DatabaseBusy(
                f"the database did not answer ({type(busy.orig).__name__})"
            ) from busy


def spell(at: datetime) -> str:
    """Fixed width and one time zone, so that text sorts as time."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


@lru_cache(1024)
def _read(statement: str) -> TextClause:
    """Long ones take long to be looked through for names."""
    return text(statement)


def _execute(
    connection: Connection, statement: str, values: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    done = connection.execute(_read(statement), values)
    return [dict(row) for row in done.mappings()] if done.returns_rows else []
