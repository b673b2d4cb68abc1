"""
The contract of a repository, from where only trusted people write: its default branch, then the
owner's ``.github`` repository. Never from a branch, a pull request or anything that was said.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core import contract_file
from bot.core.contract import Contract
from bot.core.facts import Rules, rules
from bot.errors import RequestError, SpecError
from bot.forge_port import Reading

NAME = ".github/jam.yml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """``source``: where it stands, for the ledger."""

    contract: Contract
    source: str


def read(forge: Reading) -> Agreed:
    """``RequestError`` says what is wrong with it, line by line."""
    found = forge.contract()
    if found is None:
        raise SpecError(
            "spec.no_oracle",
            f"there is no {NAME} on the default branch, and none in the owner's .github "
            "repository: `jam init` writes one",
        )
    contract = contract_file.read(found.content, name=found.name)
    return Agreed(contract=contract, source=f"{found.name} of {found.commit[:12]}")


def rules_of(forge: Reading) -> Rules:
    """What of it decides whether something starts; with a reason where there is none."""
    try:
        return rules(read(forge).contract)
    except RequestError as refused:
        return Rules(fault=str(refused))
