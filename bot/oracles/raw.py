"""
What a gate left behind, and the one rule that every dialect shares: report and exit code must
agree. A parser reads a ``Raw``; it never runs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from bot.core.contract import Gate
from bot.core.report import Case, Mark, Reading, Report, Unreadable, worst

MESSAGE = 4000  # characters that are kept of the end of a failure
BAD = (Mark.FAILED, Mark.ERRORED)
NOT_RUN = {126: "found the command, but could not run it", 127: "did not find the command"}
SIGNALS = range(129, 193)


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    exit_code: int | None  # None: the command did not end by itself
    output: str
    recording: bytes
    report_file: bytes | None
    gate: Gate

    @property
    def text(self) -> str:
        """What the command wrote where its report was asked for."""
        if self.report_file is None:
            return self.output
        return self.report_file.decode(errors="replace")


Parser: TypeAlias = Callable[[Raw], Reading]


def not_judged(raw: Raw) -> Unreadable | None:
    """Reasons to believe no report at all, whatever it says."""
    if raw.exit_code is None:
        return Unreadable("the command did not end by itself", cut=True)
    if raw.exit_code in NOT_RUN:
        return Unreadable(f"the shell {NOT_RUN[raw.exit_code]} (exit {raw.exit_code})")
    return None


def agreed(report: Report, raw: Raw, *, bad: tuple[Mark, ...] = BAD) -> Reading:
    """
    A report that says "failed" is believed whatever the exit code says: forging that helps nobody.
    One that says "passed" is believed only if the exit code says so too.
    """
    if problem := not_judged(raw):
        return problem
    if not report.cases and not report.uncollectable:
        return Unreadable("no test ran")
    is_bad = bool(report.uncollectable) or report.count(*bad) > 0
    if raw.exit_code and not is_bad:
        why = f"the command ended with {raw.exit_code}, though no test failed"
        return Unreadable(why, untold=True)
    return report


def merged(cases: Iterable[Case]) -> tuple[Case, ...]:
    """One case per id, in order of appearance. An id that came twice keeps its worst mark."""
    found: dict[str, Case] = {}
    for case in cases:
        known = found.get(case.id)
        found[case.id] = case if known is None else _both(known, case)
    return tuple(found.values())


def _both(one: Case, other: Case) -> Case:
    mark = worst(one.mark, other.mark)
    return Case(
        id=one.id,
        mark=mark,
        message=(one if one.mark is mark else other).message,
        seconds=one.seconds + other.seconds,
        doubled=True,
    )
