"""
The App put together: which adapters its use cases get, and the threads that carry them.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event
from urllib.parse import urlsplit

from bot.adapters import database
from bot.adapters.database import Database
from bot.adapters.docket import Docket
from bot.adapters.github.app import GithubApp
from bot.adapters.github.means import Means
from bot.adapters.github.secret import Secret
from bot.adapters.github.tokens import AppKey
from bot.adapters.inbox import Inbox
from bot.adapters.queue import SessionQueue
from bot.adapters.store import Store
from bot.app.github.accept import Acceptance
from bot.app.github.ending import Ending
from bot.app.github.intake import Intake
from bot.app.github.minding import Minding
from bot.app.github.opening import Opener
from bot.app.github.session import Sessions
from bot.app.github.status import Status
from bot.app.requests import ServeRequest
from bot.core.thread import Repository
from bot.errors import ForgeRefused
from bot.forge_port import Forge
from bot.pages.site import Site
from bot.ports import Say
from bot.wiring import settings
from bot.wiring.secrecy import redactor
from bot.wiring.serve_settings import ServeSettings
from bot.wiring.shop import LocalShop
from bot.wiring.telemetry import Telemetry

LOOK_EVERY_S = 0.2
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class GithubForges:
    """The ``Forges`` port: a forge of its own for whoever asks."""

    app: GithubApp

    def of(self, where: Repository) -> Forge:
        if where.installation is None:
            raise ForgeRefused(f"jam is not installed on {where.name}")
        return self.app.forge(installation=where.installation, repository=where.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Everything of one process."""

    inbox: Inbox
    docket: Docket
    queue: SessionQueue
    intake: Intake
    minding: Minding
    site: Site
    telemetry: Telemetry
    ending: Event
    say: Say

    def start(self) -> None:
        self.queue.start()
        self.minding.take_up()
        for name, work in (("intake", self._take_in), ("minding", self._mind)):
            threading.Thread(target=work, name=name, daemon=True).start()

    def _take_in(self) -> None:
        self._again_and_again(self.intake.round, every_s=LOOK_EVERY_S)

    def _mind(self) -> None:
        self._again_and_again(self.minding.round, every_s=1.0)

    def _again_and_again(self, work: Callable[[], int], *, every_s: float) -> None:
        while not self.ending.is_set():
            try:
                busy = work()
            except Exception as bug:  # noqa: BLE001  # the thread must outlive what it met
                report_bug(self.say, "the server", bug)
                busy = 0
            if not busy:
                self.ending.wait(every_s)

    def stop(self) -> None:
        self.ending.set()
        self.inbox.close()
        self.queue.stop()


def assemble(request: ServeRequest, told: ServeSettings, *, say: Say) -> Serving:
    mine = settings.read()
    store = Store((request.state or mine.state).absolute())
    url = database.address(told.database_url, folder=store.root)
    base = Database(database.open_engine(url))
    key = AppKey(told.app, Secret(told.private_key))
    app = GithubApp(key, base_url=told.api_url, means=means_for(told.api_url))
    hidden = (told.private_key, *told.hook_secrets, told.pages, mine.anthropic_key)
    for secret in hidden:
        redactor().learn(secret, for_good=True)
    docket = Docket(base)
    shop = LocalShop(
        store=store,
        settings=mine,
        docket=docket,
        secrets=tuple(one.encode() for one in hidden if one),
        allows_no_sandbox=request.allow_no_sandbox,
    )
    parts = _Parts(
        request=request, told=told, say=say, shop=shop, docket=docket, inbox=Inbox(base), app=app
    )
    return parts.serving(queue_url=database.queue_address(url, folder=store.root))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What the rest is made of."""

    request: ServeRequest
    told: ServeSettings
    say: Say
    shop: LocalShop
    docket: Docket
    inbox: Inbox
    app: GithubApp
    ending: Event = field(default_factory=Event)

    @property
    def forges(self) -> GithubForges:
        return GithubForges(self.app)

    @property
    def status(self) -> Status:
        page = self.told.url
        return Status(
            docket=self.docket,
            journal=self.shop.store,
            page=lambda session: f"{page}/sessions/{session}" if page else "",
        )

    def bug(self, name: str, error: BaseException) -> None:
        report_bug(self.say, name, error)

    def sessions(self) -> Sessions:
        docket, forges, shop, status = self.docket, self.forges, self.shop, self.status
        opener = Opener(
            docket=docket, shop=shop, bots=self.told.bots, now=now, agent=self.request.agent
        )
        return Sessions(
            docket=docket,
            forges=forges,
            shop=shop,
            opener=opener,
            ending=Ending(docket=docket, forges=forges, shop=shop, status=status, now=now),
            status=status,
            now=now,
            say=self.say,
            bug=self.bug,
            ended=self.ending,
        )

    def intake(self, queue: SessionQueue) -> Intake:
        return Intake(
            mailbox=self.inbox,
            docket=self.docket,
            forges=self.forges,
            acceptance=Acceptance(docket=self.docket, line=queue, status=self.status, now=now),
            bots=self.told.bots,
            now=now,
            bug=self.bug,
        )

    def site(self) -> Site:
        return Site(
            docket=self.docket,
            posts=self.inbox,
            journal=self.shop.store,
            evidence=self.shop.store,
            patch=lambda session, number: _patch(self.shop, self.docket, session, number),
            forge_url=self.told.forge_url,
            now=now,
        )

    def serving(self, *, queue_url: str) -> Serving:
        queue = SessionQueue(
            queue_url,
            folder=self.shop.store.root / "executors",
            run=self.sessions().run,
            at_once=self.request.sessions,
            per_repository=self.request.per_repository,
        )
        minding = Minding(
            docket=self.docket,
            line=queue,
            mailbox=self.inbox,
            app=self.app,
            now=now,
            say=self.say,
            is_alone=not self.told.database_url,
        )
        return Serving(
            inbox=self.inbox,
            docket=self.docket,
            queue=queue,
            intake=self.intake(queue),
            minding=minding,
            site=self.site(),
            telemetry=Telemetry(docket=self.docket, inbox=self.inbox, now=now),
            ending=self.ending,
            say=self.say,
        )


def means_for(api_url: str) -> Means:
    """A hub on this machine is nobody's to be gentle with; GitHub wants its writes apart."""
    is_here = urlsplit(api_url).hostname in LOOPBACK
    known = redactor()
    return Means(sleep=lambda _: None, redactor=known) if is_here else Means(redactor=known)


def _patch(shop: LocalShop, docket: Docket, session: str, number: int) -> str | None:
    listed = docket.get(session)
    return shop.patch(listed.where, session, number) if listed else None


def report_bug(say: Say, name: str, error: BaseException) -> None:
    """The place it came from; never its words, which may quote anything."""
    places = "".join(traceback.format_tb(error.__traceback__, limit=-4))
    say(f"a bug at {name}: {type(error).__name__}\n{places}")
