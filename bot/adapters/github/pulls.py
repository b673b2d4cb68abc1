"""
Pull requests: found before they are opened, opened once, changed only where they differ.

Found by the branch they come from, or by jam's hidden block in the body. GitHub's "already exists"
is a success: the one that is there is looked up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.adapters.github.outlet import Ask
from bot.adapters.github.part import Home, Part
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.shapes import PullAnswer, RepositoryAnswer
from bot.adapters.github.talk import Talk
from bot.core import markers
from bot.core.forge_values import NewPull, PullFacts
from bot.core.markers import Written
from bot.errors import ForgeRefused

LOOKED_AT = 500
"""How many pull requests, newest first, are read in search of a session's."""
READY = "markPullRequestReadyForReview"
NOT_BY_ACTIONS = "not permitted to create or approve pull requests"
"""What GitHub says where a setting keeps workflows from it."""


class Pulls(Part):
    def __init__(self, talk: Talk, home: Home) -> None:
        super().__init__(talk, home)

    def pull(self, number: int) -> PullFacts | None:
        found = self._answer(number)
        return found.say() if found else None

    def pull_from(self, branch: str) -> PullFacts | None:
        found = self._from(branch)
        return found.say() if found else None

    def pull_of(self, session: str) -> PullFacts | None:
        for one in self._newest():
            facts = one.say()
            written = Written(one.id, facts.pull.author, facts.pull.body)
            block = markers.read_block(written, own=self.own)
            if block is not None and block.session == session:
                return facts
        return None

    def own_pulls(self, prefix: str) -> tuple[PullFacts, ...]:
        found = [one.say() for one in self._newest()]
        return tuple(
            facts
            for facts in found
            if facts.pull.head_branch.startswith(prefix)
            and facts.pull.head_repository == self._home.repository
            and self.own.wrote(facts.pull.author)
        )

    def open_pull(self, new: NewPull) -> PullFacts:
        body = {
            "head": new.branch,
            "base": new.base,
            "title": self._told(new.title),
            "body": self._told(new.body),
            "draft": new.is_draft,
        }
        ask = Ask(method="POST", path=self._at("/pulls"), body=body, creates=True)
        try:
            return self._talk.settle(
                ask, PullAnswer, purpose=Purpose.PULL, look=lambda: self._from(new.branch)
            ).say()
        except ForgeRefused as refused:
            if NOT_BY_ACTIONS not in str(refused):
                raise
            raise ForgeRefused(
                f"the change is on the branch {new.branch}, and GitHub Actions may not open a pull "
                "request here: in the repository's settings, Actions, General, allow it to create "
                "and approve pull requests, then say `/jam resume`"
            ) from None

    def edit_pull(self, number: int, *, title: str | None = None, body: str | None = None) -> None:
        with self._talk.within():
            now = self._talk.get(self._path(number), PullAnswer, purpose=Purpose.READ)
            title, body = self._told((title, body))
            wanted = {"title": (title, now.title), "body": (body, now.body or "")}
            change = {name: new for name, (new, old) in wanted.items() if new not in (None, old)}
            if change:
                ask = Ask(method="PATCH", path=self._path(number), body=change)
                self._talk.write(ask, PullAnswer, purpose=Purpose.PULL)

    def ready(self, number: int) -> None:
        with self._talk.within():
            now = self._talk.get(self._path(number), PullAnswer, purpose=Purpose.READ)
            if now.draft:
                self._talk.mutate(READY, {"pullRequestId": now.node_id}, purpose=Purpose.PULL)

    def ask_review(self, number: int, logins: Sequence[str]) -> bool:
        with self._talk.within():
            now = self._talk.get(self._path(number), PullAnswer, purpose=Purpose.READ)
            asked = {one.login.lower() for one in now.requested_reviewers}
            author = now.user.login.lower() if now.user else ""
            new = [one for one in logins if one.lower() not in asked | {author}]
            if not new:
                return True
            path = self._path(number, "/requested_reviewers")
            ask = Ask(method="POST", path=path, body={"reviewers": new}, creates=True)
            try:
                self._talk.write(ask, PullAnswer, purpose=Purpose.PULL)
            except ForgeRefused:
                return False
            return True

    def _path(self, number: int, below: str = "") -> str:
        return self._at(f"/pulls/{number}{below}")

    def _answer(self, number: int) -> PullAnswer | None:
        return self._talk.find(self._path(number), PullAnswer, purpose=Purpose.READ)

    def _from(self, branch: str) -> PullAnswer | None:
        """An open one if there is one, else the newest. The owner's name is asked for each time: a
        head without one is ignored by GitHub, and a name can change."""
        home = self._talk.get(self._at(), RepositoryAnswer, purpose=Purpose.READ)
        head = f"{home.owner.login}:{branch}"
        asked = {"head": head, "state": "all"}
        pages = self._talk.pages(self._at("/pulls"), PullAnswer, purpose=Purpose.READ, params=asked)
        found = [
            one
            for one in pages
            if one.head.ref == branch and one.head.repo and one.head.repo.id == home.id
        ]
        found.sort(key=lambda one: (one.state == "open", one.number))
        return found[-1] if found else None

    def _newest(self) -> Iterator[PullAnswer]:
        asked = {"state": "all", "sort": "created", "direction": "desc"}
        pages = self._talk.pages(self._at("/pulls"), PullAnswer, purpose=Purpose.READ, params=asked)
        for place, one in enumerate(pages):
            if place >= LOOKED_AT:
                return
            yield one
