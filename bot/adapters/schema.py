"""
The version of what the database holds, so that no jam works on what it does not understand.

A database that is older is brought up to date, all of it or nothing; one that is newer is refused.
What the tables mean is known to those who own them.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, Integer, MetaData, Table, inspect, text

from bot.adapters.database import MAKING, Database
from bot.errors import StateUnusable

OWN = MetaData()
Table("schema_version", OWN, Column("version", Integer, primary_key=True))

Added = tuple[str, str, str]
"""Table, column, and what it holds."""
CHANGES: dict[int, tuple[Added, ...]] = {
    2: (
        ("sessions", "worker", "VARCHAR NOT NULL DEFAULT ''"),
        ("sessions", "turns", "INTEGER NOT NULL DEFAULT 0"),
        ("sessions", "tokens", "BIGINT NOT NULL DEFAULT 0"),
        ("sessions", "judged_s", "FLOAT NOT NULL DEFAULT 0"),
    ),
}
"""What leads to a version from the one before it. A table that is new needs no line."""
VERSION = max(CHANGES)


class SchemaNewer(StateUnusable):
    """The database was made by a newer jam."""


def bring(database: Database) -> int:
    """The database is as this jam knows it, or ``SchemaNewer``; the version that it had. Nothing
    was there: 0."""
    with database.alone(MAKING) as connection:
        OWN.create_all(connection)
        found = _version(connection)
        if found > VERSION:
            raise SchemaNewer(
                f"the database was made by a newer jam (schema {found}, and this one knows "
                f"{VERSION}): upgrade this jam, or give it a database of its own"
            )
        for version in range(found + 1, VERSION + 1) if found else ():
            for change in CHANGES[version]:
                _add(connection, *change)
        if found != VERSION:
            connection.execute(text("DELETE FROM schema_version"))
            connection.execute(text("INSERT INTO schema_version VALUES (:v)"), {"v": VERSION})
        return found


def look(database: Database) -> int:
    """The version that is there, changing nothing; 0 where nothing is."""
    with database.connection() as connection:
        return _version(connection)


def _version(connection: Connection) -> int:
    """Before there were versions, there was a table of sessions."""
    here = inspect(connection)
    if here.has_table("schema_version"):
        told = connection.execute(text("SELECT MAX(version) FROM schema_version")).scalar()
        if told is not None:
            return int(told)
    return 1 if here.has_table("sessions") else 0


def _add(connection: Connection, table: str, column: str, kind: str) -> None:
    known = {one["name"] for one in inspect(connection).get_columns(table)}
    if column not in known:
        connection.execute(text(f"ALTER TABLE {table} ADD COLUMN {column} {kind}"))
