"""
A case: what one session was opened on. Everything that performing its steps needs and that never
changes, read from the ledger's first entry and the evidence it cites.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.canonical import unspell
from bot.core.conclude import Standards
from bot.core.contract import Contract, Oracle
from bot.core.entries import Opened
from bot.core.steps import Terms
from bot.ports import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    opened: Opened
    contract: Contract
    objective: str

    @property
    def session_id(self) -> str:
        return self.opened.session

    @property
    def oracle(self) -> Oracle:
        return self.contract.oracles[self.opened.oracle]

    @property
    def terms(self) -> Terms:
        budget = self.contract.budget
        return Terms(
            agents=self.opened.agents,
            turns=self.contract.agent.max_turns,
            seconds=budget.seconds,
            tokens=budget.tokens,
            cents=budget.usd * 100,
            hooks=len(self.contract.hooks.stop),
            may_reproduce=self.contract.reproduce is not None,
            needs_red=self.oracle.require_red_start,
            agent_tests=self.contract.publish.agent_tests == "commit",
            publish=not self.opened.dry_run,
            can_ask=self.opened.can_ask,
        )

    @property
    def standards(self) -> Standards:
        return Standards(
            accept=self.contract.publish.accept,
            has_ids=any(gate.report.has_ids for gate in self.oracle.gates),
            max_files=self.contract.publish.max_files,
        )


def recall(opened: Opened, evidence: Evidence) -> Case:
    """The case of a session that exists. ``EvidenceMissing`` when its contract is gone."""
    contract = Contract.model_validate(unspell(evidence.get(opened.contract_sha256)))
    objective = evidence.get(opened.objective_sha256).decode(errors="replace")
    return Case(opened=opened, contract=contract, objective=objective)
