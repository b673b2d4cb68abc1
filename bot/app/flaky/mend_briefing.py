"""
What an agent is told of a flaky test: what was measured, and what is no mend.

The frame is jam's; all that tests, code and failures say is fenced as data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.core import fence
from bot.core.flaky import factors
from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_facts import Sampled
from bot.core.flaky.mend_steps import Mend
from bot.core.visible import one_line
from bot.ports import Brief

FRAME = """\
The tests named below are flaky: the same code passes and fails. Mend the cause, in the tests or \
in the product, wherever it is. Unlike in other work, test files may be changed here.

What is refused, whatever the runs say: an assertion that is gone, weaker, under a new condition \
or never reached; a test deleted, renamed, skipped, marked or parametrised away; retries, \
reruns, new or longer sleeps, longer time limits or wider tolerances; broad catches; a seed \
outside the test that draws; anything put in the place of what is tested; changes to the \
configuration of tests or CI.

How it is judged: every recorded failure is replayed, then many runs under the same condition \
and under fresh orders and seeds must all pass, every other test must be kept, and the tests \
must still fail when the product is broken on purpose."""
TOLD = 20
LEAKS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MendBriefing:
    finding: Finding
    nonce: str

    def brief(self, mend: Mend) -> Brief:
        finding = self.finding
        text = "\n".join(self._told())
        handover = ""
        last = mend.session.last
        if last is not None and last.said and last.wish == "give up":
            handover = fence.data(last.said, about="handover", nonce=self.nonce, limit=8_000)
        return Brief(
            objective=f"{FRAME}\n\n{fence.data(text, about='finding', nonce=self.nonce)}",
            targets=finding.tests,
            failure=fence.data(
                finding.failure, about="tests", nonce=self.nonce, limit=6_000, tail=0.8
            ),
            handover=handover,
        )

    def _told(self) -> Iterator[str]:
        finding = self.finding
        before = finding.before
        yield f"category: {finding.category.value}"
        yield from (f"why: {one_line(why, 300)}" for why in finding.why[:TOLD])
        yield f"fails with: {one_line(finding.signature, 300)}"
        yield f"condition: {factors.words(finding.condition)}"
        yield f"failed {before.failed} of {before.runs} runs under it"
        if finding.counter is not None:
            yield f"passes under: {factors.words(finding.counter)}"
        if finding.command:
            yield f"command: {finding.command}"
        yield from (f"polluter: {test}" for test in finding.polluters[:TOLD])
        yield from (f"needs this test before it: {test}" for test in finding.setters[:TOLD])
        for leaked in finding.leaked[:LEAKS]:
            yield (
                f"left changed by {leaked.by}: {leaked.where}, "
                f"from {one_line(leaked.before, 200)} to {one_line(leaked.after, 200)}"
            )

    def feedback(self, mend: Mend) -> str:
        """What spoke against the last patch. The guard's reasons are told: they teach no way
        around it, since what it lets through is still measured."""
        last = mend.last
        if last is None or not last.fault:
            return ""
        if last.guarded and last.guarded.refusals:
            lines = [f"- {r.place}: {r.what}" for r in last.guarded.refusals[:TOLD]]
            return "The change was refused:\n" + self._data("\n".join(lines))
        made = [one for one in (last.replay, last.same, last.free) if one and not one.is_clean]
        if made:
            return f"{_sentence(last.fault)}\n{self._data(_failure(made[0]))}"
        return self._data(last.fault)

    def _data(self, text: str) -> str:
        return fence.data(text, about="judgement", nonce=self.nonce, limit=6_000, tail=0.5)


def _failure(sampled: Sampled) -> str:
    condition = factors.words(sampled.failing) if sampled.failing else ""
    return f"condition: {condition}\n{sampled.signature}\n{sampled.failure}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
