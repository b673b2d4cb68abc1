"""
jam's last word on a mend, from what its runs, its guard and its mutants showed.

Only a patch that met every rule is *verified*. What could not be judged is *unverified* with what
would settle it; what was tried and failed is *failed*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from bot.core.conclude import End
from bot.core.entries import Adjudicated
from bot.core.flaky.mend_facts import Mutated, Sampled, SuiteRan
from bot.core.flaky.mend_rules import bound_of
from bot.core.flaky.mend_steps import Attempt, Mend, fault_of
from bot.core.flaky.statistics import percent
from bot.core.parts import CheckFact, Remark
from bot.core.review import held

Result = Literal["passed", "failed", "not applicable"]
OTHERS = "other operating systems, interpreters and machines: all runs were made on one"


def conclude(mend: Mend, *, why: str, remarks: Iterable[Remark] = ()) -> Adjudicated:
    """Everything but what changed, which only a workcopy can list."""
    last, remarks = mend.last, tuple(remarks)
    tree = last.tree if last else mend.session.ground
    end, reason = _end(mend, why, remarks)
    return Adjudicated(
        tree=tree,
        head_tree=tree,
        level="L3" if end == "verified" else "none",
        end=end,
        why=reason,
        checks=tuple(_checks(last)),
        not_verified=tuple(_not_verified(mend)),
        review=tuple(r.what + f" ({r.place})" for r in _product(last)),
        remarks=remarks,
    )


def _end(mend: Mend, why: str, remarks: tuple[Remark, ...]) -> tuple[End, str]:
    last = mend.last
    if mend.session.stopped:
        return "cancelled", why
    if last is None:
        begun = mend.suite is not None
        return ("failed", why) if begun else ("unverified", why)
    if not last.is_whole:
        return ("unverified", why) if _is_open(last) else ("failed", why)
    if first := next(blocking(remarks), None):
        return "unverified", f"needs a person: it met every rule, but {first.place}: {first.what}"
    if last.guarded and last.guarded.lifted:
        names = ", ".join(sorted({remark.place for remark in last.guarded.lifted}))
        return "verified", f"it met every rule but those that a person lifted ({names})"
    return "verified", _claim(last)


def blocking(remarks: Iterable[Remark]) -> Iterator[Remark]:
    """In a mend tests may change: what they may lose is the guard's and the mutants' to say."""
    return (r for r in remarks if r.blocks and not r.what.startswith(held.CHANGED_TEST))


def _claim(last: Attempt) -> str:
    same, free = last.same, last.free
    assert same is not None and free is not None  # noqa: S101, PT018  # it is whole
    return (
        f"every recorded failure replayed and passed, and {same.runs} runs under the condition "
        f"found and {free.runs} under fresh ones were clean"
    )


def _is_open(last: Attempt) -> bool:
    """No run failed: too few could be judged."""
    made = [one for one in (last.replay, last.same, last.free) if one is not None]
    return bool(made) and not any(one.failed for one in made) and not made[-1].is_clean


def _checks(last: Attempt | None) -> Iterator[CheckFact]:
    if last is None:
        return
    if last.guarded:
        refusals = last.guarded.refusals
        why = f"{refusals[0].place}: {refusals[0].what}" if refusals else "no assertion sees less"
        yield CheckFact(name="guard", result="failed" if refusals else "passed", why=why)
    for name, one in (("replay", last.replay), ("same", last.same), ("free", last.free)):
        if one:
            yield CheckFact(name=name, result=_result(one.is_clean), why=_sampled(one))
    if last.suite:
        broken = (*last.suite.lost, *last.suite.worse)
        yield CheckFact(name="suite", result=_result(not broken), why=_suite(last.suite))
    if last.mutated:
        yield _mutated(last.mutated)


def _result(good: bool) -> Result:  # noqa: FBT001  # a translation
    return "passed" if good else "failed"


def _sampled(one: Sampled) -> str:
    if one.is_clean:
        return f"{one.runs} of {one.needed} runs, none failed"
    return fault_of(one)


def _suite(suite: SuiteRan) -> str:
    broken = (*suite.lost, *suite.worse)
    if broken:
        return f"{len(broken)} tests are lost or fail more often, the first is {broken[0]}"
    return f"{suite.tests} tests kept in {suite.fixed} fixed and {suite.shuffled} shuffled runs"


def _mutated(one: Mutated) -> CheckFact:
    if not one.before:
        return CheckFact(name="mutants", result="not applicable", why=one.why)
    good = len(one.lost) <= one.allowance
    why = f"of {one.before} sightings of breaks by the tests before, {one.after} are still made"
    return CheckFact(name="mutants", result=_result(good), why=why)


def _product(last: Attempt | None) -> tuple[Remark, ...]:
    return last.guarded.remarks if last and last.guarded else ()


def _not_verified(mend: Mend) -> Iterator[str]:
    last = mend.last
    if last and last.same and last.same.is_clean:
        bound = percent(bound_of(last.same.runs))
        yield f"failure rates below {bound} under the condition found"
    if last and last.free and last.free.is_clean:
        bound = percent(bound_of(last.free.runs))
        yield f"failure rates below {bound} under fresh orders and seeds"
    if last and last.suite and not last.suite.shuffled:
        yield "other orders: the tests of this gate cannot be shuffled"
    if last and last.mutated and not last.mutated.before:
        yield f"whether the test still notices a broken product: {last.mutated.why}"
    if last and last.guarded:
        for remark in last.guarded.lifted:
            yield f"a person allowed what the guard refuses: {remark.place}: {remark.what}"
    yield OTHERS
