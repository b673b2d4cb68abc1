"""
Tells of a session while it runs: status comment, check run, checkpoints.

A thread beside the session, with a forge of its own. What it cannot say now it says later; only
the end has to be said, and is not its business.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event

from bot.app.github.needs import Forges, Keeping, Now, Shop
from bot.app.github.status import Status
from bot.core import check_text, ledger
from bot.core.docket import Kind, Listed
from bot.core.forge_values import Check
from bot.core.session import replay
from bot.core.status_comment import EDIT_EVERY_S
from bot.errors import LedgerBroken, RequestError, TransientError
from bot.forge_port import Forge
from bot.ports import Journal, Say

LOOK_EVERY_S = 0.5


class Watched:
    """A journal that says when something was written."""

    def __init__(self, journal: Journal, written: Callable[[], None]) -> None:
        self.journal, self.written = journal, written

    def read(self, session_id: str) -> tuple[str, ...]:
        return self.journal.read(session_id)

    def append(self, session_id: str, line: str, *, place: int, after: str) -> None:
        self.journal.append(session_id, line, place=place, after=after)
        self.written()


@dataclass(slots=True, kw_only=True, eq=False)
class Teller:
    """``stop`` is set when nothing can be told: the ledger does not hold."""

    listed: Listed
    forges: Forges
    shop: Shop
    status: Status
    now: Now
    say: Say
    stop: Event
    leaving: Event  # jam itself is ending: what is there is sent, and no more is told
    _over: Event = field(default_factory=Event)
    _thread: threading.Thread | None = None
    _keeping: Keeping | None = None

    def __enter__(self) -> Teller:
        context = contextvars.copy_context()  # what it says is of this session, too
        self._thread = threading.Thread(
            target=context.run,
            args=(self._run,),
            name=f"telling-{self.listed.session}",
            daemon=True,
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def _run(self) -> None:
        forge = self.forges.held(self.listed)
        told, seen = None, -1
        while not self._over.wait(LOOK_EVERY_S):
            if self.leaving.is_set():
                self._send(forge)
                return
            now = self.now()
            length = len(self.shop.journal.read(self.listed.session))
            if length == seen or (told is not None and _after(told, now) < EDIT_EVERY_S):
                continue
            seen, told = length, now
            self._tell(forge)

    def _tell(self, forge: Forge) -> None:
        try:
            tell(self.listed, forge, self.shop, self.status)
            self._keeper(forge).keep()
        except LedgerBroken:
            self.stop.set()  # whoever conducts it meets the same
        except (TransientError, RequestError) as refused:
            self.say(f"could not be told just now: {refused}")

    def _send(self, forge: Forge) -> None:
        try:
            self._keeper(forge).keep()
        except (TransientError, RequestError, LedgerBroken) as refused:
            self.say(f"not everything could be sent: {refused}")

    def wait(self, seconds: float) -> None:
        """Until it has sent what there is."""
        if self._thread:
            self._thread.join(seconds)

    def _keeper(self, forge: Forge) -> Keeping:
        if self._keeping is None:
            self._keeping = self.shop.keeper(self.listed.session, forge)
        return self._keeping


def tell(listed: Listed, forge: Forge, shop: Shop, status: Status) -> None:
    """The check run and the comment, as the ledger stands."""
    entries = ledger.read(shop.journal.read(listed.session))
    name = check_text.VERIFY if listed.kind is Kind.VERIFY else check_text.JAM
    text = check_text.render(entries, name=name)
    session = replay(entries)
    # Until the base was judged there may be a refusal, and where nothing ran there is no check run.
    if text is not None and listed.head_sha and session.baseline and not session.ended:
        forge.show(Check(sha=listed.head_sha, text=text))
    status.show(forge, listed.where, listed.thread)


def _after(then: datetime, now: datetime) -> float:
    """A clock that went back holds nothing up."""
    return abs((now - then).total_seconds())
