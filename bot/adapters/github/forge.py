"""
GitHub as the port ``Forge``: the parts as one, reached with an App's tokens or with one that is
given. None shares a connection with another; who made it decides what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.adapters.github import transport
from bot.adapters.github.checks import Checks
from bot.adapters.github.contents import Contents
from bot.adapters.github.gateway import GITHUB, Gateway
from bot.adapters.github.issues import Issues
from bot.adapters.github.line import Line
from bot.adapters.github.means import Means, Pace
from bot.adapters.github.paces import Turns
from bot.adapters.github.part import Home
from bot.adapters.github.publish import Commits
from bot.adapters.github.pulls import Pulls
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.secret import Secret
from bot.adapters.github.talk import Talk, Tokens
from bot.adapters.github.threads import Threads
from bot.adapters.github.tokens import Constant, Installed
from bot.adapters.repository import Repository
from bot.core.facts import Own
from bot.errors import ForgeRefused


class GithubForge(Contents, Threads, Issues, Pulls, Checks, Commits):
    """One repository, for one thread."""

    def __init__(
        self, talk: Talk, home: Home, *, tokens: Constant | Installed, shared: Talk
    ) -> None:
        super().__init__(talk, home, shared)
        self._tokens = tokens

    def bring(self, place: Path, wants: Sequence[str]) -> Repository:
        """Commits of this repository, or of pull requests to it from anywhere, into the bare git
        directory ``place``, which many sessions may share."""
        url = self.repository().clone_url
        try:
            return self._bring(place, wants, url)
        except ForgeRefused:
            self._tokens.renew(Purpose.FETCH)  # it may have ended on the way
            return self._bring(place, wants, url)

    def _bring(self, place: Path, wants: Sequence[str], url: str) -> Repository:
        secret = self._tokens.secret(Purpose.FETCH)
        return transport.bring(place, wants, url=url, secret=secret)


def by_token(
    secret: Secret,
    *,
    repository: int,
    own: Own,
    base_url: str = GITHUB,
    means: Means | None = None,
) -> GithubForge:
    """With a token that is good for everything there is to do, such as a workflow's."""
    means = means or Means()
    means.redactor.learn(secret.reveal())
    tokens = Constant(secret)
    talk = talk_to(base_url, tokens, pace=Pace(means), means=means)
    return GithubForge(talk, Home(repository, own), tokens=tokens, shared=talk)


def talk_to(base_url: str, tokens: Tokens, *, pace: Turns, means: Means) -> Talk:
    gateway = Gateway(base_url, line=Line(means.clock), now=means.now, redactor=means.redactor)
    return Talk(gateway, tokens, pace=pace, means=means)
