"""
Opening in a job: a session that was kept in the repository was kept where every writer can write.

So what it may do and how it is judged is read from the default branch once more, and the person who
asked is asked about once more; only then its history is worth anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.app.case import Case
from bot.app.github import contracts
from bot.app.github.needs import Given
from bot.app.github.opening import Opener
from bot.core import branch_name, kept_session
from bot.core.asked import Asked, Wish
from bot.core.contract import Contract
from bot.core.decision import Retry, Start, Undo, Verify
from bot.core.docket import Listed
from bot.errors import RequestError
from bot.forge_port import Forge


class ContractChanged(RequestError):
    """The contract on the default branch is another one by now: `/jam retry` begins under it."""


class NotItsBase(RequestError):
    """What was kept of the session does not fit its base: `/jam retry` begins anew."""


class OpenedOtherwise(RequestError):
    """What was kept of the session is not how this job would open it: `/jam retry` begins anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowOpener(Opener):
    def take_up(self, case: Case, listed: Listed, told: Asked, forge: Forge) -> Given:
        opened = case.opened
        if not isinstance(told.wish, Verify):  # which begins and ends in one job
            self._demand_permission(told.wish.by, forge)
            if self.narrowing.of(contracts.read(forge).contract) != case.contract:
                raise ContractChanged()
            self._demand_the_same(case, told)
        given = Opener.take_up(self, case, listed, told, forge)
        if given.ground.base(opened.base, name=opened.base_name).tree != opened.base_tree:
            raise NotItsBase()
        return given

    def _demand_the_same(self, case: Case, told: Asked) -> None:
        opened, contract = case.opened, case.contract
        agents = self._agents(told.wish) or contract.agent.backend
        sandbox = self._sandbox(told.wish, contract)
        is_judged_only = opened.given is not None
        fits = kept_session.is_the_same(opened, contract, agents=agents, sandbox=sandbox)
        if not fits or is_judged_only != isinstance(told.wish, Undo):
            raise OpenedOtherwise()

    def released(self, wish: Wish, listed: Listed) -> tuple[str, ...]:  # noqa: ARG002
        """What earlier jobs kept excuses no test: it has to be asked for again."""
        return wish.release if isinstance(wish, Start | Retry) else ()

    def known_branch(self, listed: Listed, contract: Contract) -> str:
        """The docket's rows were kept there, too: only a name of jam's own is pushed to."""
        branch = Opener.known_branch(self, listed, contract)
        prefix = contract.publish.branch_prefix
        return branch if branch_name.is_ours(branch, prefix=prefix) else ""
