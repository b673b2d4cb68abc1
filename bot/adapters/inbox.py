"""
jam's own inbox: deliveries, on the disk before they are answered.

Many that come at once share one commit. Each is known by two keys, the delivery's id and a digest
of its event and body, so that whoever sends it again, under whatever name, starts nothing again.
What a delivery says and what becomes of it is for others to decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Column, Index, Integer, LargeBinary, MetaData, String, Table

from bot.adapters.database import Database, spell
from bot.core.delivery import Delivery
from bot.core.mail import Kept, Mail, MailCounts, Seen, Waiting
from bot.errors import TransientError

TABLES = MetaData()
Table(
    "deliveries",
    TABLES,
    Column("place", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("content_key", String, nullable=False, unique=True),
    Column("event", String, nullable=False),
    Column("body", LargeBinary, nullable=True),  # gone once it was settled long ago
    Column("received_at", String, nullable=False),
    Column("state", String, nullable=False),  # waiting | settled
    Column("due_at", String, nullable=False),
    Column("tries", Integer, nullable=False, default=0),
    Column("outcome", String, nullable=False, default=""),
    Column("why", String, nullable=False, default=""),
    Column("session", String, nullable=False, default=""),
    Index("deliveries_due", "state", "due_at"),
)
INSERT = """
INSERT INTO deliveries
  (id, content_key, event, body, received_at, state, due_at, tries, outcome, why, session)
VALUES
  (:id, :content_key, :event, :body, :at, :state, :at, 0, :outcome, :why, '')
ON CONFLICT DO NOTHING
"""
CLAIM = """
UPDATE deliveries SET due_at = :later WHERE place IN (
  SELECT place FROM deliveries WHERE state = 'waiting' AND due_at <= :now
  ORDER BY place LIMIT :limit FOR UPDATE SKIP LOCKED)
RETURNING place, id, event, body, tries, received_at
"""
CLAIMED = timedelta(seconds=120)
"""Whoever claimed a delivery and did not settle it by then is gone."""
CLAIMED_AT_ONCE = 5


class InboxClosed(TransientError):
    """jam is ending; whoever sent this will send it again."""


class Inbox:
    """The ``Mailbox`` port."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.make(TABLES)
        self._closed = False

    def keep(self, mails: Sequence[Mail]) -> tuple[Kept, ...]:
        """Together, in one commit: when this returns they are on the disk, or were known."""
        if self._closed:
            raise InboxClosed()
        rows = [_row(mail) for mail in mails]
        with self.database.connection() as connection:
            if self.database.many(connection, INSERT, rows) == len(rows):
                return (Kept.NEW,) * len(rows)
            connection.rollback()
        # Seldom: some are known, by one of their two names.
        kept = self.database.write_all([(f"{INSERT} RETURNING place", row) for row in rows])
        return tuple(Kept.NEW if row else Kept.KNOWN for row in kept)

    def close(self) -> None:
        self._closed = True

    # what becomes of them

    def waiting(self, *, now: datetime, limit: int = 50) -> tuple[Waiting, ...]:
        """Those that are due, in the order in which they came. Where others look as well, those
        that are told here are told nobody else for a while."""
        if self.database.is_shared:
            rows = self.database.write(
                CLAIM, now=spell(now), later=spell(now + CLAIMED), limit=min(limit, CLAIMED_AT_ONCE)
            )
            rows.sort(key=lambda row: int(row["place"]))
        else:
            rows = self.database.read(
                "SELECT id, event, body, tries, received_at FROM deliveries "
                "WHERE state = 'waiting' AND due_at <= :now ORDER BY place LIMIT :limit",
                now=spell(now),
                limit=limit,
            )
        return tuple(_waiting(row) for row in rows)

    def settle(self, id_: str, *, outcome: str, why: str, session: str = "") -> None:
        self.database.write(
            "UPDATE deliveries SET state = 'settled', outcome = :outcome, why = :why, "
            "session = :session WHERE id = :id",
            id=id_,
            outcome=outcome,
            why=why,
            session=session,
        )

    def later(self, id_: str, *, at: datetime, why: str) -> None:
        self.database.write(
            "UPDATE deliveries SET due_at = :at, tries = tries + 1, why = :why WHERE id = :id",
            id=id_,
            at=spell(at),
            why=why,
        )

    def counts(self) -> MailCounts:
        rows = self.database.read(
            "SELECT state, outcome, COUNT(*) AS many FROM deliveries GROUP BY state, outcome"
        )
        oldest = self.database.read(
            "SELECT MIN(received_at) AS oldest FROM deliveries WHERE state = 'waiting'"
        )[0]["oldest"]
        return MailCounts(
            waiting=sum(row["many"] for row in rows if row["state"] == "waiting"),
            settled={row["outcome"]: row["many"] for row in rows if row["state"] == "settled"},
            oldest=datetime.fromisoformat(oldest) if oldest else None,
        )

    def latest(self, *, limit: int) -> tuple[Seen, ...]:
        """The newest first."""
        rows = self.database.read(
            "SELECT id, event, received_at, state, tries, outcome, why, session "
            "FROM deliveries ORDER BY place DESC LIMIT :limit",
            limit=limit,
        )
        return tuple(_seen(row) for row in rows)

    def knows(self, id_: str) -> bool:
        return bool(self.database.read("SELECT 1 AS one FROM deliveries WHERE id = :id", id=id_))

    def forget_bodies(self, *, before: datetime) -> int:
        """The keys stay, so that nothing starts twice; the bodies are nobody's business."""
        gone = self.database.write(
            "UPDATE deliveries SET body = NULL WHERE state = 'settled' AND body IS NOT NULL "
            "AND received_at < :before RETURNING place",
            before=spell(before),
        )
        return len(gone)


def _row(mail: Mail) -> dict[str, object]:
    delivery: Delivery = mail.delivery
    ignored = bool(mail.unwanted)
    return {
        "id": delivery.id,
        "content_key": delivery.content_key,
        "event": delivery.event,
        "body": None if ignored else delivery.body,
        "at": spell(mail.at),
        "state": "settled" if ignored else "waiting",
        "outcome": "ignored" if ignored else "",
        "why": mail.unwanted,
    }


def _waiting(row: Mapping[str, Any]) -> Waiting:
    return Waiting(
        id=row["id"],
        event=row["event"],
        body=bytes(row["body"]),
        tries=row["tries"],
        at=datetime.fromisoformat(row["received_at"]),
    )


def _seen(row: Mapping[str, Any]) -> Seen:
    return Seen(
        id=row["id"],
        event=row["event"],
        at=datetime.fromisoformat(row["received_at"]),
        is_waiting=row["state"] == "waiting",
        tries=row["tries"],
        outcome=row["outcome"],
        why=row["why"],
        session=row["session"],
    )
