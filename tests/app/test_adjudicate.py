"""Whether an id in dispute wavers is asked of the base, gate by gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.app.adjudicate import Adjudicator
from bot.app.court import Trial
from bot.core.baseline import Baseline, GateBaseline
from bot.core.canonical import spell
from bot.core.entries import Disputed, Judged
from bot.core.parts import Colour, Purpose
from bot.core.session import replay
from bot.core.steps import SEEDS, Dispute
from tests.make import (
    BASE_TREE,
    FIXED,
    composed,
    gate,
    judged,
    sealed,
    to_red_base,
    turned,
)

WAVERS = "tests/test_a.py::test_w"
Lost = Mapping[str, tuple[str, ...]]  # by gate


def run_of(tree: str, lost: Lost) -> Judged:
    gates = tuple(
        gate(
            Colour.RED if ids else Colour.GREEN,
            gate=name,
            lost=ids,
            lost_count=len(ids),
            unmended=(),
            unmended_count=0,
        )
        for name, ids in lost.items()
    )
    colour = Colour.RED if any(lost.values()) else Colour.GREEN
    return judged(Purpose.ADJUDICATION, colour, tree=tree, gates=gates, number=1, seed=SEEDS[1])


class Said:
    """A court whose base answers as ``base`` says for each run, and evidence of one baseline."""

    def __init__(self, base: Callable[[int], Lost], candidate: Lost) -> None:
        self.base, self.candidate = base, candidate
        self.on_base = 0

    def of_candidate(self, trial: Trial, *, baseline: Baseline) -> Judged:
        if trial.tree != BASE_TREE:
            return run_of(trial.tree, self.candidate)
        self.on_base += 1
        return run_of(trial.tree, self.base(self.on_base))

    def get(self, _: str) -> bytes:
        one = GateBaseline(passed=(WAVERS,), targets=(), failing=(), known=(WAVERS,), wavering=())
        return spell(Baseline(gates={"old": one, "new": one})).encode()


def dispute(base: Callable[[int], Lost], candidate: Lost) -> Disputed:
    said: Any = Said(base, candidate)
    adjudicator = Adjudicator(
        case=said,
        court=said,
        stage=said,
        workcopy=said,
        evidence=said,
        say=lambda _: None,
        side_by_side=1,
    )
    session = replay(sealed(*to_red_base(), turned(), composed(), run_of(FIXED, candidate)))
    return adjudicator.dispute(Dispute(FIXED, (WAVERS,), SEEDS[1]), session)


def every_other(number: int) -> Lost:
    return {"old": (WAVERS,) if number % 2 else (), "new": ()}


def test_what_fails_now_and_then_on_the_base_wavers() -> None:
    said = dispute(every_other, {"old": (WAVERS,), "new": ()})

    assert (said.wavering, said.held) == ((WAVERS,), ())


def test_what_never_fails_on_the_base_is_held_against_the_change() -> None:
    said = dispute(lambda _: {"old": (), "new": ()}, {"old": (WAVERS,), "new": ()})

    assert (said.wavering, said.held, said.runs) == ((), (WAVERS,), 20)


def test_wavering_in_one_gate_excuses_nothing_in_another() -> None:
    said = dispute(every_other, {"old": (WAVERS,), "new": (WAVERS,)})

    assert (said.wavering, said.held) == ((), (WAVERS,))
