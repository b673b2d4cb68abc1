"""
Ledgers and evidence in the database, where several machines work on the same sessions.

An append is one transaction: it holds on to the docket's row, so that nobody can take the session
over at the same time, and it names the entry that it follows. Whoever lost the session is refused,
however late it writes. What a session has on this machine besides stays in folders, and is only
good while nobody else has written since.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Column, Integer, LargeBinary, MetaData, String, Table, Text

from bot.adapters.database import Database
from bot.adapters.store import Store
from bot.core import ledger
from bot.errors import EvidenceMissing, LedgerBroken, NoSuchSession, StateUnusable, Superseded

TABLES = MetaData()
Table(
    "ledgers",
    TABLES,
    Column("session", String, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("seal", String, nullable=False),
    Column("line", Text, nullable=False),
)
Table(
    "evidence",
    TABLES,
    Column("sha256", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),  # by zlib
)
LARGEST = 64 << 20
HELD = "SELECT run FROM sessions WHERE session = :session AND run = :run AND state <> 'ended'"
APPEND = """
INSERT INTO ledgers (session, place, seal, line)
SELECT CAST(:session AS VARCHAR), CAST(:place AS INTEGER), CAST(:seal AS VARCHAR), :line
WHERE EXISTS (
  SELECT 1 FROM sessions WHERE session = :session AND run = :run AND state <> 'ended')
AND (CAST(:follows AS INTEGER) = 0 OR EXISTS (
  SELECT 1 FROM ledgers
  WHERE session = :session AND place = :before AND seal = CAST(:after AS VARCHAR)))
ON CONFLICT DO NOTHING
RETURNING place
"""


class SharedStore(Store):
    """Journal and evidence of all workers; folders and locks of this machine."""

    def __init__(self, root: Path, database: Database) -> None:
        super().__init__(root)
        self.database = database
        self._runs: dict[str, int] = {}
        database.make(TABLES)

    @contextmanager
    def lock(self, session_id: str, *, run: int = 0) -> Iterator[None]:
        """``run``: as which run of the session this process writes."""
        with super().lock(session_id):
            self._runs[session_id] = run
            try:
                yield
            finally:
                del self._runs[session_id]

    def discard(self, session_id: str, *, run: int = 0) -> None:
        self.database.write(
            "DELETE FROM ledgers WHERE session = :session AND EXISTS "
            "(SELECT 1 FROM sessions WHERE session = :session AND run = :run)",
            session=session_id,
            run=run,
        )
        super().discard(session_id)

    def sessions(self) -> tuple[str, ...]:
        found = self.database.read("SELECT session FROM ledgers WHERE place = 0")
        return tuple(sorted((row["session"] for row in found), reverse=True))

    def read(self, session_id: str) -> tuple[str, ...]:
        found = self.database.read(
            "SELECT line FROM ledgers WHERE session = :session ORDER BY place", session=session_id
        )
        return tuple(row["line"] for row in found)

    def append(self, session_id: str, line: str, *, place: int, after: str) -> None:
        run = self._runs.get(session_id)
        if run is None:
            raise LedgerBroken(f"{session_id} is written to by nobody who holds it")
        seal = ledger.seal_of(line)
        self._leave_word(session_id, after, seal)
        share = " FOR SHARE" if self.database.is_shared else ""
        whose = {"session": session_id, "run": run}
        written = {"place": place, "seal": seal, "line": line}
        follows = {"follows": int(place > 0 or after != ledger.ORIGIN), "before": place - 1}
        with self.database.writing() as write:
            held = write(HELD + share, **whose)
            made = held and write(APPEND, **whose, **written, **follows, after=after)
            held = held if made else write(HELD, **whose)
        if not held:
            raise Superseded(f"session {session_id} is another worker's by now")
        if not made:
            raise LedgerBroken(f"entry {place} does not follow from what the ledger holds")

    def is_here(self, session_id: str, *, seal: str) -> bool:
        try:
            return seal in self._word(session_id).read_text().split()
        except (OSError, NoSuchSession):
            return False

    def left(self, session_id: str) -> None:
        self._word(session_id).unlink(missing_ok=True)

    def _leave_word(self, session_id: str, *seals: str) -> None:
        """Before the entry: a crash between the two leaves both seals standing."""
        path = self._word(session_id)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name("here.part")
        part.write_text("\n".join(seals))
        part.replace(path)

    def _word(self, session_id: str) -> Path:
        return self.folder(session_id) / "here"

    def put(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        if len(content) > LARGEST:
            raise StateUnusable(f"evidence of {len(content) >> 20} MiB is more than can be kept")
        self.database.write(
            "INSERT INTO evidence (sha256, content) VALUES (:sha256, :content) "
            "ON CONFLICT DO NOTHING",
            sha256=digest,
            content=zlib.compress(content, 3),
        )
        return digest

    def get(self, sha256: str) -> bytes:
        found = self.database.read(
            "SELECT content FROM evidence WHERE sha256 = :sha256", sha256=sha256
        )
        if not found:
            raise EvidenceMissing(f"evidence {sha256[:12]} cannot be read: it is not there")
        try:
            content = zlib.decompress(bytes(found[0]["content"]))
        except zlib.error:
            content = b""
        if hashlib.sha256(content).hexdigest() != sha256:
            raise EvidenceMissing(f"evidence {sha256[:12]} was changed")
        return content
