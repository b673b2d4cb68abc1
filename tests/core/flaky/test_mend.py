"""What a mend needs before it is called verified, and what ends an attempt."""

from __future__ import annotations

import pytest

from bot.core import invariants
from bot.core.entries import AnyFact, Turned
from bot.core.flaky import evidence, mend_end
from bot.core.flaky.mend_facts import Arm, Guarded, Mutated
from bot.core.flaky.mend_rules import bound_of, chance_unchanged, lost, worse
from bot.core.flaky.mend_steps import (
    Guard,
    Mutate,
    Plan,
    RunSuite,
    Sample,
    ShowRed,
    fold_facts,
    next_step,
)
from bot.core.parts import Remark
from bot.core.review.held import CHANGED_TEST
from bot.core.steps import Conclude, Prepare, Terms, Work
from tests.core.flaky.mending import (
    BASE,
    OTHER,
    PLANNED,
    TREE,
    before,
    entries,
    finding,
    opened,
    patch,
    sampled,
    suite,
    turned,
)

TERMS = Terms(agents=("repair",), turns=20, seconds=3600, tokens=0, cents=0)
DUE = [
    Prepare(),
    ShowRed(),
    Plan(),
    RunSuite(0, BASE),
    Work(number=1, agent="repair"),
    Guard(1, TREE),
    Sample(1, TREE, Arm.REPLAY),
    Sample(1, TREE, Arm.SAME),
    Sample(1, TREE, Arm.FREE),
    RunSuite(1, TREE),
    Mutate(1, TREE),
    Conclude("every rule was met"),
]


def test_the_steps_of_a_mend_in_order() -> None:
    facts = [*before(), *patch().values()]

    assert [next_step(fold_facts(facts[:n]), TERMS) for n in range(2, len(facts) + 1)] == DUE


FAULTS: dict[str, tuple[str, AnyFact, str]] = {
    "the guard": (
        "guard",
        Guarded(attempt=1, tree=TREE, refusals=(Remark(path="t.py", line=3, what="adds a sleep"),)),
        "the guard refuses it: t.py, line 3: adds a sleep",
    ),
    "a replay": (
        "replay",
        sampled(Arm.REPLAY, 2, failed=1),
        "it failed again under a condition under which it had failed before, in run 1",
    ),
    "one run of sixty": (
        "same",
        sampled(Arm.SAME, 60, failed=1),
        "it failed again under the condition found, in run 30",
    ),
    "a fresh order": (
        "free",
        sampled(Arm.FREE, 59, failed=1),
        "it failed again under a fresh order and seed, in run 29",
    ),
    "too few runs": (
        "same",
        sampled(Arm.SAME, 60, runs=40, marks="●" * 40, why="timed out"),
        "timed out",
    ),
    "a test that is lost": (
        "suite",
        suite(1, lost=("tests/test_c.py::test_c",)),
        "other tests are not kept: tests/test_c.py::test_c",
    ),
    "a break that nobody notices": (
        "mutants",
        Mutated(attempt=1, tree=TREE, tried=5, before=4, after=3, lost=("a.py, line 1: x",)),
        "the test does not notice any more: a.py, line 1: x",
    ),
}


@pytest.mark.parametrize(("part", "fact", "fault"), FAULTS.values(), ids=FAULTS.keys())
def test_the_first_fault_ends_an_attempt(part: str, fact: AnyFact, fault: str) -> None:
    made = patch()
    names = list(made)
    facts = [*before(), *[made[name] for name in names[: names.index(part)]], fact]

    mend = fold_facts(facts)

    assert mend.last is not None
    assert (mend.last.fault, mend.last.is_whole) == (fault, False)
    assert next_step(mend, TERMS) == Work(number=2, agent="repair")
    assert mend_end.conclude(mend, why="x").end != "verified"


@pytest.mark.parametrize("missing", list(patch())[1:])
def test_nothing_is_verified_while_a_part_is_missing(missing: str) -> None:
    parts = [fact for name, fact in patch().items() if name != missing]

    mend = fold_facts([*before(), *parts])

    assert mend_end.conclude(mend, why="x").end != "verified"


def test_patches_are_paid_for() -> None:
    facts = list(before())
    for number in (1, 2, 3):
        facts += [
            turned(number, tree=str(number) * 40),
            Guarded(attempt=number, tree=str(number) * 40),
            sampled(Arm.REPLAY, 2, failed=1, attempt=number, tree=str(number) * 40),
        ]

    step = next_step(fold_facts(facts), TERMS)

    assert isinstance(step, Conclude)
    assert step.why.startswith("3 patches were tried; it failed again")


def test_what_does_not_fail_on_the_base_is_not_mended() -> None:
    red = sampled(Arm.RED, 1, attempt=0, tree=BASE, runs=40, failed=0, marks="●" * 40)
    mend = fold_facts([*before()[:3], red])

    step = next_step(mend, TERMS)

    assert step == Conclude("it did not fail on the base in 40 runs")
    assert mend_end.conclude(mend, why="x").end == "unverified"


def test_what_the_budget_does_not_allow_is_told_before_a_turn() -> None:
    planned = PLANNED.model_copy(update={"affordable": False})

    step = next_step(fold_facts([*before()[:4], planned]), TERMS)

    assert step == Conclude("60 runs would have to be clean, which the budget does not allow")


def test_an_agent_that_gives_up_ends_the_work() -> None:
    mend = fold_facts([*before(), turned(wish="give up")])

    assert next_step(mend, TERMS) == Conclude("the agent gave up")
    assert mend_end.conclude(mend, why="the agent gave up").end == "failed"


def test_what_blocks_needs_a_person() -> None:
    mend = fold_facts([*before(), *patch().values()])
    remark = Remark(path="a.py", line=1, what="asks for the debugger", blocks=True)

    word = mend_end.conclude(mend, why="x", remarks=[remark])

    assert (word.end, word.level) == ("unverified", "none")


def test_a_mend_may_change_the_test_that_it_mends_and_says_so_first() -> None:
    mend = fold_facts([*before(), *patch().values()])
    what = f"{CHANGED_TEST} (test_draw)"
    remark = Remark(path="tests/test_draw.py", line=4, what=what, blocks=True)

    word = mend_end.conclude(mend, why="x", remarks=[remark])

    assert (word.end, word.level, word.remarks) == ("verified", "L3", (remark,))
    assert invariants.broken(entries(*before(), *patch().values(), word)) == ()


def test_verified_in_spite_of_what_blocks_is_refused() -> None:
    *facts, word = whole()
    remark = Remark(path="a.py", line=1, what="asks for the debugger", blocks=True)

    found = invariants.broken(entries(*facts, word.model_copy(update={"remarks": (remark,)})))

    assert found == ("verified, but a person has to look at a.py, line 1: asks for the debugger",)


def whole() -> list[AnyFact]:
    facts = [*before(), *patch().values()]
    return [*facts, mend_end.conclude(fold_facts(facts), why="every rule was met")]


def test_a_whole_mend_holds_every_invariant_and_says_what_remains() -> None:
    facts = whole()
    body = evidence.render(entries(*facts))

    assert invariants.broken(entries(*facts)) == ()
    assert "| before, under the condition found | 7 / 60 | 12%" in body
    assert "| after, under the condition found | 0 / 60 | below 4.9% at 95%" in body
    assert f"after   {'●' * 60}" in body
    assert "failure rates below 4.9% under the condition found" in body
    assert body.startswith("Mends a flaky test: `tests/test_a.py::test_a`.")


LIES = {
    "a run taken away": ("same", sampled(Arm.SAME, 59)),
    "too few that were planned": ("same", sampled(Arm.SAME, 20)),
    "another tree's runs": ("free", sampled(Arm.FREE, 59, tree=OTHER)),
    "a failure that is not counted": ("same", sampled(Arm.SAME, 60, marks="●" * 59 + "○")),
    "a suite of another tree": ("suite", suite(1, tree=OTHER)),
}


@pytest.mark.parametrize(("part", "fact"), LIES.values(), ids=LIES.keys())
def test_a_ledger_that_does_not_bear_the_word_is_refused(part: str, fact: AnyFact) -> None:
    *rest, word = whole()
    facts = [fact if kept == patch()[part] else kept for kept in rest]

    assert invariants.broken(entries(*facts, word)) != ()


def test_a_plan_that_was_too_small_is_found_out() -> None:
    small = PLANNED.model_copy(update={"same": 5})
    parts = {**patch(), "same": sampled(Arm.SAME, 5)}
    facts = [small if fact == PLANNED else fact for fact in before()]
    facts += parts.values()
    word = mend_end.conclude(fold_facts(facts), why="x")

    found = invariants.broken(entries(*facts, word))

    assert found == ("verified, but 5 clean runs have a chance of 0.55",)


def test_verified_without_a_failure_on_the_base_is_refused() -> None:
    *facts, word = whole()
    red = sampled(Arm.RED, 1, attempt=0, tree=BASE, runs=2, failed=0, marks="●●")
    facts[3] = red

    assert "verified, but nothing failed on the base" in invariants.broken(entries(*facts, word))


def test_chances_and_bounds_are_the_published_ones() -> None:
    assert round(chance_unchanged(7, 60, 60), 4) == 0.0065
    assert [round(bound_of(n), 3) for n in (20, 60, 200)] == [0.139, 0.049, 0.015]


def test_a_test_that_vanished_or_always_fails_is_lost() -> None:
    base = {"kept": (0, 8), "gone": (0, 8), "red": (0, 8), "shaky": (3, 8), "never ran": (0, 0)}
    after = {"kept": (0, 8), "red": (8, 8), "shaky": (8, 8), "new": (8, 8)}

    assert lost(base, after) == ("gone", "red")


def test_a_test_that_fails_now_and_then_is_told_from_chance() -> None:
    base = {"once": (0, 8), "often": (0, 8), "as before": (4, 8)}
    after = {"once": (1, 8), "often": (7, 8), "as before": (5, 8)}

    assert worse(base, after) == ("often",)


def test_opening_and_finding_alone_are_a_mend() -> None:
    assert evidence.is_mend(entries(opened(), finding()))
    assert not evidence.is_mend(entries(opened()))
    assert isinstance(turned(), Turned)
