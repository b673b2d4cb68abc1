"""
The GitHub App: who it is, where it is installed, what was delivered to it, and a forge for each
repository. All workers of an installation share one pace.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from urllib.parse import quote

from bot.adapters.github.app_shapes import AppAnswer, DeliveryAnswer, InstallationAnswer
from bot.adapters.github.contents import SHARED
from bot.adapters.github.forge import GithubForge, talk_to
from bot.adapters.github.gateway import GITHUB
from bot.adapters.github.means import Means, Pace, Unpaced
from bot.adapters.github.paces import Fenced, Turns
from bot.adapters.github.part import Home
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.shapes import Numbered, RepositoryAnswer
from bot.adapters.github.talk import Talk
from bot.adapters.github.tokens import AppKey, Grant, Installed, SignedIn
from bot.core.facts import Own
from bot.core.forge_values import AppFacts, DeliveryFacts, InstallationFacts, RepositoryFacts


class GithubApp:
    """``pace_of``: of an installation; where it is not given, this process is the only one."""

    def __init__(
        self,
        key: AppKey,
        *,
        base_url: str = GITHUB,
        means: Means | None = None,
        pace_of: Callable[[int], Turns] | None = None,
    ) -> None:
        self._key = key
        self._base_url = base_url
        self._means = means or Means()
        self._pace_of = pace_of or (lambda _: Pace(self._means))
        self._lock = threading.Lock()
        self._paces: dict[int, Turns] = {}
        self._own: Own | None = None

    def facts(self) -> AppFacts:
        return self._signed_in().get("/app", AppAnswer, purpose=Purpose.WHO).say()

    def own(self, *, installation: int) -> Own:
        with self._lock:
            known = self._own
        if known is None:
            facts = self.facts()
            talk = self._talk(Grant(installation=installation))
            path = f"/users/{quote(f'{facts.slug}[bot]', safe='')}"
            bot = talk.get(path, Numbered, purpose=Purpose.WHO)
            known = Own(account=bot.id, app=facts.id)
            with self._lock:
                self._own = known
        return known

    def forge(
        self, *, installation: int, repository: int, holds: Callable[[], None] | None = None
    ) -> GithubForge:
        """``holds`` is asked before each write, and raises where it must not be."""
        own = self.own(installation=installation)
        grant = Grant(installation=installation, repository=repository)
        tokens = self._tokens(grant)
        pace = self._pace(installation)
        fenced = Fenced(pace, holds) if holds else pace
        talk = talk_to(self._base_url, tokens, pace=fenced, means=self._means)
        shared = self._talk(Grant(installation=installation, name=SHARED))
        return GithubForge(talk, Home(repository, own), tokens=tokens, shared=shared)

    def installations(self) -> tuple[InstallationFacts, ...]:
        talk = self._signed_in()
        pages = talk.pages("/app/installations", InstallationAnswer, purpose=Purpose.WHO)
        return tuple(one.say() for one in pages)

    def installation_of(self, name: str) -> int | None:
        path = f"/repos/{quote(name)}/installation"
        found = self._signed_in().find(path, InstallationAnswer, purpose=Purpose.WHO)
        return found.id if found else None

    def repositories(self, installation: int) -> tuple[RepositoryFacts, ...]:
        talk = self._talk(Grant(installation=installation))
        pages = talk.pages(
            *("/installation/repositories", RepositoryAnswer),
            purpose=Purpose.WHO,
            under="repositories",
        )
        return tuple(one.say() for one in pages)

    def deliveries(self, *, since: datetime) -> tuple[DeliveryFacts, ...]:
        found = []
        talk = self._signed_in()
        for one in talk.pages("/app/hook/deliveries", DeliveryAnswer, purpose=Purpose.WHO):
            facts = one.say()
            if facts.at < since:
                break
            found.append(facts)
        return tuple(found)

    def redeliver(self, delivery: int) -> None:
        path = f"/app/hook/deliveries/{delivery}/attempts"
        self._signed_in().start(path, purpose=Purpose.WHO)

    def _signed_in(self) -> Talk:
        tokens = SignedIn(self._key, self._means)
        return talk_to(self._base_url, tokens, pace=Unpaced(), means=self._means)

    def _tokens(self, grant: Grant) -> Installed:
        return Installed(self._signed_in(), grant, self._means)

    def _talk(self, grant: Grant) -> Talk:
        tokens = self._tokens(grant)
        pace = self._pace(grant.installation)
        return talk_to(self._base_url, tokens, pace=pace, means=self._means)

    def _pace(self, installation: int) -> Turns:
        with self._lock:
            if installation not in self._paces:
                self._paces[installation] = self._pace_of(installation)
            return self._paces[installation]
