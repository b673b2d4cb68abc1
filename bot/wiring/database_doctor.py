"""
``jam doctor --app``, of the database: whether it opens, whether this jam understands what it holds,
whether its clock is ours, and which processes use it. Changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from bot.adapters import database, schema, workers
from bot.adapters.database import Database
from bot.errors import RequestError, TransientError
from bot.wiring.finding import Finding

OLDEST_POSTGRES = 13
SKEW_S = 5.0
SILENT_S = 15.0


def look(url: str) -> Iterator[Finding]:
    try:
        base = Database(database.open_engine(url))
    except (RequestError, TransientError) as closed:
        remedy = "is the server running, and is the address in JAM_DATABASE_URL right?"
        yield Finding(what="database", good=False, told=str(closed), remedy=remedy)
        return
    try:
        yield _opens(base)
        yield from _schema(base)
        if base.is_shared:
            yield _clock(base)
            yield from _workers(base)
    except (RequestError, TransientError) as failed:
        yield Finding(what="database", good=False, told=str(failed))
    finally:
        base.close()


def _opens(base: Database) -> Finding:
    if not base.is_shared:
        return Finding(
            what="database", good=True, told="SQLite in the state folder, for one process"
        )
    number = int(base.read("SELECT current_setting('server_version_num') AS v")[0]["v"])
    told = f"PostgreSQL {number // 10_000}.{number % 10_000}"
    if number // 10_000 >= OLDEST_POSTGRES:
        return Finding(what="database", good=True, told=told)
    remedy = f"upgrade it: {OLDEST_POSTGRES} is the oldest that jam is tried with"
    return Finding(what="database", good=False, told=told, remedy=remedy)


def _schema(base: Database) -> Iterator[Finding]:
    found = schema.look(base)
    if found > schema.VERSION:
        yield Finding(
            what="schema",
            good=False,
            told=f"version {found}, made by a newer jam; this one knows {schema.VERSION}",
            remedy="upgrade this jam, or give it a database of its own",
        )
    elif found == 0:
        yield Finding(what="schema", good=True, told="nothing is there yet; `jam serve` makes it")
    elif found < schema.VERSION:
        told = f"version {found}; the next start brings it to {schema.VERSION}"
        yield Finding(what="schema", good=None, told=told, remedy="make a backup first")
    else:
        yield Finding(what="schema", good=True, told=f"version {found}")


def _clock(base: Database) -> Finding:
    """Leases go by the database's; a machine whose own is far off is in trouble elsewhere."""
    before = datetime.now(UTC)
    there = base.now()
    after = datetime.now(UTC)
    skew = max((before - there).total_seconds(), (there - after).total_seconds(), 0.0)
    told = f"{skew:.1f} s from the database's"
    fine = skew <= SKEW_S
    return Finding(what="clock", good=fine, told=told, remedy="" if fine else "set it, by NTP say")


def _workers(base: Database) -> Iterator[Finding]:
    all_of_them = workers.heard(base)
    alive = [one for one in all_of_them if one.silent_s < SILENT_S]
    for name, many in Counter(one.name for one in alive).items():
        if many > 1:
            yield Finding(
                what="workers",
                good=False,
                told=f"{many} processes call themselves {name}",
                remedy="a state folder was copied: remove `executors` in the copy, start anew",
            )
    for one in sorted(all_of_them, key=lambda each: each.name):
        if one.silent_s >= SILENT_S:
            told = f"{one.name} ({one.role}) was not heard of for {one.silent_s:.0f} s"
            yield Finding(what="workers", good=None, told=told)
    told = ", ".join(f"{one.name} ({one.role}, jam {one.version})" for one in alive)
    yield Finding(what="workers", good=bool(alive) or None, told=told or "none is running")
