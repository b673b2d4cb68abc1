"""
The App put together: which adapters its use cases get, and the threads that carry them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from threading import Event

from bot import __version__
from bot.adapters import database, schema, signing, workers
from bot.adapters.database import Database
from bot.adapters.docket import Docket
from bot.adapters.github.app import GithubApp
from bot.adapters.github.means import Means, Meter, Unpaced
from bot.adapters.github.paces import SharedPace, Turns
from bot.adapters.github.secret import Secret
from bot.adapters.github.tokens import AppKey
from bot.adapters.inbox import Inbox
from bot.adapters.queue import Limits, SessionQueue
from bot.adapters.shared_store import SharedStore
from bot.adapters.store import Store
from bot.adapters.workers import Worker
from bot.app.github.accept import Acceptance
from bot.app.github.ending import Ending
from bot.app.github.expiring import Expiring
from bot.app.github.handing_on import HandingOn
from bot.app.github.intake import Intake
from bot.app.github.minding import Minding
from bot.app.github.opening import Opener
from bot.app.github.session import Sessions
from bot.app.github.status import Status
from bot.app.requests import ServeRequest
from bot.core.docket import Listed
from bot.core.thread import Repository
from bot.errors import ForgeRefused
from bot.forge_port import Forge
from bot.pages.site import Site
from bot.ports import Say
from bot.wiring import settings, tracing
from bot.wiring.processes import Serving, Working
from bot.wiring.secrecy import redactor
from bot.wiring.serve_settings import ServeSettings
from bot.wiring.shop import LocalShop
from bot.wiring.telemetry import Telemetry
from bot.wiring.with_github import is_loopback, means_for, now, report_bug


@dataclass(frozen=True, slots=True)
class GithubForges:
    """The ``Forges`` port: a forge of its own for whoever asks."""

    app: GithubApp
    docket: Docket

    def of(self, where: Repository) -> Forge:
        return self._forge(where, None)

    def held(self, listed: Listed) -> Forge:
        return self._forge(listed.where, lambda: self.docket.demand(listed.session, run=listed.run))

    def _forge(self, where: Repository, holds: Callable[[], None] | None) -> Forge:
        if where.installation is None:
            raise ForgeRefused(f"jam is not installed on {where.name}")
        return self.app.forge(installation=where.installation, repository=where.id, holds=holds)


def assemble(request: ServeRequest, told: ServeSettings, *, say: Say) -> Serving:
    return _parts(request, told, say=say, role="serve").serving()


def assemble_worker(request: ServeRequest, told: ServeSettings, *, say: Say) -> Working:
    return _parts(request, told, say=say, role="work").working()


def _parts(request: ServeRequest, told: ServeSettings, *, say: Say, role: str) -> _Parts:
    mine = settings.read(lends_known=False)
    root = (request.state or mine.state).absolute()
    url = database.address(told.database_url, folder=root)
    base = Database(database.open_engine(url))
    schema.bring(base)
    worker = workers.join(base, folder=root / "executors", role=role, version=__version__)
    docket = Docket(base, worker=worker.name, lease=timedelta(seconds=told.lease_s))
    meter = Meter()
    means = replace(means_for(told.api_url), meter=meter)
    app = GithubApp(
        AppKey(told.app, Secret(told.private_key)),
        base_url=told.api_url,
        means=means,
        pace_of=_pace_of(base, told.api_url, means),
    )
    hidden = (told.private_key, *told.hook_secrets, told.pages, mine.anthropic_key)
    for secret in hidden:
        redactor().learn(secret, for_good=True)
    shop = LocalShop(
        store=SharedStore(root, base) if base.is_shared else Store(root),
        settings=mine,
        docket=docket,
        secrets=tuple(one.encode() for one in hidden if one),
        allows_no_sandbox=request.allow_no_sandbox,
        tracing=tracing.begin(),
        signer=signing.signer(mine.signing_key),
    )
    return _Parts(
        request=request,
        told=told,
        say=say,
        shop=shop,
        docket=docket,
        app=app,
        meter=meter,
        worker=worker,
        queue_url=database.queue_address(url, folder=root),
    )


def _pace_of(base: Database, api_url: str, means: Means) -> Callable[[int], Turns] | None:
    """None: this process is the only one."""
    if not base.is_shared:
        return None
    if is_loopback(api_url):
        return lambda _: Unpaced()
    return lambda installation: SharedPace(base, installation, means)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What the rest is made of."""

    request: ServeRequest
    told: ServeSettings
    say: Say
    shop: LocalShop
    docket: Docket
    app: GithubApp
    meter: Meter
    worker: Worker
    queue_url: str
    ending: Event = field(default_factory=Event)

    @property
    def forges(self) -> GithubForges:
        return GithubForges(self.app, self.docket)

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

    def intake(self, queue: SessionQueue, inbox: Inbox) -> Intake:
        return Intake(
            mailbox=inbox,
            docket=self.docket,
            forges=self.forges,
            acceptance=Acceptance(docket=self.docket, line=queue, status=self.status, now=now),
            bots=self.told.bots,
            now=now,
            bug=self.bug,
        )

    def site(self, inbox: Inbox) -> Site:
        return Site(
            docket=self.docket,
            posts=inbox,
            journal=self.shop.store,
            evidence=self.shop.store,
            patch=lambda session, number: _patch(self.shop, self.docket, session, number),
            forge_url=self.told.forge_url,
            now=now,
        )

    def _queue(self, sessions: Sessions, limits: Limits | None, *, works: bool) -> SessionQueue:
        return SessionQueue(
            self.queue_url,
            executor=self.worker.name,
            run=sessions.run,
            limits=limits,
            at_once=0 if limits else self.request.sessions,
            works=works,
        )

    def _handing_on(self, queue: SessionQueue) -> HandingOn:
        shared = self.docket.database.is_shared
        worker = self.worker.name if shared else None
        return HandingOn(docket=self.docket, line=queue, now=now, worker=worker)

    def working(self) -> Working:
        """The queue's limits are set by those who serve."""
        sessions = self.sessions()
        queue = self._queue(sessions, None, works=True)
        return Working(
            docket=self.docket,
            queue=queue,
            sessions=sessions,
            shop=self.shop,
            worker=self.worker,
            meter=self.meter,
            handing_on=self._handing_on(queue),
            ending=self.ending,
            say=self.say,
        )

    def serving(self) -> Serving:
        sessions, inbox, asked = self.sessions(), Inbox(self.docket.database), self.request
        limits = Limits(
            at_once=asked.sessions, per_repository=asked.per_repository, in_all=asked.in_all
        )
        queue = self._queue(sessions, limits if asked.sessions else None, works=asked.sessions > 0)
        handing_on = self._handing_on(queue)
        return Serving(
            docket=self.docket,
            queue=queue,
            sessions=sessions,
            shop=self.shop,
            worker=self.worker,
            meter=self.meter,
            handing_on=handing_on,
            ending=self.ending,
            say=self.say,
            inbox=inbox,
            intake=self.intake(queue, inbox),
            minding=Minding(
                handing_on=handing_on,
                expiring=Expiring(docket=self.docket, forges=self.forges, say=self.say),
                mailbox=inbox,
                app=self.app,
                now=now,
                say=self.say,
            ),
            site=self.site(inbox),
            telemetry=Telemetry(docket=self.docket, inbox=inbox, now=now),
        )


def _patch(shop: LocalShop, docket: Docket, session: str, number: int) -> str | None:
    listed = docket.get(session)
    return shop.patch(listed.where, session, number) if listed else None
