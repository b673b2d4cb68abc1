"""
What must hold in the ledger of a mend, whoever wrote it: the word *verified* needs its runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bot.core.entries import AnyFact
from bot.core.flaky import mend_end
from bot.core.flaky.finding import Finding
from bot.core.flaky.mend_facts import PASSED, Sampled
from bot.core.flaky.mend_rules import LOOSEST, bound_of, chance_unchanged
from bot.core.flaky.mend_steps import Attempt, Mend, fold_facts
from bot.core.flaky.statistics import ALPHA
from bot.core.session import Session

Facts = Sequence[AnyFact]


def is_mend(facts: Facts) -> bool:
    return any(isinstance(fact, Finding) for fact in facts)


def _verified_mend(facts: Facts, session: Session) -> Iterable[str]:
    word = session.adjudicated
    if word is None or word.end != "verified":
        return
    mend = fold_facts(facts)
    last = mend.last
    if mend.red is None or mend.red.failed == 0 or mend.red.tree != session.ground:
        yield "verified, but nothing failed on the base"
    if last is None or not last.is_whole:
        yield "verified, but the last patch did not meet every rule"
        return
    if word.tree != last.tree or word.tree == session.ground:
        yield "verified, but not the tree that was judged, or nothing was changed"
    yield from _sized(mend, last)


def _sized(mend: Mend, last: Attempt) -> Iterable[str]:
    """From the numbers themselves, not from what the plan says of them."""
    planned, finding, same, free = mend.planned, mend.finding, last.same, last.free
    if planned is None or finding is None or same is None or free is None:
        yield "verified, but nobody fixed how many runs decide"
        return
    if mend.tried > planned.attempts:
        yield f"verified, but {mend.tried} patches were tried and {planned.attempts} paid for"
    chance = chance_unchanged(finding.before.failed, finding.before.runs, same.runs)
    if chance > ALPHA / planned.attempts:
        yield f"verified, but {same.runs} clean runs have a chance of {chance:.2g}"
    if same.runs < planned.same or bound_of(free.runs) > 2 * LOOSEST:
        yield "verified, with fewer runs than were planned"


def _needs_no_reader(_: Facts, session: Session) -> Iterable[str]:
    word = session.adjudicated
    if word is not None and word.end == "verified":
        for remark in mend_end.blocking(word.remarks):
            yield f"verified, but a person has to look at {remark.place}: {remark.what}"


def _runs_are_on_the_tree(facts: Facts, _: Session) -> Iterable[str]:
    """Everything that was said of a patch was said of its tree."""
    for attempt in fold_facts(facts).attempts:
        parts = (
            attempt.guarded,
            attempt.replay,
            attempt.same,
            attempt.free,
            attempt.suite,
            attempt.mutated,
        )
        if any(part is not None and part.tree != attempt.tree for part in parts):
            yield f"patch {attempt.number} was judged by what another tree showed"


def _marks_add_up(facts: Facts, _: Session) -> Iterable[str]:
    for place, fact in enumerate(facts):
        if isinstance(fact, Sampled) and fact.marks.count(PASSED) != fact.runs - fact.failed:
            yield f"entry {place}: the marks of the runs do not add up to their counts"


INVARIANTS: tuple[Callable[[Facts, Session], Iterable[str]], ...] = (
    _verified_mend,
    _needs_no_reader,
    _runs_are_on_the_tree,
    _marks_add_up,
)
