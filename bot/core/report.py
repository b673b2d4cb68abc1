"""
What a gate said: one mark per test id.

A parser returns either a ``Report`` (whole, nothing contradicts itself) or ``Unreadable`` with the
reason. A parser that cannot be sure refuses; silence is never "passed". Whether a report is good
news is not decided here (see ``bot.core.verdict``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias


class Mark(StrEnum):
    """Worst first: an id that was reported twice keeps its worst mark."""

    ERRORED = "errored"  # failed outside the call phase: fixture, collection, tear-down
    FAILED = "failed"
    XPASSED = "xpassed"
    XFAILED = "xfailed"
    SKIPPED = "skipped"
    PASSED = "passed"


SEVERITY = {mark: place for place, mark in enumerate(Mark)}


def worst(*marks: Mark) -> Mark:
    return min(marks, key=SEVERITY.__getitem__)


@dataclass(frozen=True, slots=True)
class Case:
    """``id`` is the full id: file, class, name, parameters. ``doubled`` ran more than once."""

    id: str
    mark: Mark
    message: str = ""
    seconds: float = 0.0
    doubled: bool = False


@dataclass(frozen=True, slots=True)
class Uncollectable:
    """A file (or module) that could not be collected, with the end of why."""

    path: str
    message: str = ""
    missing_module: str = ""  # set when an import failed for want of this top-level module


@dataclass(frozen=True, slots=True)
class Report:
    cases: tuple[Case, ...] = ()
    uncollectable: tuple[Uncollectable, ...] = ()
    #: file each watched module was really imported from, as the reporter saw it
    origins: Mapping[str, str] = field(default_factory=dict)
    #: attributes of the test framework that changed while it ran, as the reporter saw them
    tampering: tuple[str, ...] = ()

    def ids(self, *marks: Mark) -> frozenset[str]:
        return frozenset(case.id for case in self.cases if case.mark in marks)

    def count(self, *marks: Mark) -> int:
        return sum(case.mark in marks for case in self.cases)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The gate left no report that can be believed. ``reason`` is one sentence."""

    reason: str
    #: True where the report began and its end is missing (a crash, a hang, an early exit)
    cut: bool = False
    #: True where the run says that it failed, and tells of no test that did
    untold: bool = False


Reading: TypeAlias = Report | Unreadable
