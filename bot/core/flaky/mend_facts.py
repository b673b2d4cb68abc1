"""
The facts of a mend's ledger, besides those that every session has.

A run of a test is evidence under its digest; here are only counts, the conditions that mattered,
and one mark for each run, in the order in which they were made.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, TypeAlias

from bot.core.flaky.condition import Condition
from bot.core.flaky.finding import Finding
from bot.core.parts import Fact, Remark
from bot.core.spoken import Sha256, ShaGit

PASSED, FAILED, INVALID = "●", "○", "·"


class Arm(StrEnum):
    """Why a series of runs was made."""

    RED = "red"  # on the base, under the condition found
    REPLAY = "replay"  # every condition under which it had failed
    SAME = "same"  # the condition found, again and again
    FREE = "free"  # fresh orders and seeds, with the tests around it


class Planned(Fact):
    """How many runs will decide, fixed before any of them is looked at."""

    kind: Literal["planned"] = "planned"
    attempts: int  # that are paid for: the error is shared among them
    low: float  # of the rate before, 95 %
    high: float
    same: int
    free: int
    bound: float  # above which the rate would have shown itself, at 95 %
    wanted: float  # the bound that was aimed at
    seconds: float  # of one run
    affordable: bool  # whether the rule can be met within the budget
    allowed: tuple[str, ...] = ()  # rules of the guard that a person lifted


class Guarded(Fact):
    """What the change does to tests, judged by reading it."""

    kind: Literal["guarded"] = "guarded"
    attempt: int
    tree: ShaGit
    refusals: tuple[Remark, ...] = ()
    lifted: tuple[Remark, ...] = ()  # a person allowed these
    remarks: tuple[Remark, ...] = ()


class Sampled(Fact):
    """A series of runs. ``attempt`` 0 is the base. ``failing``: the first that failed."""

    kind: Literal["sampled"] = "sampled"
    attempt: int
    arm: Arm
    tree: ShaGit
    needed: int
    runs: int  # valid ones
    failed: int
    invalid: int = 0
    marks: str = ""
    failing: Condition | None = None
    signature: str = ""
    failure: str = ""
    why: str = ""  # why no more runs could be made
    evidence: tuple[Sha256, ...] = ()
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        return self.failed == 0 and self.runs >= self.needed


class SuiteRan(Fact):
    """All tests, in fixed and in shuffled order. ``counts_sha256``: passed and failed, by id."""

    kind: Literal["suite ran"] = "suite ran"
    attempt: int
    tree: ShaGit
    fixed: int
    shuffled: int
    invalid: int = 0
    tests: int = 0
    counts_sha256: Sha256
    lost: tuple[str, ...] = ()  # of the base's: never ran, or always fail now
    worse: tuple[str, ...] = ()  # fail more often than on the base
    seconds: float = 0.0


class Mutated(Fact):
    """Whether the test still notices when what it tests is broken. ``why``: where it cannot be
    tried, or what was done."""

    kind: Literal["mutated"] = "mutated"
    attempt: int
    tree: ShaGit
    tried: int = 0
    before: int = 0  # sightings on the base: a break and a test that notices it
    after: int = 0  # of those, sightings on the change
    lost: tuple[str, ...] = ()
    allowance: int = 0
    why: str = ""
    seconds: float = 0.0


MendFact: TypeAlias = Finding | Planned | Guarded | Sampled | SuiteRan | Mutated
