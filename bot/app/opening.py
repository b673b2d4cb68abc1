"""
Opens a session: the contract is agreed, the objective read, and the first fact written.

Everything that can be refused without running anything is refused here, before a session exists.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from bot import __version__
from bot.core.canonical import spell
from bot.core.contract import Contract
from bot.core.contract_file import choose_oracle
from bot.core.entries import Opened
from bot.core.token_shapes import mask
from bot.core.visible import REPLACEMENT, one_line, see_prose
from bot.errors import RequestError, SpecError
from bot.ports import Evidence

OBJECTIVE_LIMIT = 200_000
TITLE = 120
SLUG = 40


class ContractHoldsSecret(RequestError):
    """The contract itself holds a secret that jam knows: take it out of the contract, and make a
    new one, since whoever reads the contract has this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The commit that the session starts from."""

    repository: str
    commit: str
    tree: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person asked for, as read at the door."""

    contract: Contract
    contract_from: str
    objective: str
    base: Base
    oracle: str = ""
    targets: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    branch: str = ""
    sandbox: str = ""
    dry_run: bool = False
    can_ask: bool = False
    given: str | None = None


def open_session(wanted: Wanted, *, evidence: Evidence, now: datetime, chance: str) -> Opened:
    """``chance``: eight hexadecimal digits, so that two sessions of one second differ."""
    contract = wanted.contract
    agreed = _kept_whole(contract, evidence)
    oracle, gates = choose_oracle(contract, named=wanted.oracle)
    objective = evidence.put(wanted.objective.encode(errors="surrogatepass"))
    seen = see_prose(evidence.get(objective).decode(errors="surrogatepass"))  # without secrets
    title = title_of(mask(seen.text))  # it becomes the name of a branch
    return Opened(
        session=f"{now:%Y%m%d-%H%M%S}-{chance[:4]}",
        at=now,
        jam=__version__,
        repository=wanted.base.repository,
        base=wanted.base.commit,
        base_tree=wanted.base.tree,
        base_name=wanted.base.name,
        contract_sha256=agreed,
        contract_from=wanted.contract_from,
        objective_sha256=objective,
        title=title,
        oracle=oracle,
        commands=tuple((gate.name, gate.run) for gate in gates.gates),
        named_targets=wanted.targets,
        released=wanted.release,
        agents=wanted.agents or contract.agent.backend,
        branch=wanted.branch or f"{contract.publish.branch_prefix}{slug_of(title)}",
        branch_named=bool(wanted.branch),
        sandbox=wanted.sandbox,
        network="none",
        hidden_characters=seen.hidden,
        dry_run=wanted.dry_run,
        can_ask=wanted.can_ask,
        given=wanted.given,
    )


def _kept_whole(contract: Contract, evidence: Evidence) -> str:
    """Kept without a secret that is in it, its commands would be other ones when they are read
    again."""
    content = spell(contract).encode()
    digest = evidence.put(content)
    if digest != hashlib.sha256(content).hexdigest():
        raise ContractHoldsSecret
    return digest


def read_objective(content: bytes, *, name: str) -> str:
    """The words of an issue. ``spec.spec_unreadable`` when there are none."""
    if b"\0" in content[:4096]:
        raise SpecError("spec.spec_unreadable", f"{name} is not text")
    text = content[:OBJECTIVE_LIMIT].decode(errors="replace").lstrip("\ufeff")
    if not _says(see_prose(text).text):
        raise SpecError("spec.spec_unreadable", f"{name} is empty: say what is wanted")
    return text


def title_of(objective: str) -> str:
    """The first line that says something, without the marks of a heading."""
    lines = (line.strip().lstrip("#").strip() for line in objective.splitlines())
    return one_line(next((line for line in lines if _says(line)), "change"), TITLE)


def _says(text: str) -> bool:
    """Whether there is anything to see: what showed nothing is U+FFFD by now."""
    return bool(text.replace(REPLACEMENT, "").strip())


def slug_of(title: str) -> str:
    """Letters, digits and dashes; whatever the alphabet, there is something left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SLUG].strip("-")
    return words or "change"
