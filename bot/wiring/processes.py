"""
A process of jam's that works on sessions, and one that receives as well: the threads that carry it,
and its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from bot.adapters.docket import Docket
from bot.adapters.github.means import Meter
from bot.adapters.inbox import Inbox
from bot.adapters.queue import SessionQueue
from bot.adapters.workers import Worker
from bot.app.github.handing_on import HandingOn
from bot.app.github.intake import Intake
from bot.app.github.minding import Minding
from bot.app.github.session import Sessions
from bot.errors import RequestError, TransientError
from bot.pages.site import Site
from bot.ports import Say
from bot.wiring.shop import LocalShop
from bot.wiring.telemetry import Telemetry
from bot.wiring.with_github import report_bug

LOOK_EVERY_S = 0.2
BEAT_EVERY_S = 2.0
TIDY_EVERY_S = 10.0
RETRY_S = 1.0
SEND_S = 8.0
"""How long an ending process takes to send what agents left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """Everything of one process that works on sessions."""

    docket: Docket
    queue: SessionQueue
    sessions: Sessions
    shop: LocalShop
    worker: Worker
    meter: Meter
    handing_on: HandingOn
    ending: Event
    say: Say

    def start(self) -> None:
        self.worker.beat()
        self.shop.tidy()
        self.handing_on.let_go()  # first: the queue begins at once with what ran here
        self.queue.start()
        for errand in (Errand("taking up", self._take_up), *self.errands()):
            threading.Thread(target=self._go, args=(errand,), name=errand.name, daemon=True).start()

    def errands(self) -> tuple[Errand, ...]:
        return (
            Errand("handing on", self._hand_on, 1.0),
            Errand("beating", self._beat, BEAT_EVERY_S),
            Errand("tidying", self._tidy, TIDY_EVERY_S),
        )

    def _take_up(self) -> int:
        self.handing_on.take_up()
        return 0

    def _hand_on(self) -> int:
        self.handing_on.round()
        return 0

    def _tidy(self) -> int:
        self.shop.tidy()
        return 0

    def _beat(self) -> int:
        self.worker.beat(calls=self.meter.calls, calls_left=self.meter.left)
        return 0

    def _go(self, errand: Errand) -> None:
        while not self.ending.is_set():
            try:
                busy = errand.work()
                if errand.every_s is None:
                    return
            except TransientError as busy_now:
                self.say(f"{errand.name} has to wait: {busy_now}")
                busy = 0
            except Exception as bug:  # noqa: BLE001  # the thread must outlive what it met
                report_bug(self.say, f"the errand {errand.name}", bug)
                busy = 0
            if not busy:
                self.ending.wait(errand.every_s or RETRY_S)

    def stop(self) -> None:
        """What was left by agents is sent, and whatever runs here is anybody's to go on with."""
        self.ending.set()
        self.sessions.leave(within_s=SEND_S)
        self.shop.tracing.end()
        self.queue.stop()
        try:
            self.docket.let_go(self.worker.name)
            self.worker.leave()
        except (TransientError, RequestError) as unsaid:
            self.say(f"could not say that it ends: {unsaid}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving(Working):
    """Everything of one process that receives as well."""

    inbox: Inbox
    intake: Intake
    minding: Minding
    site: Site
    telemetry: Telemetry

    def errands(self) -> tuple[Errand, ...]:
        return (
            Errand("intake", self.intake.round, LOOK_EVERY_S),
            Errand("minding", self.minding.round, 1.0),
            Errand("beating", self._beat, BEAT_EVERY_S),
            Errand("tidying", self._tidy, TIDY_EVERY_S),
        )

    def stop(self) -> None:
        self.ending.set()
        self.inbox.close()
        super(Serving, self).stop()


@dataclass(frozen=True, slots=True)
class Errand:
    """What is done again and again, at once where it was busy; or once, where nothing is said."""

    name: str
    work: Callable[[], int]
    every_s: float | None = None
