"""
The body of a mend's pull request, from its ledger alone: statistics, and what they leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bot.core import fence
from bot.core.body_end import machine_block
from bot.core.body_tables import changes_table, reached
from bot.core.flaky import factors, plot
from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_facts import Sampled
from bot.core.flaky.mend_rules import bound_of, chance_unchanged
from bot.core.flaky.mend_steps import Attempt, Mend, fold
from bot.core.flaky.statistics import percent
from bot.core.ledger import Sealed
from bot.core.parts import Remark
from bot.core.pr_body import HEADLINES, LIMIT
from bot.core.words import many_of, sentence

SHORT = 12
TESTS = 12


def is_mend(ledger: Sequence[Sealed]) -> bool:
    return any(isinstance(sealed.fact, Finding) for sealed in ledger[:3])


def render(ledger: Sequence[Sealed], *, issue: int | None = None) -> str:
    mend = fold(ledger)
    finding = mend.finding
    if finding is None:
        return machine_block(mend.session, ledger)
    sections = [section(mend, finding, issue) for section in SECTIONS]
    sections.append("\n".join(f"- {line}" for line in reached(ledger)))
    # Only jam's own block at the end is hidden: a comment in a failure's words shows itself.
    told = "\n\n".join([text for text in sections if text]).replace("<!--", "<! --")
    block = machine_block(mend.session, ledger)
    room = LIMIT - len(block) - 80
    cut = "" if len(told) <= room else "\n\n> … cut here; the ledger has all of it."
    return f"{told[:room]}{cut}\n\n{block}"


def _what(mend: Mend, finding: Finding, issue: int | None) -> str:
    end = mend.session.adjudicated.end if mend.session.adjudicated else ""
    # Never "Fixes": the issue is closed when searches no longer see it, and not by a merge.
    about = f"Refs #{issue}: " if issue is not None else ""
    more = len(finding.tests) - 1
    others = f" and {many_of(more, 'other test')} of the same cause" if more > 0 else ""
    verb = "Mends" if end == "verified" else "Tried to mend"
    last, own = mend.session.last, ""
    if last and last.said.strip():
        by = fence.cell(last.agent, limit=80)
        own = f"\n\nThe agent's own words ({by}; not checked):\n\n"
        own += fence.block(last.said, info="text", limit=1800)
    return f"{about}{verb} a flaky test: {fence.code(finding.test)}{others}.{own}"


def _verdict(mend: Mend, finding: Finding, _: int | None) -> str:
    word, opened = mend.session.adjudicated, mend.session.opened
    if word is None or opened is None:
        return ""
    why = "; ".join(finding.why[:3])
    lines = [
        f"{HEADLINES[word.end]} {sentence(fence.prose(word.why))}",
        "",
        f"- Category: {finding.category.value}" + (f" ({fence.prose(why)})." if why else "."),
        f"- Fails with: {fence.code(finding.signature)}.",
        f"- Condition: {fence.prose(factors.words(finding.condition))}.",
    ]
    if finding.polluters:
        lines.append(f"- Polluters: {_names(finding.polluters)}.")
    for leaked in finding.leaked[:6]:
        lines.append(
            f"- {fence.code(leaked.by)} leaves {fence.code(leaked.where)} changed: "
            f"{fence.code(leaked.before, limit=60)} became {fence.code(leaked.after, limit=60)}."
        )
    lines.append(f"- Base `{opened.base[:SHORT]}`, tree of the change `{word.tree[:SHORT]}`.")
    lines.append(f"- Sandbox: {opened.sandbox}.")
    repro = f"\n\nTo see it fail:\n\n{fence.block(finding.command)}" if finding.command else ""
    return "\n".join(lines) + repro


def _first(mend: Mend, _finding: Finding, _: int | None) -> str:
    word, last = mend.session.adjudicated, mend.last
    told: list[str] = []
    told += [f"{fence.prose(one)}." for one in (word.review if word else ())]
    told += [_remark(one) for one in (word.remarks if word else ())]
    if last and last.guarded:
        told += [f"**Refused:** {_remark(one)}" for one in last.guarded.refusals[:TESTS]]
        told += [f"**Allowed by a person:** {_remark(one)}" for one in last.guarded.lifted]
    return "### Look at this first\n\n" + "\n".join(f"- {one}" for one in told) if told else ""


def _evidence(mend: Mend, finding: Finding, _: int | None) -> str:
    before, planned = finding.before, mend.planned
    if planned is None:
        return ""
    interval = f"95% interval {percent(planned.low)} to {percent(planned.high)}"
    head = "| | failed / runs | what it says |\n|---|--:|---|"
    rows = [
        f"| before, under the condition found | {before.failed} / {before.runs} | "
        f"{percent(before.failed / before.runs)}, {interval} |"
    ]
    plain = finding.plain
    if plain.runs:
        rows.append(f"| before, as the command runs it | {plain.failed} / {plain.runs} | |")
    if mend.red:
        rows.append(
            f"| before, shown again in this session | {mend.red.failed} / {mend.red.runs} | red |"
        )
    last = mend.last
    rows += _after(last, finding) if last else []
    drawn = plot.text(plot.rows(mend))
    invalid = before.invalid + sum(one.invalid for one in _made(last))
    counted = f"Runs that judged nothing of the test are counted apart: {invalid}. "
    fixed = (
        f"The numbers of runs were fixed before the first ({planned.same} and {planned.free}), for "
        f"up to {planned.attempts} patches; the first failure ends an attempt."
    )
    return "\n".join(
        ["### Evidence", "", head, *rows, "", f"{counted}{fixed}", "", fence.block(drawn)]
    ).rstrip()


def _after(last: Attempt, finding: Finding) -> Iterator[str]:
    before = finding.before
    if last.replay:
        yield (
            f"| after, every recorded failure replayed | {_count(last.replay)} | "
            f"{'all pass' if last.replay.is_clean else 'fails again'} |"
        )
    if last.same:
        chance = chance_unchanged(before.failed, before.runs, last.same.runs)
        bound = percent(bound_of(last.same.runs))
        said = f"below {bound} at 95%; chance of this if nothing had changed: {chance:.2g}"
        said = said if last.same.is_clean else "not clean"
        yield f"| after, under the condition found | {_count(last.same)} | {said} |"
    if last.free:
        said = f"below {percent(bound_of(last.free.runs))} at 95%"
        said = said if last.free.is_clean else "not clean"
        yield f"| after, fresh orders and seeds | {_count(last.free)} | {said} |"
    if last.suite:
        broken = (*last.suite.lost, *last.suite.worse)
        said = f"not kept: {fence.code_cell(broken[0])}" if broken else "no test lost or worse"
        runs = f"{last.suite.fixed} fixed, {last.suite.shuffled} shuffled"
        yield f"| the whole suite ({last.suite.tests} tests) | {runs} | {said} |"
    if last.mutated:
        one = last.mutated
        noticed = f"{one.before} sightings by its tests before, {one.after} of these still"
        said = noticed if one.before else fence.cell(one.why)
        yield f"| breaks of the product, made on purpose | {one.tried} tried | {said} |"


def _made(last: Attempt | None) -> list[Sampled]:
    made = (last.replay, last.same, last.free) if last else ()
    return [one for one in made if one]


def _count(one: Sampled) -> str:
    return f"{one.failed} / {one.runs}"


def _attempts(mend: Mend, __: Finding, _: int | None) -> str:
    """Those before the last: what was tried, and what spoke against it."""
    tried = [one for one in mend.attempts if one.fault]
    if not tried:
        return ""
    lines = [f"- patch {one.number}: {fence.prose(one.fault)}" for one in tried[:TESTS]]
    return "### Tried\n\n" + "\n".join(lines)


def _changed(mend: Mend, __: Finding, _: int | None) -> str:
    word = mend.session.adjudicated
    return f"### Changed files\n\n{changes_table(word)}" if word and word.files else ""


def _open(mend: Mend, __: Finding, _: int | None) -> str:
    word = mend.session.adjudicated
    if word is None:
        return ""
    return "### Not verified\n\n" + "\n".join(f"- {fence.prose(o)}" for o in word.not_verified)


def _used(mend: Mend, __: Finding, _: int | None) -> str:
    session = mend.session
    name = session.opened.session if session.opened else ""
    return (
        f"{many_of(session.turns, 'turn')} · {session.seconds:.0f} s of runs and turns · "
        f"`jam show {name}` tells the whole story"
    )


def _remark(remark: Remark) -> str:
    return f"{fence.code(remark.place)}: {fence.prose(remark.what)}."


def _names(tests: Sequence[str]) -> str:
    shown = ", ".join(fence.code(test) for test in tests[:TESTS])
    more = len(tests) - TESTS
    return f"{shown} and {more} more" if more > 0 else shown


SECTIONS: tuple[Callable[[Mend, Finding, int | None], str], ...] = (
    _what,
    _verdict,
    _first,
    _evidence,
    _attempts,
    _changed,
    _open,
    _used,
)
