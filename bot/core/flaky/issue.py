"""
The issue of one root cause: its hidden marks, its state over scheduled searches, and its text.

The first line is the address and never changes; the second is the state and is written anew by
each search. What has been seen is foreign text, and stands fenced.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.core import fence
from bot.core.flaky.factors import words
from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_rules import bound_of
from bot.core.flaky.quarantine_watch import QUIET_RUNS
from bot.core.flaky.runs import Count
from bot.core.flaky.statistics import interval, percent
from bot.core.visible import one_line

KIND = "<!-- jam:flaky v1 "
_MARK = re.compile(r"<!-- jam:flaky v1 key=(?P<key>[0-9a-f]{20}) -->")
_STATE = re.compile(
    r"<!-- jam:flaky-state test=(?P<test>[0-9a-f]{20}) seen=(?P<strip>[fc?]{0,60}) "
    r"clean=(?P<clean>\d{1,9}) tries=(?P<tries>\d{1,4}) -->"
)
FAILED, CLEAN, UNKNOWN = "f", "c", "?"
SIGNS = {FAILED: "○", CLEAN: "●", UNKNOWN: "·"}
LONGEST = 60
TESTS = 30
TITLE = 120


def key_of(words: str) -> str:
    """Short, and of no letters that a hidden mark could not hold."""
    return hashlib.sha256(words.encode()).hexdigest()[:20]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """
    ``test``: the key of the one that was measured, ``strip``: what each search saw, the newest
    last. ``clean``: runs since it failed last, ``tries``: mends that were begun.
    """

    test: str = "0" * 20
    strip: str = ""
    clean: int = 0
    tries: int = 0

    @property
    def quiet(self) -> int:
        """Searches since it was seen. Those that could not tell are not counted."""
        return self.strip.rpartition(FAILED)[2].count(CLEAN)

    def after(self, sign: str, *, runs: int = 0) -> State:
        clean = {FAILED: 0, CLEAN: self.clean + runs}.get(sign, self.clean)
        return replace(self, strip=(self.strip + sign)[-LONGEST:], clean=clean)

    @property
    def line(self) -> str:
        return (
            f"<!-- jam:flaky-state test={self.test} seen={self.strip} clean={self.clean} "
            f"tries={self.tries} -->"
        )


def key_in(body: str) -> str:
    """'' where the first line is no mark of this kind."""
    found = _MARK.fullmatch(body.split("\n", 1)[0].strip())
    return found["key"] if found else ""


def state_in(body: str) -> State:
    """A state that somebody took away begins anew."""
    lines = body.split("\n", 2)
    found = _STATE.fullmatch(lines[1].strip()) if len(lines) > 1 else None
    if found is None:
        return State()
    return State(
        test=found["test"],
        strip=found["strip"],
        clean=int(found["clean"]),
        tries=int(found["tries"]),
    )


def restated(body: str, state: State) -> str:
    """The same text after a search that saw nothing new."""
    mark, *rest = body.split("\n")
    rest = rest[1:] if rest and _STATE.fullmatch(rest[0].strip()) else rest
    text = "\n".join(rest)
    head, seen, tail = text.rpartition(SEARCHES)
    told = head + _searches(state) + tail.partition("\n")[2] if seen else text
    return "\n".join([mark, state.line, told])


def title(finding: Finding) -> str:
    return one_line(f"Flaky test: {finding.test}", TITLE)


def body(finding: Finding, key: str, state: State) -> str:
    told = "\n\n".join(part for part in _parts(finding, state) if part)
    hidden = [f"{KIND}key={key} -->", state.line]
    return "\n".join([*hidden, told.replace("<!--", "<! --")])


def _parts(finding: Finding, state: State) -> Iterator[str]:
    more = len(finding.tests) - 1
    others = f", and so are {more} more of the same cause" if more > 0 else ""
    yield f"{fence.code(finding.test)} passes and fails at the same commit{others}."
    yield "\n".join(_facts(finding))
    yield "\n".join(["| | failed / runs | rate |", "|---|--:|---|", *_table(finding)])
    if finding.command:
        yield f"To see it fail:\n\n{fence.block(finding.command, limit=4_000)}"
    if finding.failure:
        yield f"One failure:\n\n{fence.block(finding.failure, limit=4_000)}"
    if more > 0:
        names = [f"- {fence.code(test)}" for test in finding.tests[1 : TESTS + 1]]
        left = [f"- … and {more - TESTS} more"] if more > TESTS else []
        yield "\n".join(["Of the same cause:", "", *names, *left])
    yield _searches(state) + (
        f"\n\njam closes this issue when {QUIET_RUNS} scheduled searches in a row do not see it. "
        "Who closes it by hand is heard: it stays closed."
    )


SEARCHES = "Scheduled searches, the newest last: "


def _searches(state: State) -> str:
    signs = "".join(SIGNS[sign] for sign in state.strip)
    told = f"{SEARCHES}{signs} (○ seen, ● not seen, · could not tell)."
    if state.clean:
        told += f" Clean runs since it was seen: {state.clean}."
    return f"{told}\n"


def _facts(finding: Finding) -> Iterator[str]:
    why = "; ".join(finding.why[:3])
    yield f"- Category: {finding.category.value}" + (f" ({fence.prose(why)})." if why else ".")
    yield f"- Fails with: {fence.code(finding.signature)}."
    yield f"- Condition: {fence.prose(words(finding.condition))}."
    for name, tests in (("Polluters", finding.polluters), ("Needs before it", finding.setters)):
        if tests:
            yield f"- {name}: {', '.join(fence.code(test) for test in tests[:TESTS])}."
    for leaked in finding.leaked[:6]:
        yield (
            f"- {fence.code(leaked.by)} leaves {fence.code(leaked.where)} changed: "
            f"{fence.code(leaked.before, limit=60)} became {fence.code(leaked.after, limit=60)}."
        )
    yield f"- Seen at commit {finding.commit[:12]}."


def _table(finding: Finding) -> Iterator[str]:
    for count in (finding.before, finding.plain, *finding.others):
        if count.runs:
            yield _row(count)


def _row(count: Count) -> str:
    span = interval(count.failed, count.runs)
    rate = f"{percent(count.failed / count.runs)}, 95% interval {span}"
    return f"| {fence.cell(words(count.condition))} | {count.failed} / {count.runs} | {rate} |"


def farewell(state: State) -> str:
    """Why jam closes it, and what that leaves open."""
    left = percent(bound_of(state.clean))
    return (
        f"Not seen by {state.quiet} scheduled searches in a row, {state.clean} runs without a "
        f"failure. It may still fail in up to {left} of such runs (95%). jam opens this issue "
        "again if it comes back."
    )
