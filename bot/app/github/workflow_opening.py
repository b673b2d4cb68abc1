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
from bot.core.asked import Asked
from bot.core.decision import Verify
from bot.core.docket import Listed
from bot.errors import RequestError
from bot.forge_port import Forge


class ContractChanged(RequestError):
    """The contract on the default branch is another one by now: `/jam retry` begins under it."""


class NotItsBase(RequestError):
    """What was kept of the session does not fit its base: `/jam retry` begins anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowOpener(Opener):
    def take_up(self, case: Case, listed: Listed, told: Asked, forge: Forge) -> Given:
        if not isinstance(told.wish, Verify):
            self._demand_permission(told.wish.by, forge)
            if self.narrowing.of(contracts.read(forge).contract) != case.contract:
                raise ContractChanged()
        given = Opener.take_up(self, case, listed, told, forge)
        opened = case.opened
        if given.ground.base(opened.base, name=opened.base_name).tree != opened.base_tree:
            raise NotItsBase()
        return given
