"""
What a job works with, put together: the same use cases as the App's, with what a job has.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from bot.adapters import database, signing, workflow_drawer
from bot.adapters.database import Database
from bot.adapters.github.by_token import TokenForges, WorkflowForge, is_going
from bot.adapters.github.secret import Secret
from bot.adapters.workflow_docket import OneByOne, Post, WorkflowDocket
from bot.adapters.workflow_drawer import RefDrawer
from bot.adapters.workflow_store import WorkflowStore
from bot.app.github.accept import Acceptance
from bot.app.github.ending import Ending
from bot.app.github.session import Sessions
from bot.app.github.status import Status
from bot.app.github.workflow import Workflow
from bot.app.github.workflow_opening import WorkflowOpener
from bot.core.contract import SandboxKind
from bot.core.thread import Repository
from bot.errors import RequestError
from bot.ports import Say
from bot.wiring.action_settings import ActionSettings
from bot.wiring.action_shop import ActionShop
from bot.wiring.settings import Settings
from bot.wiring.with_github import means_for, now, report_bug


class NoToken(RequestError):
    """The input token is empty: jam needs one to speak to GitHub."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    workflow: Workflow
    status: Status
    store: WorkflowStore
    forges: TokenForges


@dataclass(slots=True, kw_only=True)
class Bench:
    """Made once per job, in this order: each needs the one before."""

    told: ActionSettings
    mine: Settings
    where: Repository
    say: Say
    bugs: set[str] = field(default_factory=set)

    def parts(self) -> Parts:
        forges = self.forges()
        store = WorkflowStore(self.told.folder / "state")
        docket = WorkflowDocket(self._database(store.root), self._post(forges))
        shop = self._shop(store, docket)
        drawer = self._drawer(forges, store, docket, shop)
        shop.keep_session = drawer.keep
        status = Status(
            docket=docket,
            journal=store,
            page=lambda _: self.page,
            is_history=store.is_as_brought,
        )
        sessions = self._sessions(docket, forges, shop, status)
        queue = OneByOne()
        workflow = Workflow(
            docket=docket,
            forges=forges,
            acceptance=Acceptance(docket=docket, line=queue, status=status, now=now),
            sessions=sessions,
            queue=queue,
            drawer=drawer,
            bots=self.told.bots,
            bugs=self.bugs,
            now=now,
            say=self.say,
            sleep=time.sleep,
        )
        return Parts(workflow=workflow, status=status, store=store, forges=forges)

    @property
    def page(self) -> str:
        """Where people see this job."""
        return f"{self.told.server_url}/{self.told.repository}/actions/runs/{self.told.run}"

    def forge(self) -> WorkflowForge:
        return self.forges().of(self.where)

    def forges(self) -> TokenForges:
        if not self.told.token:
            raise NoToken
        means = means_for(self.told.api_url)
        if self.mine.anthropic_key:
            means.redactor.learn(self.mine.anthropic_key, for_good=True)
        return TokenForges(
            secret=Secret(self.told.token),
            repository=self.where.id,
            acts_as=self.told.acts_as,
            base_url=self.told.api_url,
            config=self.told.config,
            means=means,
        )

    def _database(self, folder: Path) -> Database:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Database(database.open_engine(database.address("", folder=folder)))

    def _post(self, forges: TokenForges) -> Post:
        hand, forge = forges.hand(), forges.of(self.where)
        return Post(
            leave=lambda session, by: workflow_drawer.leave_word(hand, session, by),
            look=lambda session: workflow_drawer.word_for(forge, session),
            clock=time.monotonic,
        )

    def _shop(self, store: WorkflowStore, docket: WorkflowDocket) -> ActionShop:
        hidden = (self.told.token, self.mine.anthropic_key)
        return ActionShop(
            store=store,
            settings=self.mine,
            docket=docket,
            secrets=tuple(one.encode() for one in hidden if one),
            allows_no_sandbox=self.told.sandbox is SandboxKind.NONE,
            signer=signing.signer(self.mine.signing_key),
        )

    def _drawer(
        self,
        forges: TokenForges,
        store: WorkflowStore,
        docket: WorkflowDocket,
        shop: ActionShop,
    ) -> RefDrawer:
        forge = forges.of(self.where)
        return RefDrawer(
            forge=forge,
            hand=forges.hand(),
            store=store,
            docket=docket,
            place=shop.place,
            job=self.told.run,
            alive=lambda run: is_going(forge, run),
            now=now,
            say=self.say,
        )

    def _sessions(
        self, docket: WorkflowDocket, forges: TokenForges, shop: ActionShop, status: Status
    ) -> Sessions:
        return Sessions(
            docket=docket,
            forges=forges,
            shop=shop,
            opener=WorkflowOpener(
                docket=docket,
                shop=shop,
                bots=self.told.bots,
                now=now,
                agent=self.told.agent,
                narrowing=self.told.narrowing,
            ),
            ending=Ending(docket=docket, forges=forges, shop=shop, status=status, now=now),
            status=status,
            now=now,
            say=self.say,
            bug=self._bug,
            ended=Event(),
        )

    def _bug(self, session: str, bug: BaseException) -> None:
        self.bugs.add(session)
        report_bug(self.say, session, bug)
