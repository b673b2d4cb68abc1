"""What is due next, for every turn that a session can take."""

from __future__ import annotations

import pytest

from bot.core.entries import AnyFact, Disputed, Hooked, Reproduced, Stopped
from bot.core.next_step import next_step
from bot.core.parts import Colour, Purpose
from bot.core.session import replay
from bot.core.steps import (
    PROBES,
    REFUSALS,
    SEEDS,
    Accept,
    Adjudicate,
    AskGate,
    AskHook,
    Compose,
    Conclude,
    Dispute,
    Done,
    Finish,
    Freeze,
    JudgeAlso,
    Preflight,
    Prepare,
    Probe,
    Publish,
    Reproduce,
    Settle,
    Step,
    Terms,
    Work,
)
from tests.make import (
    BASE_TREE,
    DIGEST,
    FIXED,
    TARGET,
    adjudicated,
    adjudications,
    baselined,
    composed,
    ended,
    froze,
    gate,
    held,
    judged,
    opened,
    preflight,
    prepared,
    probes,
    published,
    sealed,
    terms,
    to_red_base,
    turned,
)

RED = to_red_base()
SET = terms()


def due(*facts: AnyFact, by: Terms = SET) -> Step:
    return next_step(replay(sealed(*facts)), by)


def red_gate(number: int = 0, **over: object) -> AnyFact:
    return judged(Purpose.STOP_GATE, Colour.RED, number=number, **over)


def hooked(number: int = 0, *, vetoed: bool) -> Hooked:
    return Hooked(
        number=number, checkpoint=1, command="make lint", exit_code=int(vetoed), vetoed=vetoed,
        output_sha256=DIGEST,
    )  # fmt: skip


def test_before_the_work() -> None:
    assert due(opened()) == Prepare()
    assert due(opened(), prepared()) == Freeze()
    assert due(opened(), prepared(), froze()) == Preflight(0, BASE_TREE)
    assert due(opened(), prepared(), froze(), preflight(0)) == Preflight(1, BASE_TREE)
    assert due(opened(), prepared(), froze(), preflight(0), preflight(1)) == Settle()
    assert due(*RED) == Work(number=1, agent="repair")


def test_a_base_that_cannot_be_judged_is_not_run_again() -> None:
    error = preflight(0, Colour.ERROR)

    assert due(opened(), prepared(), froze(), error) == Settle()


def test_an_agent_that_goes_on_gets_another_turn() -> None:
    assert due(*RED, turned(1, "go on")) == Work(number=2, agent="repair")


def test_a_wish_to_finish_is_answered_on_the_restored_tree() -> None:
    finished = (*RED, turned())

    assert due(*finished) == Compose(held())
    assert due(*finished, composed()) == AskGate(FIXED, None)


def test_a_tree_that_was_judged_before_is_answered_from_the_earlier_run() -> None:
    again = turned(2, checkpoint=None)
    red = red_gate()

    assert due(*RED, turned(), composed(), red, again) == AskGate(FIXED, red)


def test_to_finish_without_a_change_is_answered_by_the_preflight() -> None:
    unchanged = (*RED, turned(checkpoint=None), composed(0, BASE_TREE))

    assert due(*unchanged) == AskGate(BASE_TREE, preflight(1))


def test_red_goes_back_to_the_agent() -> None:
    red = red_gate()

    assert due(*RED, turned(), composed(), red) == Work(number=2, agent="repair", answer=red)


def test_green_asks_every_hook_and_then_adjudicates() -> None:
    green = (*RED, turned(), composed(), judged(Purpose.STOP_GATE))
    two = terms(hooks=2)

    assert due(*green, by=two) == AskHook(0)
    assert due(*green, hooked(vetoed=False), by=two) == AskHook(1)
    assert due(*green, hooked(vetoed=False), hooked(1, vetoed=False), by=two) == Adjudicate(
        FIXED, (0, 1, 2)
    )


def test_a_veto_goes_back_to_the_agent() -> None:
    veto = hooked(vetoed=True)
    story = (*RED, turned(), composed(), judged(Purpose.STOP_GATE), veto)

    assert due(*story, by=terms(hooks=2)) == Work(number=2, agent="repair", answer=veto)


def test_an_error_is_told_once_and_the_second_in_a_row_ends_the_gate() -> None:
    error = judged(Purpose.STOP_GATE, Colour.ERROR)
    once = (*RED, turned(), composed(), error)
    twice = (*once, turned(2, checkpoint=None), error)

    assert due(*once) == Work(number=2, agent="repair", answer=error)
    assert due(*twice) == Adjudicate(FIXED, (0, 1, 2))


def test_a_red_between_two_errors_starts_the_count_again() -> None:
    error = judged(Purpose.STOP_GATE, Colour.ERROR)
    story = (*RED, turned(), composed(), error, turned(2, checkpoint=None), red_gate())
    story = (*story, turned(3, checkpoint=None), error)

    assert due(*story) == Work(number=4, agent="repair", answer=error)


def test_eight_refusals_end_the_work() -> None:
    story: tuple[AnyFact, ...] = (*RED, turned(), composed(), red_gate())
    for number in range(2, REFUSALS + 1):
        assert isinstance(due(*story), Work)
        story = (*story, turned(number, checkpoint=None), red_gate(number, cached=True))

    assert due(*story) == Adjudicate(FIXED, (0,))


def test_the_next_agent_takes_over_from_one_that_gave_up() -> None:
    both = terms(agents=("repair", "anthropic"))
    gave_up = turned(1, "give up", checkpoint=None)

    assert due(*RED, gave_up, by=both) == Work(number=2, agent="anthropic")
    assert due(*RED, gave_up) == Compose(None)


@pytest.mark.parametrize(
    "limit",
    [{"turns": 1}, {"seconds": 2.0}, {"tokens": 5}, {"cents": 1.0}],
    ids=lambda limit: next(iter(limit)),
)
def test_a_limit_ends_the_work_and_what_there_is_is_judged(limit: dict[str, float]) -> None:
    worked = turned(1, "go on", spent={"input_tokens": 5, "cents": 1.0})

    assert due(*RED, worked, by=terms(**limit)) == Compose(held())


def test_a_wish_to_finish_is_answered_even_at_the_limit() -> None:
    assert due(*RED, turned(1, "finish"), by=terms(turns=1)) == Compose(held())
    assert due(*RED, turned(1, "finish"), composed(), by=terms(turns=1)) == AskGate(FIXED, None)


def test_hooks_are_asked_even_at_the_limit() -> None:
    green = (*RED, turned(), composed(), judged(Purpose.STOP_GATE))
    last = terms(turns=1, hooks=2)

    assert due(*green, by=last) == AskHook(0)
    assert due(*green, hooked(vetoed=False), by=last) == AskHook(1)
    assert due(*green, hooked(vetoed=True), by=last) == Adjudicate(FIXED, (0, 1, 2))


def test_a_reproduction_has_no_hooks_to_wait_for_at_the_limit() -> None:
    may = terms(may_reproduce=True, turns=1, hooks=1)
    green = [preflight(n, Colour.GREEN) for n in range(2)]
    story = (opened(), prepared(), froze(), *green, baselined(targets=(), targets_count=0))
    vain = judged(Purpose.REPRODUCTION, Colour.GREEN, tree="e" * 40)

    assert due(*story, turned(), vain, by=may) == Compose(held())


def test_a_reproduction_that_the_last_turn_wrote_is_kept() -> None:
    may = terms(may_reproduce=True, turns=1)
    green = [preflight(n, Colour.GREEN) for n in range(2)]
    story = (opened(), prepared(), froze(), *green, baselined(targets=(), targets_count=0))
    shown = judged(Purpose.REPRODUCTION, Colour.RED, tree="e" * 40, shows=True)
    accepted = Reproduced(checkpoint=1, tree="e" * 40, paths=("tests/test_new.py",))
    reds = [preflight(n, tree="e" * 40) for n in range(2)]
    frozen = (*story, turned(), shown, accepted, froze(), *reds, baselined())

    assert due(*story, turned(), by=may) == Reproduce(held())
    assert due(*story, turned(), shown, by=may) == Accept(held(), "e" * 40)
    assert due(*frozen, by=may) == Compose(None)


def test_a_stopped_session_is_still_judged() -> None:
    story = (*RED, turned(1, "go on"), Stopped(by="ada"))

    assert due(*story) == Compose(held())
    assert due(*story, composed()) == Adjudicate(FIXED, (0, 1, 2))


def test_a_tree_that_the_gate_saw_red_is_run_once_more_and_not_thrice() -> None:
    story = (*RED, turned(), composed(), red_gate(), turned(2, "give up", checkpoint=None))
    one = adjudications(Colour.RED)[0]
    hopeful = adjudications(Colour.GREEN)[0]

    assert due(*story) == Adjudicate(FIXED, (0,))
    assert due(*story, one) == Conclude("the agent gave up")
    assert due(*story, hopeful) == Adjudicate(FIXED, (1, 2))


def test_only_the_missing_runs_are_made_after_a_crash() -> None:
    story = (*RED, turned(), composed(), judged(Purpose.STOP_GATE))

    assert due(*story, adjudications()[0]) == Adjudicate(FIXED, (1, 2))


def test_runs_that_disagree_are_settled_on_base_and_candidate() -> None:
    green, _, third = adjudications()
    lost = gate(Colour.RED, lost=("t::w",), lost_count=1, unmended=(), unmended_count=0)
    wavered = judged(Purpose.ADJUDICATION, Colour.RED, gates=(lost,), number=1, seed=SEEDS[1])
    story = (*RED, turned(), composed(), judged(Purpose.STOP_GATE), green, wavered, third)
    settled = Disputed(
        ids=("t::w",), wavering=("t::w",), held=(), runs=4, seed=SEEDS[1], seconds=1.0
    )

    assert due(*story) == Dispute(FIXED, ("t::w",), SEEDS[1])
    assert due(*story, settled) == Probe(FIXED, PROBES)
    assert due(*story, settled, *probes()) == Conclude("the stop gate was green")


def test_a_first_run_that_only_lost_what_wavers_is_followed_by_the_others() -> None:
    lost = gate(Colour.RED, lost=("t::w",), lost_count=1, unmended=(), unmended_count=0)
    first = judged(Purpose.ADJUDICATION, Colour.RED, gates=(lost,))
    story = (*RED, turned(), composed(), red_gate(), turned(2, "give up", checkpoint=None), first)

    def settled(*, wavering: bool) -> Disputed:
        ids = ("t::w",)
        return Disputed(
            ids=ids,
            wavering=ids if wavering else (),
            held=() if wavering else ids,
            runs=4,
            seed=SEEDS[0],
            seconds=1.0,
        )

    assert due(*story) == Dispute(FIXED, ("t::w",), SEEDS[0])
    assert due(*story, settled(wavering=True)) == Adjudicate(FIXED, (1, 2))
    assert due(*story, settled(wavering=False)) == Conclude("the agent gave up")


def test_the_agents_tests_are_judged_only_on_a_green_candidate() -> None:
    with_tests = composed(with_tests="e" * 40)
    green = (*RED, turned(), with_tests, judged(Purpose.STOP_GATE), *adjudications(), *probes())
    red = (*RED, turned(), with_tests, red_gate(), turned(2, "give up", checkpoint=None))

    assert due(*green) == JudgeAlso(Purpose.WITH_TESTS, "e" * 40)
    assert due(*green, by=terms(agent_tests=False)) == Conclude("the stop gate was green")
    assert due(*red, adjudications(Colour.RED)[0]) == Conclude("the agent gave up")


def test_a_red_candidate_is_tried_once_with_its_surface_change() -> None:
    story = (*RED, turned(), composed(with_surface="e" * 40), red_gate())
    story = (*story, turned(2, "give up", checkpoint=None), adjudications(Colour.RED)[0])

    assert due(*story) == JudgeAlso(Purpose.WITH_SURFACE, "e" * 40)


def test_nothing_but_a_surface_change_is_tried_with_it_and_published_for_a_person() -> None:
    only = composed(tree=BASE_TREE, with_surface="e" * 40, surface=("pyproject.toml",))
    story = (*RED, turned(1, "give up"), only)
    tried = (*story, judged(Purpose.WITH_SURFACE, tree="e" * 40))
    word = adjudicated(tree=BASE_TREE, head_tree="e" * 40, end="unverified", level="none")

    assert due(*story) == JudgeAlso(Purpose.WITH_SURFACE, "e" * 40)
    assert due(*tried) == Conclude("the agent gave up")
    assert due(*tried, word) == Publish()
    assert due(*tried, word.model_copy(update={"head_tree": BASE_TREE})) == Finish()


def test_nothing_changed_is_concluded_without_a_run() -> None:
    story = (*RED, turned(1, "give up", checkpoint=None), composed(0, BASE_TREE))

    assert due(*story) == Conclude("the agent gave up")


def test_a_green_tree_is_probed_before_the_last_word() -> None:
    story = (*RED, turned(), composed(), judged(Purpose.STOP_GATE), *adjudications())

    assert due(*story) == Probe(FIXED, PROBES)
    assert due(*story, *probes()[:1]) == Probe(FIXED, PROBES[1:])
    assert due(*story, *probes()) == Conclude("the stop gate was green")


def test_after_the_last_word() -> None:
    story = (*RED, turned(), composed(), judged(Purpose.STOP_GATE), *adjudications())

    assert due(*story, adjudicated()) == Publish()
    assert due(*story, adjudicated(), by=terms(publish=False)) == Finish()
    assert due(*story, adjudicated(end="failed")) == Finish()
    assert due(*story, adjudicated(), published()) == Finish()
    assert due(*story, adjudicated(), published(), ended()) == Done(ended())


def test_an_uncovered_issue_is_reproduced_before_it_is_worked_on() -> None:
    may = terms(may_reproduce=True)
    green = [preflight(n, Colour.GREEN) for n in range(2)]
    story = (opened(), prepared(), froze(), *green, baselined(targets=(), targets_count=0))
    wrote = (*story, turned())
    shown = judged(Purpose.REPRODUCTION, Colour.RED, tree="e" * 40, shows=True)
    vain = judged(Purpose.REPRODUCTION, Colour.GREEN, tree="e" * 40)
    accepted = Reproduced(checkpoint=1, tree="e" * 40, paths=("tests/test_new.py",))

    assert due(*story, by=may) == Work(number=1, agent="repair", reproduce=True)
    assert due(*wrote, by=may) == Reproduce(held())
    assert due(*wrote, vain, by=may) == Work(number=2, agent="repair", answer=vain, reproduce=True)
    assert due(*wrote, shown, by=may) == Accept(held(), "e" * 40)
    assert due(*wrote, shown, accepted, by=may) == Freeze()
    again = (*wrote, shown, accepted, froze(), preflight(0, tree="e" * 40))
    assert due(*again, by=may) == Preflight(1, "e" * 40)
    again = (*again, preflight(1, tree="e" * 40), baselined())
    assert due(*again, by=may) == Work(number=2, agent="repair")
    assert TARGET in baselined().targets
