"""
Which page stands under which address, and what it is rendered from.

Templates escape everything; there is no script in them. A page that is looked at while something
happens asks to be loaded again, by itself, as long as that is so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.core import ledger
from bot.core.docket import DocketCounts, Listed
from bot.core.facts import State
from bot.core.mail import MailCounts, Seen
from bot.errors import EvidenceMissing, LedgerBroken
from bot.pages import views
from bot.ports import Evidence, Journal

MANY = 100
DAYS = 30
EVIDENCE_BYTES = 4 << 20
_SESSION = re.compile(r"sessions/([A-Za-z0-9][A-Za-z0-9._-]{0,80})")
_DIFF = re.compile(r"sessions/([A-Za-z0-9][A-Za-z0-9._-]{0,80})/checkpoints/([0-9]{1,6})")
_EVIDENCE = re.compile(r"evidence/([0-9a-f]{64})")


class Listing(Protocol):
    def get(self, session: str) -> Listed | None: ...

    def latest(self, *, limit: int) -> tuple[Listed, ...]: ...

    def in_state(self, *states: State, limit: int = 500) -> tuple[Listed, ...]: ...

    def spending(self, *, since: datetime) -> tuple[Mapping[str, Any], ...]: ...

    def counts(self) -> DocketCounts: ...


class Posts(Protocol):
    def latest(self, *, limit: int) -> tuple[Seen, ...]: ...

    def counts(self) -> MailCounts: ...


@dataclass(frozen=True, slots=True)
class Page:
    content: str
    status: int = 200
    kind: str = "text/html"


Patch = Callable[[str, int], str | None]
"""A session and a checkpoint's number -> what it changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    docket: Listing
    posts: Posts
    journal: Journal
    evidence: Evidence
    patch: Patch
    forge_url: str  # where people look at repositories
    now: Callable[[], datetime]
    _templates: Environment = field(
        default_factory=lambda: Environment(
            loader=PackageLoader("bot.pages"), autoescape=True, undefined=StrictUndefined
        )
    )

    def page(self, path: str) -> Page | None:
        plain = {"": self._sessions, "queue": self._queue, "spend": self._spend}
        if path in plain:
            return plain[path]()
        if found := _DIFF.fullmatch(path):
            return self._diff(found[1], int(found[2]))
        if found := _SESSION.fullmatch(path):
            return self._session(found[1])
        if found := _EVIDENCE.fullmatch(path):
            return self._evidence(found[1])
        return None

    def entrance(self, *, failed: bool) -> str:
        return self._render("entrance.html", failed=failed).content

    def _render(self, template: str, **values: Any) -> Page:
        shown = {"forge_url": self.forge_url, "reload_s": 0, **values}
        return Page(self._templates.get_template(template).render(shown))

    def _sessions(self) -> Page:
        now = self.now()
        rows = [views.row(one, now=now) for one in self.docket.latest(limit=MANY)]
        busy = any(row.tone in ("going", "waiting") for row in rows)
        return self._render("sessions.html", rows=rows, reload_s=10 if busy else 0)

    def _session(self, name: str) -> Page | None:
        listed = self.docket.get(name)
        if listed is None:
            return None
        try:
            entries = ledger.read(self.journal.read(name))
        except LedgerBroken as broken:
            return self._render("broken.html", name=name, why=str(broken))
        told = views.told(listed, entries, now=self.now())
        return self._render("session.html", told=told, reload_s=4 if told.is_live else 0)

    def _diff(self, name: str, number: int) -> Page | None:
        if self.docket.get(name) is None:
            return None
        text = self.patch(name, number)
        if text is None:
            return None
        return self._render("diff.html", name=name, number=number, lines=views.patch(text))

    def _evidence(self, sha256: str) -> Page | None:
        try:
            content = self.evidence.get(sha256)
        except EvidenceMissing:
            return None
        return Page(content[:EVIDENCE_BYTES].decode(errors="replace"), kind="text/plain")

    def _queue(self) -> Page:
        now = self.now()
        busy = self.docket.in_state(State.RUNNING, State.QUEUED, State.ASKING, State.RESTING)
        posts = [views.post(seen, now=now) for seen in self.posts.latest(limit=MANY)]
        rows = [views.row(one, now=now) for one in busy]
        return self._render("queue.html", rows=rows, posts=posts, reload_s=5)

    def _spend(self) -> Page:
        since = self.now() - timedelta(days=DAYS)
        rows = [views.spent(found) for found in self.docket.spending(since=since)]
        total = views.usd(self.docket.counts().cents)
        return self._render("spend.html", rows=rows, total=total, days=DAYS)


def style_sheet() -> str:
    return files("bot.pages").joinpath("style.css").read_text()
