"""
A search for flaky tests as one page: a single file that needs nothing else.

Says what the terminal says, with every count and a small plot of each rate's interval.
"""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.core.flaky import telling
from bot.core.flaky.factors import words
from bot.core.flaky.finding import Finding, Standing
from bot.core.flaky.runs import Count
from bot.core.flaky.search_report import SearchReport
from bot.core.flaky.statistics import interval


@dataclass(frozen=True, slots=True)
class Bar:
    """One count: its words, and where its interval begins, stands and ends, in percent."""

    what: str
    said: str
    low: float
    share: float
    high: float


def render(report: SearchReport) -> str:
    environment = Environment(
        loader=PackageLoader("bot.pages"), autoescape=True, undefined=StrictUndefined
    )
    template = environment.get_template("flaky.html")
    return template.render(
        report=report,
        headline=telling.headline(report),
        remaining=list(telling.remaining(report)),
        flaky=report.flaky,
        suspects=[one for one in report.findings if one.standing is Standing.SUSPECT],
        bars=_bars,
        words=words,
    )


def _bars(finding: Finding) -> list[Bar]:
    counts = [finding.before, finding.plain, *finding.others]
    return [_bar(count) for count in counts if count.runs]


def _bar(count: Count) -> Bar:
    span = interval(count.failed, count.runs)
    share = 100 * count.failed / count.runs
    low, high = round(100 * span.low, 1), round(100 * span.high, 1)
    return Bar(words(count.condition), telling.rate(count), low, round(share, 1), high)
