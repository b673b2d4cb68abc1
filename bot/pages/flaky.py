"""
A search for flaky tests, and the mends of what it found, as one page: a single file that needs
nothing else.

Says what the terminal says, with every count and a small plot of each rate's interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.core.flaky import plot, telling
from bot.core.flaky.factors import words
from bot.core.flaky.finding import Finding, Standing
from bot.core.flaky.mend_facts import FAILED, INVALID, PASSED
from bot.core.flaky.mend_steps import Mend
from bot.core.flaky.runs import Count
from bot.core.flaky.search_report import SearchReport
from bot.core.flaky.statistics import interval

WIDE = 30
"""Dots in a row."""
KINDS = {PASSED: "passed", FAILED: "failed", INVALID: "invalid"}
COLOURS = {"verified": "good", "failed": "bad"}


@dataclass(frozen=True, slots=True)
class Bar:
    """One count: its words, and where its interval begins, stands and ends, in percent."""

    what: str
    said: str
    low: float
    share: float
    high: float


@dataclass(frozen=True, slots=True)
class Dot:
    """One run: its place in a grid, and what came of it."""

    column: int
    row: int
    kind: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A series of runs: a dot for each, and the interval where they are a sample."""

    name: str
    what: str
    said: str
    dots: tuple[Dot, ...]
    bar: Bar | None

    @property
    def height(self) -> int:
        return 1 + max((dot.row for dot in self.dots), default=0)


@dataclass(frozen=True, slots=True)
class Mended:
    word: str
    colour: str
    why: str
    drawn: tuple[Drawn, ...]
    checks: tuple[tuple[str, str, str], ...]
    files: tuple[str, ...]
    branch: str
    open: tuple[str, ...]


def render(report: SearchReport, mends: Sequence[Mend] = ()) -> str:
    environment = Environment(
        loader=PackageLoader("bot.pages"), autoescape=True, undefined=StrictUndefined
    )
    template = environment.get_template("flaky.html")
    told = [(mend.finding, _mended(mend)) for mend in mends]
    mended = {cause.test: made for cause, made in told if cause and made}
    first = {test: cause.test for cause, made in told if cause and made for test in cause.tests}
    return template.render(
        report=report,
        headline=telling.headline(report),
        remaining=list(telling.remaining(report)),
        flaky=report.flaky,
        mended=mended,
        first=first,
        suspects=[one for one in report.findings if one.standing is Standing.SUSPECT],
        repeated=[one for one in report.findings if one.standing is Standing.REPEATED],
        bars=_bars,
        words=words,
        rate=telling.rate,
        wide=WIDE,
    )


def _bars(finding: Finding) -> list[Bar]:
    counts = [finding.before, finding.plain, *finding.others]
    return [_bar(count) for count in counts if count.runs]


def _bar(count: Count) -> Bar:
    span = interval(count.failed, count.runs)
    share = 100 * count.failed / count.runs
    low, high = round(100 * span.low, 1), round(100 * span.high, 1)
    return Bar(words(count.condition), telling.rate(count), low, round(share, 1), high)


def _mended(mend: Mend) -> Mended | None:
    word, published = mend.session.adjudicated, mend.session.published
    if word is None:
        return None
    return Mended(
        word=word.end,
        colour=COLOURS.get(word.end, "middling"),
        why=word.why,
        drawn=tuple(map(_drawn, plot.rows(mend))),
        checks=tuple((check.name, check.result, check.why) for check in word.checks),
        files=tuple(
            f"{one.path} +{one.added or 0} −{one.removed or 0}"  # noqa: RUF001  # a minus sign
            for one in word.changes
        ),
        branch=published.branch if published else "",
        open=word.not_verified,
    )


def _drawn(row: plot.Row) -> Drawn:
    dots = (Dot(n % WIDE, n // WIDE, KINDS[mark]) for n, mark in enumerate(row.marks))
    bar = None
    if row.low is not None and row.high is not None:
        low, rate, high = (round(100 * share, 1) for share in (row.low, row.rate, row.high))
        bar = Bar(row.what, row.said, low, rate, high)
    return Drawn(row.name, row.what, row.said, tuple(dots), bar)
