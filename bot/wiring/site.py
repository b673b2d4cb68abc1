"""
Where a session happens on this machine: its repository, its state, its sandbox, its folders.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

from bot.adapters import folders
from bot.adapters.repository import Repository
from bot.adapters.store import Store
from bot.adapters.workcopy import Place
from bot.app.discreet import DiscreetEvidence, DiscreetHands
from bot.app.engine import Beginning
from bot.ports import Evidence, Jail, Purse, Say
from bot.wiring.secrecy import redactor
from bot.wiring.settings import Settings

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # rooms are folders of our own in it


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a session happens: the same for every step of it."""

    repository: Repository
    store: Store
    jail: Jail
    settings: Settings
    say: Say
    stop: Event
    at: Path | None = None  # where checkouts are seen; None: where the user's own is
    purse: Purse | None = None  # None: what the session may spend is shared with nobody
    answers_stop: bool = False  # also before the base was judged: then what runs is let go on

    @property
    def evidence(self) -> Evidence:
        return discreet(self.store)

    @property
    def ends_setting_out(self) -> Event:
        """Ends what runs before there is anything to judge. Never, where every stop is answered
        with an outcome."""
        return Event() if self.answers_stop else self.stop

    @property
    def seen_at(self) -> Path:
        return self.at or self.repository.top


def discreet(evidence: Evidence) -> Evidence:
    return DiscreetEvidence(evidence, redactor())


def discreet_hands(hands: Beginning) -> Beginning:
    return DiscreetHands(hands, redactor())


def place_of(store: Store, session_id: str) -> Place:
    folder = store.folder(session_id)
    return Place(
        state=folder / "work",
        tree=folder / "tree",
        rooms=(_in_memory(store, session_id), folder / "rooms"),
    )


def _in_memory(store: Store, session_id: str) -> Path:
    """Of this state folder: another worker on this machine may have had the session before."""
    mine = hashlib.sha256(os.fsencode(store.root.absolute())).hexdigest()[:8]
    return SHARED_MEMORY / f"jam-{session_id}-{mine}"


def leave(store: Store, session_id: str) -> None:
    """What an ended session needs no more; its ledger and its evidence stay."""
    folder = store.folder(session_id)
    folders.remove(_in_memory(store, session_id))
    for part in ("env", "rooms", "tree", "work"):  # by the last two it is known that some is left
        folders.remove(folder / part)
    store.left(session_id)
