"""
What a search came to, in words and numbers, for a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.core.flaky.factors import words
from bot.core.flaky.finding import Finding, Standing
from bot.core.flaky.runs import Count
from bot.core.flaky.search_report import SearchReport
from bot.core.flaky.statistics import interval, percent
from bot.core.visible import one_line

SHOWN = 12  # names of one list
WIDE = 200


def rate(count: Count) -> str:
    """``7 of 60 (12%, 4.8% to 23%)``: the interval holds with 95%."""
    if not count.runs:
        return f"no valid run ({count.invalid} invalid)"
    span = interval(count.failed, count.runs)
    share = percent(count.failed / count.runs)
    invalid = f", {count.invalid} invalid" if count.invalid else ""
    return f"{count.failed} of {count.runs} ({share}, {span}{invalid})"


def headline(report: SearchReport) -> str:
    """One sentence: what is known now."""
    flaky = report.flaky
    tests = sum(len(one.tests) for one in flaky)
    if flaky:
        causes = "one cause" if len(flaky) == 1 else f"{len(flaky)} causes"
        what = "1 test is flaky" if tests == 1 else f"{tests} tests are flaky"
        return f"{what}, from {causes}."
    if not report.judged:
        return "Nothing could be judged."
    if not report.complete:
        return f"No flaky test was proven among {report.tests}, and not all could be judged."
    return f"No flaky test was found among {report.tests}."


def render(report: SearchReport) -> str:
    """The whole answer."""
    parts = [headline(report), _ran(report)]
    parts += [finding(one) for one in report.findings if one.standing is Standing.FLAKY]
    suspects = [one for one in report.findings if one.standing is Standing.SUSPECT]
    if suspects:
        parts.append(_section("Suspects: they failed, and not often enough to prove anything", [
            f"{one.test}: {one.why[-1] if one.why else rate(one.before)}" for one in suspects
        ]))  # fmt: skip
    repeated = [one for one in report.findings if one.standing is Standing.REPEATED]
    if repeated:
        parts.append(_section("Not idempotent: they fail only when run twice in one process", [
            f"{one.test}: {rate(one.before)}" for one in repeated
        ]))  # fmt: skip
    if report.broken:
        parts.append(_section("Broken, not flaky: these fail always", [
            f"{test}: {one_line(signature, WIDE)}" for test, signature in report.broken
        ]))  # fmt: skip
    if report.unjudged:
        parts.append(_section("Could not be judged", [
            f"{one.test}: {one_line(one.why, WIDE)}" if one.test else one_line(one.why, WIDE)
            for one in report.unjudged
        ]))  # fmt: skip
    parts.append(_section("What remains possible", list(remaining(report))))
    return "\n\n".join(part for part in parts if part)


def finding(one: Finding) -> str:
    lines = [
        one.test,
        f"  category   {one.category.value}",
        f"  fails      {words(one.condition)}: {rate(one.before)}",
        f"  plain      {rate(one.plain)}",
    ]
    lines += [f"  because    {why}" for why in one.why]
    lines += _listed("  polluter   ", one.polluters)
    lines += _listed("  needs      ", one.setters)
    lines += [
        f"  leaves     {leaked.where}: {one_line(leaked.before, 60)} → {one_line(leaked.after, 60)}"
        for leaked in one.leaked[:5]
    ]
    if len(one.tests) > 1:
        lines += _listed("  also       ", one.tests[1:])
    lines.append(f"  signature  {one_line(one.signature, WIDE)}")
    if one.command:
        first, *rest = one.command.splitlines()
        lines += [f"  try        {first}", *rest]
    return "\n".join(lines)


def remaining(report: SearchReport) -> Iterator[str]:
    """What the runs that were made do not exclude, a sentence each."""
    told = [
        f"{percent(arm.bound)} of {arm.name} runs ({arm.runs} made)"
        for arm in sorted(report.arms, key=lambda arm: arm.bound)
        if arm.runs
    ]
    if told:
        yield f"a test that never failed may still fail in up to {', '.join(told)}"
    yield from report.missing
    if not report.finished:
        yield "the time ran out before every wavering test was understood (--budget gives more)"


def _ran(report: SearchReport) -> str:
    arms = ", ".join(f"{arm.runs} {arm.name}" for arm in report.arms if arm.runs)
    return (
        f"{report.runs} runs of `{report.command}` at {report.commit[:12]} in "
        f"{report.seconds:.0f} s on {report.cores} cores (load {report.load_average:.1f}); "
        f"to look: {arms or 'none'}."
    )


def _section(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    more = [f"  … and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n".join([f"{title}:", *(f"  {line}" for line in lines[:SHOWN]), *more])


def _listed(head: str, names: Sequence[str]) -> list[str]:
    shown = [f"{head if at == 0 else ' ' * len(head)}{name}" for at, name in enumerate(names)]
    more = [f"{' ' * len(head)}… and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return shown[:SHOWN] + more
