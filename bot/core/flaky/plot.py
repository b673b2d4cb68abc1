"""
The runs of a mend as marks, and the rates that they leave possible as lines: before beside after.

Rows of numbers for whoever draws, and the drawing in letters. Needs no statistics package: what was
seen before stands in the plan with its interval, and of clean runs the interval is a formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.core.flaky.mend_facts import FAILED, INVALID, PASSED, Arm, Sampled
from bot.core.flaky.mend_steps import Mend
from bot.core.flaky.runs import Count
from bot.core.flaky.statistics import percent

STRIP = 60
MOST_ROWS = 6
NAME = 8
SCALE = 40
TAIL = 0.025
NAMES = {Arm.RED: "again", Arm.REPLAY: "replay", Arm.SAME: "after", Arm.FREE: "fresh"}
WHAT = {
    Arm.RED: "on the base, in this session",
    Arm.REPLAY: "on the change, every recorded failure",
    Arm.SAME: "on the change, under the condition found",
    Arm.FREE: "on the change, under fresh orders and seeds",
}
COUNTED = (Arm.SAME, Arm.FREE)
"""Samples, of which a rate can be told. Others stop at the first failure, or were chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """``marks``: one for each run. ``low`` and ``high``: Clopper and Pearson's 95% interval of the
    rate, None where the runs are no sample."""

    name: str
    what: str
    marks: str
    failed: int
    runs: int
    low: float | None = None
    high: float | None = None

    @property
    def rate(self) -> float:
        return self.failed / self.runs if self.runs else 0.0

    @property
    def said(self) -> str:
        told = f"{self.failed} of {self.runs} failed"
        if self.low is None or self.high is None:
            return told
        return f"{told}: {percent(self.rate)} ({percent(self.low)} to {percent(self.high)})"


def rows(mend: Mend) -> tuple[Row, ...]:
    return tuple(_rows(mend))


def _rows(mend: Mend) -> Iterator[Row]:
    if mend.finding is None or mend.planned is None:
        return
    before = mend.finding.before
    yield Row(
        name="before",
        what="in the search, under the condition found (those that failed first)",
        marks=_marks(before),
        failed=before.failed,
        runs=before.runs,
        low=mend.planned.low,
        high=mend.planned.high,
    )
    last = mend.last
    made = (mend.red, *((last.replay, last.same, last.free) if last else ()))
    yield from (_row(one) for one in made if one is not None and one.marks)


def _marks(count: Count) -> str:
    passed = count.runs - count.failed
    return FAILED * count.failed + PASSED * passed + INVALID * count.invalid


def _row(one: Sampled) -> Row:
    is_sample = one.arm in COUNTED and one.failed == 0 and one.runs > 0
    return Row(
        name=NAMES[one.arm],
        what=WHAT[one.arm],
        marks=one.marks,
        failed=one.failed,
        runs=one.runs,
        low=0.0 if is_sample else None,
        high=1 - TAIL ** (1 / one.runs) if is_sample else None,
    )


def text(drawn: Sequence[Row]) -> str:
    """Marks of every run, then the lines below each other on one scale; '' for nothing."""
    if not drawn:
        return ""
    lines = [line for row in drawn for line in _strip(row)]
    lines += ["", f"{PASSED} passed  {FAILED} failed  {INVALID} could not be judged", ""]
    lines += ["The rate that fails, and its 95% interval (Clopper and Pearson's, two-sided):", ""]
    lines += [f"{'':{NAME}}{_axis()}"]
    lines += [f"{row.name:{NAME}}{_line(row)}" for row in drawn if row.low is not None]
    return "\n".join(line.rstrip() for line in lines)


def _strip(row: Row) -> list[str]:
    parts = [row.marks[at : at + STRIP] for at in range(0, len(row.marks), STRIP)]
    left = [f"{'':{NAME}}…"] if len(parts) > MOST_ROWS else []
    names = [row.name] + [""] * (len(parts) - 1)
    pairs = zip(names[:MOST_ROWS], parts[:MOST_ROWS], strict=True)
    return [*(f"{name:{NAME}}{part}" for name, part in pairs), *left]


def _axis() -> str:
    ends = {0: "0%", SCALE // 4: "25%", SCALE // 2: "50%", 3 * SCALE // 4: "75%", SCALE: "100%"}
    line = ""
    for place, word in ends.items():
        line = f"{line:{place}}{word}"
    return line


def _line(row: Row) -> str:
    """``├──◆──┤``, and what it says."""
    low, high = round((row.low or 0.0) * SCALE), round((row.high or 0.0) * SCALE)
    letters = [" "] * (SCALE + 1)
    for place in range(low, high + 1):
        letters[place] = "─"
    letters[low], letters[high] = "├", "┤"
    letters[round(row.rate * SCALE)] = "◆"
    return f"{''.join(letters)}  {row.said}"
