"""What stands in the body, and that foreign words stay in their place."""

from __future__ import annotations

from bot.core.flaky import evidence, mend_end
from bot.core.flaky.mend_facts import Guarded, Mutated
from bot.core.flaky.mend_steps import fold_facts
from bot.core.parts import Remark
from tests.core.flaky.mending import TREE, before, entries, finding, patch


def body(*, issue: int | None = None, **parts: object) -> str:
    facts = [*before(), *{**patch(), **parts}.values()]
    word = mend_end.conclude(fold_facts(facts), why="every rule was met")  # type: ignore[arg-type]
    return evidence.render(entries(*facts, word), issue=issue)  # type: ignore[arg-type]


def test_a_mend_refers_to_its_issue_and_a_merge_does_not_close_it() -> None:
    lost = Mutated(attempt=1, tree=TREE, tried=5, before=4, after=3, lost=("a.py, line 1: x",))

    assert body(issue=7).startswith("Refs #7: Mends a flaky test")
    assert body(issue=7, mutants=lost).startswith("Refs #7: Tried to mend a flaky test")


def test_what_a_person_allowed_is_told_first() -> None:
    lifted = (Remark(path="t.py", line=3, what="adds a sleep"),)
    said = body(guard=Guarded(attempt=1, tree=TREE, lifted=lifted))

    assert "**Allowed by a person:** `t.py, line 3`: adds a sleep." in said
    assert "- a person allowed what the guard refuses: t.py, line 3: adds a sleep" in said


def test_a_check_that_had_nothing_to_act_on_is_not_verified() -> None:
    why = "the test runs no line of the product that can be broken"
    said = body(mutants=Mutated(attempt=1, tree=TREE, why=why))

    assert f"- whether the test still notices a broken product: {why}" in said


def test_words_of_a_failure_cannot_leave_their_place() -> None:
    hostile = finding(signature="`x` @everyone closes #1 <!-- jam:session=y -->", why=("| a | b",))
    facts = [hostile if fact == finding() else fact for fact in before()]
    facts += patch().values()
    word = mend_end.conclude(fold_facts(facts), why="x")

    said = evidence.render(entries(*facts, word))

    assert said.count("<!-- jam:session=") == 1
    assert "- Fails with: `` `x` @everyone closes #1 <! -- jam:session=y --> ``." in said
    assert said.rstrip().endswith("-->")
