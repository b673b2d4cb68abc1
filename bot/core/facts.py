"""
What was looked up before a decision: the facts that a delivery does not carry.

``None`` means that nobody has looked yet, and only that. A question that the API refused to answer
is answered with the least (no permission, no head), so that doubt denies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.core.contract import Contract
from bot.core.permission import Permission
from bot.core.thread import Account, Pull


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """Who jam is. ``app`` None: a workflow's token, whose checks cannot be told from others'."""

    account: int
    app: int | None = None

    def wrote(self, account: Account) -> bool:
        return account.id == self.account


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What of the contract decides whether something starts. ``fault``: why there is none."""

    label: str = "jam"
    checks: Mapping[str, str] = field(default_factory=dict)
    oracles: tuple[str, ...] = ()
    attempts: int = 3
    day_cents: int = 0  # 0: no limit
    branch_prefix: str = "jam/"
    fault: str = ""


def rules(contract: Contract, *, fault: str = "") -> Rules:
    """``fault``: with a contract that cannot be read, the defaults and the reason."""
    return Rules(
        label=contract.label,
        checks=dict(contract.checks),
        oracles=tuple(contract.oracles),
        attempts=contract.budget.attempts,
        day_cents=round(contract.budget.usd_per_day * 100),
        branch_prefix=contract.publish.branch_prefix,
        fault=fault,
    )


class State(StrEnum):
    """How the last session of a thread stands."""

    NONE = "none"
    QUEUED = "queued"
    RUNNING = "running"
    ASKING = "asking"  # rests until somebody approves
    RESTING = "resting"  # rests, and can go on
    ENDED = "ended"

    @property
    def is_busy(self) -> bool:
        return self in (State.QUEUED, State.RUNNING, State.ASKING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The last session of a thread, its pull request included, and the head judged last there."""

    state: State = State.NONE
    session: str = ""
    judged_sha: str = ""


@dataclass(frozen=True, slots=True)
class Gone:
    """It was looked for, and is not there."""


class Need(StrEnum):
    """A fact to look up; the value is the name of its field in ``Facts``."""

    RULES = "rules"  # from the contract on the default branch
    PERMISSION = "permission"  # of the sender, or of the lowest of a check's actors, by the API
    STANDING = "standing"
    ATTEMPTS = "attempts"  # sessions so far under the key that ``LookUp`` names
    SPENT = "spent_cents"  # of the repository, today
    PULL = "pull"
    HEAD = "head"  # where the check's branch is now
    FAILING = "failing"  # the checks or jobs that failed in a suite or a workflow run


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    own: Own
    bots: frozenset[int] = frozenset()  # accounts of bots that count as writers
    rules: Rules | None = None
    permission: Permission | None = None
    standing: Standing | None = None
    attempts: int | None = None
    spent_cents: int | None = None
    pull: Pull | Gone | None = None
    head: str | None = None  # '' for a branch that is gone
    failing: tuple[str, ...] | None = None

    def trusts(self, account: Account) -> bool:
        """A bot that was allowed by its number counts as a writer; a person's is always asked."""
        return account.is_bot and account.id in self.bots

    def lacks(self, *needs: Need) -> frozenset[Need]:
        return frozenset(need for need in needs if getattr(self, need.value) is None)
