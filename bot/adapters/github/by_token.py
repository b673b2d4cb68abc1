"""
GitHub with the one token that a job of a workflow has: a forge for whoever asks, who jam is there,
and whether another job still runs. All of a job's conversations share one pace.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from bot.adapters.github.forge import GithubForge, talk_to
from bot.adapters.github.means import Means, Pace
from bot.adapters.github.part import Home
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.secret import Secret
from bot.adapters.github.session_refs import SessionRefs
from bot.adapters.github.shapes import Numbered
from bot.adapters.github.talk import Talk
from bot.adapters.github.tokens import Constant
from bot.core.docket import Listed
from bot.core.facts import Own
from bot.core.forge_values import ContractText
from bot.core.thread import Repository
from bot.errors import ForgeMissing, ForgeRefused


class WorkflowForge(GithubForge):
    """``config``: where the contract stands instead of its usual place, '' for that."""

    config = ""

    def contract(self) -> ContractText | None:
        if not self.config:
            return super().contract()
        facts = self.repository()
        commit = self.ref(f"refs/heads/{facts.default_branch}")
        content = self.file(self.config, commit=commit) if commit else None
        if commit is None or content is None:
            raise ForgeMissing(f"there is no {self.config} on {facts.default_branch}")
        return ContractText(name=f"{facts.name}/{self.config}", commit=commit, content=content)


@dataclass(slots=True, kw_only=True)
class TokenForges:
    """The ``Forges`` port."""

    secret: Secret
    repository: int
    acts_as: str
    base_url: str
    config: str
    means: Means
    _pace: Pace | None = None
    _own: Own | None = None

    def of(self, where: Repository) -> WorkflowForge:
        if where.id != self.repository:
            raise ForgeRefused(f"this job's token is not for {where.name}")
        talk = self._talk()
        forge = WorkflowForge(
            talk, Home(self.repository, self.own()), tokens=Constant(self.secret), shared=talk
        )
        forge.config = self.config
        return forge

    def held(self, listed: Listed) -> WorkflowForge:
        """Nobody takes a session away from a job that runs: the next one waits for its end."""
        return self.of(listed.where)

    def hand(self) -> SessionRefs:
        return SessionRefs(self._talk(), Home(self.repository, self.own()))

    def own(self) -> Own:
        """Known by its number: a name may be given to somebody else."""
        if self._own is None:
            path = f"/users/{quote(self.acts_as, safe='')}"
            try:
                found = self._talk().get(path, Numbered, purpose=Purpose.WHO)
            except ForgeMissing:
                raise ForgeRefused(f"there is no account {self.acts_as!r} (acts-as)") from None
            self._own = Own(account=found.id)
        return self._own

    def _talk(self) -> Talk:
        if self._pace is None:
            self.means.redactor.learn(self.secret.reveal(), for_good=True)
            self._pace = Pace(self.means)
        return talk_to(self.base_url, Constant(self.secret), pace=self._pace, means=self.means)


def is_going(forge: GithubForge, run: int) -> bool:
    """Whether a workflow run is not over. One that cannot be asked about is: of two jobs with one
    session, neither may be sure to be alone."""
    try:
        found = forge.run(run)
    except ForgeRefused:
        return True
    return found is not None and not found.conclusion
