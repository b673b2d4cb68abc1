"""
What whoever runs jam allows beyond the contract of a repository: always less, never more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.contract import Contract, Oracle
from bot.errors import RequestError


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """0 and '' leave it to the contract."""

    oracle: str = ""
    usd: float = 0.0
    seconds: float = 0.0

    def of(self, contract: Contract) -> Contract:
        budget = contract.budget
        less = budget.model_copy(
            update={
                "usd": _less(self.usd, budget.usd),
                "seconds": _less(self.seconds, budget.seconds),
            }
        )
        oracles = _first(self.oracle, contract.oracles)
        return contract.model_copy(update={"budget": less, "oracles": oracles})


AS_WRITTEN = Narrowing()


def _less(wanted: float, there: float) -> float:
    return min(wanted, there) if wanted else there


def _first(name: str, oracles: Mapping[str, Oracle]) -> Mapping[str, Oracle]:
    """The first one judges where nobody names another."""
    if not name:
        return oracles
    if name not in oracles:
        raise RequestError(f"the contract has no oracle {name!r}; it has {', '.join(oracles)}")
    return {name: oracles[name], **oracles}
