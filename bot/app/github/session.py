"""
One run of a session on GitHub: taken from the docket, opened or taken up again, conducted, told.

What the session does is in ``bot.app.engine`` and the same for every door. Here is what a forge
adds: who may still ask, which contract, which commits, and that every end is read by somebody.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from threading import Event
from typing import TypeVar

from bot.app import engine
from bot.app.about import about
from bot.app.case import Case, recall
from bot.app.conduct import conduct, write
from bot.app.github.ending import Ending
from bot.app.github.needs import Docket, Forges, Given, Now, Shop
from bot.app.github.opening import Opener
from bot.app.github.pulse import Pulse
from bot.app.github.status import Status
from bot.app.github.telling import Teller, Watched
from bot.core import asked, ledger, moving
from bot.core.asked import Asked
from bot.core.docket import Listed
from bot.core.entries import Approved, Judged
from bot.core.facts import State
from bot.core.ledger import Sealed
from bot.core.next_step import next_step
from bot.core.session import Session, replay
from bot.core.steps import Done, Finish
from bot.errors import (
    DiskFull,
    ForgeUnavailable,
    RequestError,
    Superseded,
    TransientError,
    TrustError,
)
from bot.forge_port import Forge
from bot.ports import Say

REST_S = 60.0
RESTS = 8
"""How often a session goes on by itself after the world was in the way."""

LOOKS, LOOK_AGAIN_S = 60, 2.0
T = TypeVar("T")
Bug = Callable[[str, BaseException], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    docket: Docket
    forges: Forges
    shop: Shop
    opener: Opener
    ending: Ending
    status: Status
    now: Now
    say: Say
    bug: Bug
    ended: Event  # jam itself is ending: whatever runs is left where it is
    rests: dict[str, int] = field(default_factory=dict)
    tellers: set[Teller] = field(default_factory=set)

    def run(self, session: str, run: int) -> None:
        """Meets every error: whatever happens, the docket and the thread say so."""
        listed = self._patiently(lambda: self.docket.get(session))
        if listed is None or listed.run != run:
            return
        if listed.state is State.ENDED:
            self._show(listed)  # begun again, after its end was cut off while it was told
            return
        if self._patiently(lambda: self.docket.begin(session, run=run)):
            pulse = Pulse(docket=self.docket, listed=listed, say=self.say)
            with about(session=session, run=str(run), repository=listed.where.name), pulse:
                self._meeting_errors(listed, pulse)

    def _patiently(self, look: Callable[[], T]) -> T:
        """A run that cannot begin is lost to the queue, so the docket is waited for."""
        for _ in range(LOOKS):
            try:
                return look()
            except TransientError as busy:
                self.say(f"the docket did not answer: {busy}")
                if self.ended.wait(LOOK_AGAIN_S):
                    break
        return look()

    def _meeting_errors(self, listed: Listed, pulse: Pulse) -> None:
        try:
            self._run(listed, pulse)
        except Superseded as lost:
            self.say(f"left to others: {lost}")  # who tell of it, and of whatever it comes to
            self.ending.clear(listed)
        except RequestError as refused:
            self._meet(listed, refused, self.ending.refuse)
        except TransientError as busy:
            self._rest(listed, busy)
        except TrustError as broken:
            self._meet(listed, broken, self.ending.break_off)
        except Exception as bug:  # noqa: BLE001  # a worker that dies would take others with it
            if DiskFull.is_told_by(bug):
                self._rest(listed, DiskFull())
                return
            self.bug(listed.session, bug)
            self._meet(listed, bug, self.ending.break_off)

    def _run(self, listed: Listed, pulse: Pulse) -> None:
        told = asked.unspell(listed.asked)
        forge = self.forges.held(listed)
        self.ending.began(listed, told, forge)
        with self.shop.lock(listed.session, run=listed.run):
            entries = ledger.read(self.shop.journal.read(listed.session))
            known = replay(entries)
            if known.ended is None:
                given = self._given(listed, told, known, forge)
                given = replace(given, run=listed.run)
                if known.opened is not None:
                    self._come_along(listed, given.case, entries, forge)
                if not self._conduct(listed, given, forge, pulse):
                    return  # another run has it now, and tells of it
        self.ending.tell(listed, told, forge)

    def _given(self, listed: Listed, told: Asked, known: Session, forge: Forge) -> Given:
        if known.opened is None:
            return self.opener.open(listed, told, forge)
        case = recall(known.opened, self.shop.evidence)
        return self.opener.take_up(case, listed, told, forge)

    def _come_along(
        self, listed: Listed, case: Case, entries: tuple[Sealed, ...], forge: Forge
    ) -> None:
        """Where this machine does not have what the ledger speaks of, the session goes on from what
        was sent. What is over but for telling needs nothing of it."""
        shop, session = self.shop, listed.session
        over = isinstance(next_step(replay(entries), case.terms), Finish | Done)
        if over or shop.is_here(session, seal=ledger.last_seal(entries)):
            return
        shop.leave(session)
        wanted = {moving.ref_of(session, number) for number in moving.numbers(entries)}
        sent = forge.refs(moving.FOLDER.format(session=session))
        there = [ref.name for ref in sent if ref.name in wanted]
        shop.fetch(listed.where, forge, wanted=there)
        moved = moving.move(entries, shop.sent(listed.where, session), at=self.now())
        at = f"checkpoint {moved.checkpoint.number}" if moved.checkpoint else "the base"
        self.say(f"{session} goes on here, from {at}")
        write(shop.journal, session, entries, moved)

    def _conduct(self, listed: Listed, given: Given, forge: Forge, pulse: Pulse) -> bool:
        case = given.case
        stop = pulse.stop
        if listed.stop_by:
            stop.set()
        teller = Teller(
            listed=listed,
            forges=self.forges,
            shop=self.shop,
            status=self.status,
            now=self.now,
            say=self.say,
            stop=stop,
            leaving=self.ended,
        )
        journal = Watched(self.shop.journal, lambda: self._note(listed))
        with (
            self.shop.hands(given, forge, say=self.say, stop=stop) as hands,
            self._known(teller),
            teller,
        ):
            engine.begin(case.opened, journal, hands)
            self._agree(listed, journal)
            conduct(case.session_id, journal, hands, terms=case.terms, stop=stop, now=self.now)
        return not pulse.is_lost

    @contextmanager
    def _known(self, teller: Teller) -> Iterator[None]:
        self.tellers.add(teller)
        try:
            yield
        finally:
            self.tellers.discard(teller)

    def leave(self, *, within_s: float) -> None:
        """jam is ending: what was done so far is sent, as far as the time goes."""
        end = time.monotonic() + within_s
        for teller in tuple(self.tellers):
            teller.wait(max(0.0, end - time.monotonic()))

    def _agree(self, listed: Listed, journal: Watched) -> None:
        """What was asked when it came to rest is what ``/jam approve`` agreed to."""
        entries = ledger.read(journal.read(listed.session))
        asking = replay(entries).asked
        given = [one.fact.run for one in entries if isinstance(one.fact, Approved)]
        # A second question in the same run is another question, also after a crash.
        if listed.approved_by and asking and listed.run not in given:
            agreed = Approved(by=listed.approved_by, what=asking, run=listed.run)
            write(journal, listed.session, entries, agreed)

    def _note(self, listed: Listed) -> None:
        """What people and machines are told of, and the day's spending is counted from."""
        entries = ledger.read(self.shop.journal.read(listed.session))
        known = replay(entries)
        judged = (one.fact for one in entries if isinstance(one.fact, Judged))
        self.docket.note(
            listed.session,
            run=listed.run,
            cents=known.cents,
            turns=known.turns,
            tokens=known.tokens,
            judged_s=sum(fact.seconds for fact in judged if not fact.cached),
        )

    def _meet(
        self,
        listed: Listed,
        error: BaseException,
        say_so: Callable[[Listed, BaseException], None],
    ) -> None:
        """Should the words not get out either, the session rests and says them later."""
        try:
            say_so(listed, error)
        except Superseded as lost:
            self.say(f"left to others: {lost}")
        except TransientError as busy:
            self._rest(listed, busy)
        except RequestError as unsaid:  # a forge that lets jam say nothing
            self.say(f"how {listed.session} ended could not be told: {unsaid}")

    def _rest(self, listed: Listed, busy: TransientError) -> None:
        """It goes on by itself, later and later; after that, when somebody asks for it."""
        if self.ended.is_set():
            return
        if asking := replay(ledger.read(self.shop.journal.read(listed.session))).asked:
            self._ask(listed, asking)
            return
        count = self.rests[listed.session] = self.rests.get(listed.session, 0) + 1
        asked_for = busy.retry_after if isinstance(busy, ForgeUnavailable) else 0.0
        wait = max(REST_S * 2 ** (count - 1), asked_for)
        due = self.now() + timedelta(seconds=wait) if count <= RESTS else None
        self._patiently(
            lambda: self.docket.rest(
                listed.session, run=listed.run, state=State.RESTING, why=str(busy), due=due
            )
        )
        self._show(listed)

    def _ask(self, listed: Listed, what: tuple[str, ...]) -> None:
        """It holds no worker while somebody thinks about it."""
        self.docket.rest(listed.session, run=listed.run, state=State.ASKING, why="\n".join(what))
        self._show(listed)

    def _show(self, listed: Listed) -> None:
        try:
            self.status.show(self.forges.held(listed), listed.where, listed.thread)
        except (TransientError, RequestError) as unsaid:
            self.say(f"how {listed.session} stands could not be told: {unsaid}")
