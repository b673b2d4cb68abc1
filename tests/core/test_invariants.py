"""A ledger whose seals follow may still not make sense; each nonsense has its sentence."""

from __future__ import annotations

import pytest

from bot.core.contract import Dialect
from bot.core.entries import AnyFact, Judged
from bot.core.invariants import broken
from bot.core.parts import CheckFact, Colour, Purpose, Remark
from tests.make import (
    adjudicated,
    adjudications,
    composed,
    ended,
    gate,
    judged,
    opened,
    preflight,
    probed,
    published,
    sealed,
    turned,
    verified_story,
)

STORY = verified_story()


def without(kind: str) -> tuple[AnyFact, ...]:
    return tuple(fact for fact in STORY if fact.kind != kind)


def ending(new: AnyFact) -> tuple[AnyFact, ...]:
    return (*STORY[:-1], new)


def but(place: int, new: AnyFact) -> tuple[AnyFact, ...]:
    return (*STORY[:place], new, *STORY[place + 1 :])


def test_a_good_story_breaks_nothing() -> None:
    assert broken(sealed(*STORY)) == ()


SABOTAGE = CheckFact(name="sabotage", result="passed", why="red with the change sabotaged")

LEAVES = Remark(path="a.py", line=3, what="ends the process at once", blocks=True)

LIES: dict[str, tuple[tuple[AnyFact, ...], str]] = {
    "two openings": ((*STORY[:3], opened(), *STORY[3:]), "begins with one 'opened'"),
    "two outcomes": ((*STORY, ended()), "more than one outcome"),
    "more after the end": ((*STORY, turned(2)), "after the outcome"),
    "turns out of order": (but(6, turned(2, checkpoint=None)), "not numbered in order"),
    "an outcome of its own": (ending(ended(end="failed", exit_code=1)), "not what adjudication"),
    "a wrong exit code": (ending(ended(exit_code=1)), "does not belong to"),
    "frozen files changed": (but(7, composed(frozen_sha256="e" * 64)), "hold the frozen files"),
    "another tree published": (
        (*STORY[:-2], published(tree="e" * 40), ended()),
        "not what was adjudicated",
    ),
    "a head without a record": (
        (*STORY[:-3], adjudicated(head_tree="e" * 40), published(head_tree="e" * 40), ended()),
        "no green record",
    ),
    "a head in another environment": (
        (
            *STORY[:-3],
            judged(Purpose.WITH_TESTS, tree="e" * 40, environment_sha256="e" * 64),
            adjudicated(head_tree="e" * 40),
            published(head_tree="e" * 40),
            ended(),
        ),
        "the published head was judged in another environment",
    ),
    "a green base": (but(4, preflight(1, Colour.GREEN)), "the base was not red"),
    "no baseline": (without("baselined"), "without a baseline"),
    "a red room": (but(9, adjudications(Colour.RED)[1]), "not every clean-room run"),
    "a room in another environment": (
        but(9, adjudications()[1].model_copy(update={"environment_sha256": "e" * 64})),
        "in another environment",
    ),
    "a missing room": ((*STORY[:9], *STORY[10:]), "not every clean-room run"),
    "a check that was never made": (
        (*STORY[:-3], adjudicated(checks=(SABOTAGE,)), published(), ended()),
        "the check 'sabotage' is said to be 'passed' and was not",
    ),
    "a check that nobody tried": (
        (*STORY[:12], *STORY[13:]),
        "nobody tried the checks sabotage",
    ),
    "a check that failed": (
        (*STORY[:12], probed("sabotage", "failed"), *STORY[13:]),
        "verified, but a sensitivity check failed",
    ),
    "a report that anybody can write": (
        tuple(
            fact.model_copy(
                update={
                    "gates": tuple(
                        one.model_copy(update={"report": Dialect.JUNIT}) for one in fact.gates
                    )
                }
            )
            if isinstance(fact, Judged) and fact.purpose is Purpose.PREFLIGHT
            else fact
            for fact in STORY
        ),
        "by a report that tested code can write, without the check twin",
    ),
    "a remark that blocks": (
        (*STORY[:-3], adjudicated(remarks=(LEAVES,)), published(), ended()),
        "a person has to look",
    ),
    "a green gate that lost": (
        but(8, judged(Purpose.STOP_GATE, gates=(gate(lost=("t::c",), lost_count=1),))),
        "is called green and is not",
    ),
    "a colour from nowhere": (
        but(8, judged(Purpose.STOP_GATE, Colour.GREEN, gates=(gate(Colour.RED),))),
        "does not follow from the gates",
    ),
}


@pytest.mark.parametrize(("story", "sentence"), LIES.values(), ids=LIES.keys())
def test_a_lie_is_named(story: tuple[AnyFact, ...], sentence: str) -> None:
    assert any(sentence in found for found in broken(sealed(*story))), broken(sealed(*story))
