"""
What one run under a condition showed of every test, and how runs are counted.

A test that did not run has not passed: a run is valid for the tests that it judged and for no
others, and a run that judged nothing is invalid and counted apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import NonNegativeInt

from bot.core.flaky.condition import Condition
from bot.core.parts import Fact
from bot.core.spoken import Sha256


class Seen(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ABSENT = "absent"  # skipped, deselected, not collected, or lost with its process


class Leaked(Fact):
    """A piece of state that a test left changed: ``where`` names it, as ``os.environ['X']``."""

    where: str
    before: str  # repr, bounded
    after: str
    by: str  # the test


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """
    ``failures``: failed test id -> signature (exception type, message without numbers and
    addresses, first line in the repository). ``order``: the ids as they were run.
    ``invalid``: why the run tells nothing at all, or ''.
    """

    number: int  # of its search
    condition: Condition
    passed: frozenset[str] = frozenset()
    failures: dict[str, str]
    order: tuple[str, ...] = ()
    seconds: float = 0.0
    load_average: float = 0.0
    invalid: str = ""
    report_sha256: str = ""  # evidence
    texts: dict[str, str] = field(default_factory=dict)  # failed test id -> the end of its failure
    lasted: dict[str, float] = field(default_factory=dict)  # seconds of each test
    leaked: tuple[Leaked, ...] = ()  # only where it was looked for

    def of(self, test: str) -> Seen:
        if self.invalid:
            return Seen.ABSENT
        if test in self.failures:
            return Seen.FAILED
        return Seen.PASSED if test in self.passed else Seen.ABSENT


class Count(Fact):
    """Of one set of tests under one condition. ``failed`` has one signature only."""

    condition: Condition
    runs: NonNegativeInt  # valid ones
    failed: NonNegativeInt
    invalid: NonNegativeInt = 0
    evidence: tuple[Sha256, ...] = ()
