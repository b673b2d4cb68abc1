"""
Ledgers of a job: those that it writes, and those that were brought from the repository.

What was brought is there to be read, and to be gone on with; nothing else of such a session is on
this machine, and no last word of it is taken over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.adapters.store import Store
from bot.core import ledger
from bot.core.entries import Adjudicated, Ended, Published

LAST_WORDS = (Adjudicated, Published, Ended)
"""Whoever forges a ledger need not write them in order, or all of them."""


class WorkflowStore(Store):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._brought: dict[str, str] = {}  # session -> the last seal that came

    def restore(self, session_id: str, lines: Sequence[str], *, is_over: bool) -> None:
        """``LedgerBroken`` where they do not follow from each other. Of a session that goes on,
        what jam said at its end was said elsewhere: it is not brought, and said anew."""
        entries = ledger.read(lines)
        if not is_over:
            ends = (place for place, one in enumerate(entries) if isinstance(one.fact, LAST_WORDS))
            lines = lines[: next(ends, len(lines))]
        after = ledger.ORIGIN
        self.create(session_id)
        for place, sealed in enumerate(entries[: len(lines)]):
            self.append(session_id, lines[place], place=place, after=after)
            after = sealed.seal
        self._brought[session_id] = after

    def is_here(self, session_id: str, *, seal: str) -> bool:
        return self._brought.get(session_id) != seal

    def is_as_brought(self, session_id: str) -> bool:
        """Whether nothing of its ledger was written here."""
        if session_id not in self._brought:
            return False
        return not self.is_here(
            session_id, seal=ledger.last_seal(ledger.read(self.read(session_id)))
        )
