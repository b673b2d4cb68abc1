"""The end of a session follows from its runs, and only the best of them may be called verified."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.conclude import Cleared, Standards, clear, conclude
from bot.core.contract import Accept, Dialect
from bot.core.entries import AnyFact, Disputed, Hooked, Stopped
from bot.core.parts import Colour, Purpose, Remark
from bot.core.session import replay
from bot.core.steps import PROBES, SEEDS
from tests.make import (
    BASE_TREE,
    DIGEST,
    FIXED,
    adjudicated,
    adjudications,
    baselined,
    composed,
    froze,
    gate,
    held,
    judged,
    opened,
    preflight,
    prepared,
    probed,
    probes,
    sealed,
    to_red_base,
    turned,
)

RED = to_red_base()
WORKED = (*RED, turned(), composed())


def word(*facts: AnyFact, **standards: Any) -> Any:
    values: dict[str, Any] = {"accept": Accept.L3, "has_ids": True, "max_files": 100}
    session = replay(sealed(*facts))
    remarks = standards.pop("remarks", ())
    return conclude(
        session, Standards(**values | standards), why="the agent gave up", remarks=remarks
    )


def end_of(*facts: AnyFact, **standards: Any) -> tuple[str, str]:
    said = word(*facts, **standards)
    return said.end, said.level


def test_green_in_every_room_and_red_without_the_change_is_verified() -> None:
    assert end_of(*WORKED, judged(Purpose.STOP_GATE), *adjudications()) == ("verified", "L3")


def test_checks_that_did_not_act_are_named_and_never_passed() -> None:
    said = word(*WORKED, *adjudications(), *probes())
    results = {check.name: check.result for check in said.checks}

    assert results == {
        "neutrality": "passed",
        "sabotage": "not applicable",
        "twin": "not applicable",
        "renamed": "not applicable",
    }
    open_ones = [line for line in said.not_verified if "nothing to act on" in line]
    assert [line.partition(":")[0] for line in open_ones] == [
        "Sensitivity checks *sabotage*, *twin*, *renamed*"
    ]


@pytest.mark.parametrize("name", PROBES)
def test_an_oracle_that_would_not_have_noticed_is_not_verified(name: str) -> None:
    others = [probed(other, "passed") for other in PROBES if other != name]
    said = word(*WORKED, *adjudications(), *others, probed(name, "failed", why="it stayed green"))

    assert (said.end, said.level) == ("unverified", "L2")
    assert said.why == f"green in every clean room, but the check {name} failed: it stayed green"
    assert (
        word(*WORKED, *adjudications(), *others, probed(name, "failed"), accept=Accept.L2).end
        == "unverified"
    )


@pytest.mark.parametrize("runs", [1, 2])
def test_fewer_runs_than_all_are_not_verified(runs: int) -> None:
    assert end_of(*WORKED, *adjudications()[:runs])[0] != "verified"


def test_one_run_that_cannot_judge_is_unverified() -> None:
    first, second, _ = adjudications()
    error = judged(Purpose.ADJUDICATION, Colour.ERROR, number=2, seed=SEEDS[2])

    assert end_of(*WORKED, first, second, error) == ("unverified", "none")


@pytest.mark.parametrize("accept", Accept)
@pytest.mark.parametrize("found", ["e" * 64, None], ids=["another one", "nobody looked"])
@pytest.mark.parametrize("place", range(len(SEEDS)))
def test_a_green_room_in_another_environment_is_unverified(
    place: int, found: str | None, accept: Accept
) -> None:
    runs = list(adjudications())
    runs[place] = runs[place].model_copy(update={"environment_sha256": found})
    said = word(*WORKED, judged(Purpose.STOP_GATE), *runs, *probes(), accept=accept)

    assert (said.end, said.level, clear(said)) == ("unverified", "L1", None)
    assert said.why == (
        "green in every clean room, but the environment was changed after the base was judged; "
        "judge it again while nothing else changes what the tests run with"
    )


def test_a_red_room_in_another_environment_says_so() -> None:
    red = judged(Purpose.ADJUDICATION, Colour.RED, environment_sha256="e" * 64)
    said = word(*WORKED, red)

    assert said.end == "failed"
    assert any("the environment was changed" in line for line in said.not_verified)


def test_runs_that_disagree_are_unverified() -> None:
    first, second, _ = adjudications()
    red = judged(Purpose.ADJUDICATION, Colour.RED, number=2, seed=SEEDS[2])

    assert end_of(*WORKED, first, second, red) == ("unverified", "none")


def test_ids_that_waver_on_the_base_too_are_not_held_against_the_change() -> None:
    first, second, _ = adjudications()
    lost = gate(Colour.RED, lost=("t::w",), lost_count=1, unmended=(), unmended_count=0)
    red = judged(Purpose.ADJUDICATION, Colour.RED, gates=(lost,), number=2, seed=SEEDS[2])
    wavers = Disputed(ids=("t::w",), wavering=("t::w",), held=(), runs=2, seed=SEEDS[2], seconds=1)
    held = wavers.model_copy(update={"wavering": (), "held": ("t::w",)})

    assert end_of(*WORKED, first, second, red, wavers) == ("verified", "L3")
    assert end_of(*WORKED, first, second, red, held) == ("unverified", "none")


def test_the_names_of_tests_that_waver_cannot_speak() -> None:
    first, second, _ = adjudications()
    name = "t::w[@ada <img src=x> fixes #1]"
    lost = gate(Colour.RED, lost=(name,), lost_count=1, unmended=(), unmended_count=0)
    red = judged(Purpose.ADJUDICATION, Colour.RED, gates=(lost,), number=2, seed=SEEDS[2])
    wavers = Disputed(ids=(name,), wavering=(name,), held=(), runs=2, seed=SEEDS[2], seconds=1)

    said = word(*WORKED, first, second, red, wavers)

    assert f"1 test wavering on the base as well: `{name}`." in said.not_verified


def test_a_target_is_not_set_aside_with_what_wavers_in_another_gate() -> None:
    first, second, _ = adjudications()
    gates = (
        gate(Colour.RED, gate="old", lost=("t::w",), lost_count=1, unmended=(), unmended_count=0),
        gate(Colour.RED, gate="new", unmended=("t::w",)),
    )
    red = judged(Purpose.ADJUDICATION, Colour.RED, gates=gates, number=2, seed=SEEDS[2])
    wavers = Disputed(ids=("t::w",), wavering=("t::w",), held=(), runs=2, seed=SEEDS[2], seconds=1)

    assert end_of(*WORKED, first, second, red, wavers) == ("unverified", "none")


def test_a_target_that_was_red_at_the_gate_and_then_green_is_unverified() -> None:
    red = judged(Purpose.STOP_GATE, Colour.RED)

    assert end_of(*WORKED, red, *adjudications()) == ("unverified", "none")


def test_red_is_failed_and_says_what() -> None:
    said = word(*WORKED, adjudications(Colour.RED)[0])

    assert (said.end, said.why) == (
        "failed",
        "still red: tests/test_a.py::test_b (the agent gave up)",
    )


def test_no_change_is_failed() -> None:
    unchanged = (*RED, turned(1, "give up", checkpoint=None), composed(0, BASE_TREE))

    assert end_of(*unchanged) == ("failed", "none")


def test_tampering_is_failed_and_not_spelled_out() -> None:
    tampered = gate(Colour.RED, unmended=(), unmended_count=0, integrity=("unittest was changed",))
    red = judged(Purpose.ADJUDICATION, Colour.RED, gates=(tampered,))

    assert word(*WORKED, red).why == "rejected by an integrity check (the agent gave up)"


def test_some_gates_green_and_none_worse_is_partial() -> None:
    gates = (gate(gate="unit"), gate(Colour.RED, gate="slow"))
    run = judged(Purpose.ADJUDICATION, Colour.RED, gates=gates)

    assert end_of(*WORKED, run) == ("partial", "none")


def test_a_gate_that_was_green_before_makes_nothing_partial() -> None:
    gates = (gate(gate="lint"), gate(Colour.RED, gate="slow"))
    base = [preflight(n, gates=gates) for n in range(2)]
    red = judged(Purpose.ADJUDICATION, Colour.RED, gates=gates)
    story = (opened(), prepared(), froze(), *base, baselined(), turned(), composed(), red)

    assert end_of(*story) == ("failed", "none")


def test_a_gate_that_is_green_in_one_room_only_makes_nothing_partial() -> None:
    fickle = (gate(gate="unit"), gate(Colour.RED, gate="slow"))
    never = (gate(Colour.RED, gate="unit"), gate(Colour.RED, gate="slow"))
    runs = [
        judged(Purpose.ADJUDICATION, Colour.RED, gates=gates, number=number, seed=SEEDS[number])
        for number, gates in enumerate((fickle, never, fickle))
    ]

    assert end_of(*WORKED, *runs) == ("failed", "none")


def test_a_gate_that_lost_tests_is_not_partial() -> None:
    worse = gate(Colour.RED, gate="slow", lost=("t::c",), lost_count=1)
    run = judged(Purpose.ADJUDICATION, Colour.RED, gates=(gate(gate="unit"), worse))

    assert end_of(*WORKED, run) == ("failed", "none")


def test_a_stopped_session_is_cancelled_whatever_it_came_to() -> None:
    said = word(*WORKED, Stopped(by="ada"), *adjudications())

    assert (said.end, said.level) == ("cancelled", "L3")
    assert said.why.startswith("stopped by ada; its state then: green")
    assert clear(said) is None


def test_green_that_was_never_red_is_at_most_l2() -> None:
    green = [preflight(n, Colour.GREEN) for n in range(2)]
    base = (opened(), prepared(), froze(), *green, baselined(targets=(), targets_count=0))
    story = (*base, turned(), composed(), *adjudications())

    assert end_of(*story) == ("unverified", "L2")
    assert end_of(*story, accept=Accept.L2) == ("verified", "L2")
    assert {check.why for check in word(*story).checks} == {"nothing was red at the start"}


def test_gates_without_ids_are_at_most_l2() -> None:
    assert end_of(*WORKED, *adjudications(), has_ids=False)[0] == "unverified"


def told_by(dialect: Dialect, **results: str) -> tuple[AnyFact, ...]:
    """A session whose red gate reports by ``dialect``, with these checks."""
    base = [preflight(number, gates=(gate(Colour.RED, report=dialect),)) for number in range(2)]
    story = (opened(), prepared(), froze(), *base, baselined(), turned(), composed())
    words = [probed(name, results.get(name, "not applicable"), why="why") for name in PROBES]
    return (*story, *adjudications(), *words)


WRITTEN = {
    "all": ({"sabotage": "passed", "twin": "passed", "renamed": "passed"}, ""),
    "no renaming": ({"sabotage": "passed", "twin": "passed"}, ""),
    "nothing to sabotage": ({"twin": "passed", "renamed": "passed"}, ""),
    "no canary": ({"sabotage": "passed", "renamed": "passed"}, "twin"),
    "only a canary": ({"twin": "passed"}, "sabotage"),
}


@pytest.mark.parametrize("dialect", [Dialect.JUNIT, Dialect.TAP, Dialect.GO_JSON])
@pytest.mark.parametrize(("results", "doubt"), WRITTEN.values(), ids=WRITTEN)
def test_a_report_that_tested_code_can_write_needs_checks_that_told(
    dialect: Dialect, results: dict[str, str], doubt: str
) -> None:
    said = word(*told_by(dialect, **results))

    assert (said.end, said.level) == (("unverified", "L2") if doubt else ("verified", "L3"))
    assert "The report of tests comes from where the tested code can write." in said.not_verified
    if doubt:
        assert said.why == (
            "green in every clean room, but the report of tests is written where the tested code "
            f"can write, and the check {doubt} could not tell whether it did (why): L2 at most"
        )
        assert word(*told_by(dialect, **results), accept=Accept.L2).end == "verified"


def test_an_exit_code_beside_tests_needs_a_broken_change_to_be_noticed() -> None:
    assert word(*told_by(Dialect.EXIT, sabotage="passed")).level == "L3"
    assert word(*told_by(Dialect.EXIT, twin="passed", renamed="passed")).level == "L2"


def test_jams_own_reporters_need_no_check_that_has_nothing_to_act_on() -> None:
    said = word(*told_by(Dialect.PYTEST))

    assert (said.end, said.level) == ("verified", "L3")
    assert not any("comes from where" in line for line in said.not_verified)


def test_a_broken_change_of_which_nothing_is_told_needs_another_check() -> None:
    silent = probed("sabotage", "not applicable", why="no report reached jam", blind=True)
    twin = probed("twin", "not applicable")
    alone = word(*WORKED, *adjudications(), silent, twin, probed("renamed", "not applicable"))

    assert (alone.end, alone.level) == ("unverified", "L2")
    assert alone.why == (
        "green in every clean room, but no check could tell whether the tests would notice "
        "(no report reached jam): L2 at most"
    )
    assert word(*WORKED, *adjudications(), silent, twin, probed("renamed", "passed")).level == "L3"


def test_nothing_but_a_surface_change_that_makes_tests_pass_is_shown_to_a_person() -> None:
    only = composed(tree=BASE_TREE, with_surface="e" * 40, surface=("pyproject.toml",))
    green = judged(Purpose.WITH_SURFACE, tree="e" * 40)
    red = judged(Purpose.WITH_SURFACE, Colour.RED, tree="e" * 40)
    said = word(*RED, turned(), only, green)

    assert (said.end, said.head_tree) == ("unverified", "e" * 40)
    assert said.why.startswith("needs a person: the tests pass only together with changes")
    assert said.review == ("It changes what the tests mean: pyproject.toml.",)
    assert word(*RED, turned(), only, red).end == "failed"


def test_what_passes_only_with_its_surface_change_needs_a_person() -> None:
    surface = composed(with_surface="e" * 40, surface=("pyproject.toml",))
    also = judged(Purpose.WITH_SURFACE, tree="e" * 40)
    story = (*RED, turned(), surface, adjudications(Colour.RED)[0], also)
    said = word(*story)

    assert (said.end, said.head_tree) == ("unverified", "e" * 40)
    assert said.review == ("It changes what the tests mean: pyproject.toml.",)


def test_the_agents_tests_are_published_only_with_a_green_record_of_their_own() -> None:
    with_tests = composed(with_tests="e" * 40)
    story = (*RED, turned(), with_tests, *adjudications())
    green = judged(Purpose.WITH_TESTS, tree="e" * 40)
    red = judged(Purpose.WITH_TESTS, Colour.RED, tree="e" * 40)
    elsewhere = judged(Purpose.WITH_TESTS, tree="e" * 40, environment_sha256="e" * 64)

    assert (word(*story, green).tree, word(*story, green).head_tree) == (FIXED, "e" * 40)
    assert word(*story, red).head_tree == FIXED
    assert word(*story, elsewhere).head_tree == FIXED


def test_only_a_verified_word_is_cleared() -> None:
    assert clear(adjudicated()) == Cleared(FIXED, FIXED)
    for other in ("partial", "failed", "unverified", "cancelled"):
        assert clear(adjudicated(end=other)) is None


def test_what_has_no_honest_use_needs_a_person_and_other_remarks_only_a_look() -> None:
    story = (*WORKED, *adjudications(), *probes())
    odd = Remark(path="lib/a.py", line=2, what="depends on the clock (time.time)")
    bad = Remark(path="lib/a.py", line=3, what="ends the process at once (os._exit)", blocks=True)
    needed = word(*story, remarks=(bad, odd))

    assert end_of(*story, remarks=(odd,)) == ("verified", "L3")
    assert (needed.end, needed.level, needed.remarks, clear(needed)) == (
        "unverified",
        "L3",
        (bad, odd),
        None,
    )
    assert needed.why == (
        "needs a person: green in every clean room, but lib/a.py, line 3: "
        "ends the process at once (os._exit)"
    )
    assert clear(adjudicated(remarks=(bad,))) is None


def test_restored_files_are_what_a_person_looks_at_first() -> None:
    restored = composed(restored=("tests/test_a.py",), restored_count=1)
    said = word(*RED, turned(), restored, *adjudications())

    assert said.review == ("The agent changed 1 frozen file, set back here: tests/test_a.py.",)


def test_what_the_agent_wrote_and_git_cannot_hold_is_named() -> None:
    left = (("data.bin", "larger than 100 MB"), ("pipe", "neither a file nor a link"))
    worked = turned(checkpoint=held(left_out=left))

    assert word(*RED, worked, composed(), *adjudications(), *probes()).review == (
        "Not kept of what the agent wrote: data.bin (larger than 100 MB), "
        "pipe (neither a file nor a link).",
    )


def test_what_a_stop_hook_vetoes_is_not_verified() -> None:
    veto = Hooked(
        number=0, checkpoint=1, command="make lint", exit_code=1, vetoed=True, output_sha256=DIGEST
    )
    judgements = (*adjudications(), *probes())
    said = word(*WORKED, judged(Purpose.STOP_GATE), veto, *judgements)
    content = veto.model_copy(update={"exit_code": 0, "vetoed": False})

    assert (said.end, said.level, clear(said)) == ("unverified", "L3", None)
    assert said.why == (
        "needs a person: green in every clean room, but the stop hook vetoes it: make lint"
    )
    assert word(*WORKED, judged(Purpose.STOP_GATE), content, *judgements).end == "verified"
