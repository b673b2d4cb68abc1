"""
The processes that share one database: each with a name that no other living one has, and when each
was last heard of, by the database's own clock.

The kernel keeps a name on one machine, by a lock in the state folder; PostgreSQL keeps it among
machines, by a lock that goes with its connection. The same folder gives the same name again, so
that a process which starts anew is told from one that is new.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, String, Table, text

from bot.adapters.database import Database, spell
from bot.errors import StateUnusable

TABLES = MetaData()
Table(
    "workers",
    TABLES,
    Column("name", String, primary_key=True),
    Column("start", String, primary_key=True),  # by chance, of each start
    Column("version", String, nullable=False),
    Column("role", String, nullable=False),  # serve | work
    Column("heard_at", String, nullable=False),
    Column("calls", BigInteger, nullable=False),  # of GitHub
    Column("calls_left", Integer, nullable=True),  # as GitHub said last
)
PROCESSES = 64
PATIENCE_S = 3.0
"""PostgreSQL needs a moment to see that a process was killed."""
_ODD = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    name: str
    start: str
    version: str
    role: str
    silent_s: float
    calls: int
    calls_left: int | None


@dataclass(slots=True, kw_only=True)
class Worker:
    """This process, for as long as it lives."""

    name: str
    database: Database
    role: str
    version: str
    start: str = field(default_factory=lambda: secrets.token_hex(4))
    _handle: int
    _line: Connection | None

    def beat(self, *, calls: int = 0, calls_left: int | None = None) -> None:
        self.database.write(
            "INSERT INTO workers (name, start, version, role, heard_at, calls, calls_left) "
            "VALUES (:name, :start, :version, :role, :at, :calls, :calls_left) "
            "ON CONFLICT (name, start) DO UPDATE SET heard_at = excluded.heard_at, "
            "calls = excluded.calls, calls_left = excluded.calls_left",
            name=self.name,
            start=self.start,
            version=self.version,
            role=self.role,
            at=spell(self.database.now()),
            calls=calls,
            calls_left=calls_left,
        )

    def leave(self) -> None:
        """In order: nobody need wonder where it went."""
        self.database.write("DELETE FROM workers WHERE start = :start", start=self.start)
        if self._line is not None:
            self._line.close()
        os.close(self._handle)


def join(database: Database, *, folder: Path, role: str, version: str) -> Worker:
    database.make(TABLES)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = _own_name(folder)
    for number in range(PROCESSES):
        handle = _lock(folder / f"executor-{number}")
        if handle is None:
            continue
        name = f"{own}-{number}"
        line, is_ours = _demand(database, name)
        if is_ours:
            # Whoever had the name before is gone: both locks say so.
            database.write("DELETE FROM workers WHERE name = :name", name=name)
            return Worker(
                name=name,
                database=database,
                role=role,
                version=version,
                _handle=handle,
                _line=line,
            )
        os.close(handle)
    raise StateUnusable(f"{PROCESSES} processes of jam use {folder} already")


def heard(database: Database) -> tuple[Heard, ...]:
    if not database.has_table(TABLES.sorted_tables[0].name):
        return ()
    now: datetime = database.now()
    rows = database.read("SELECT * FROM workers ORDER BY name, start")
    return tuple(
        Heard(
            name=row["name"],
            start=row["start"],
            version=row["version"],
            role=row["role"],
            silent_s=max(0.0, (now - datetime.fromisoformat(row["heard_at"])).total_seconds()),
            calls=row["calls"],
            calls_left=row["calls_left"],
        )
        for row in rows
    )


def forget(database: Database, *, before: datetime) -> None:
    """Those that were not heard of since."""
    database.write("DELETE FROM workers WHERE heard_at < :before", before=spell(before))


def _own_name(folder: Path) -> str:
    """Of this folder: two folders of one machine, or machines of one name, are told apart."""
    path = folder / "name"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        host = _ODD.sub("-", socket.gethostname())[:40]
        with os.fdopen(handle, "w") as file:
            file.write(f"{host}-{secrets.token_hex(3)}")
    known = _waited_for(lambda: path.read_text().strip())
    if not known:
        raise StateUnusable(f"{path} is empty: remove it")
    return known


def _waited_for(look: Callable[[], str]) -> str:
    """Another process may be at it just now."""
    end = time.monotonic() + 1.0
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def _lock(path: Path) -> int | None:
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _demand(database: Database, name: str) -> tuple[Connection | None, bool]:
    """Among all machines. The lock lives as long as its connection, which nobody else uses."""
    if not database.is_shared:
        return None, True
    line = database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    line.execute(text("SET tcp_keepalives_idle = 10"))
    line.execute(text("SET tcp_keepalives_interval = 5"))
    line.execute(text("SET tcp_keepalives_count = 3"))
    end = time.monotonic() + PATIENCE_S
    ask = text("SELECT pg_try_advisory_lock(hashtextextended(:name, 0))")
    while not line.execute(ask, {"name": f"jam worker {name}"}).scalar():
        if time.monotonic() > end:
            line.close()
            return None, False
        time.sleep(0.1)
    return line, True
