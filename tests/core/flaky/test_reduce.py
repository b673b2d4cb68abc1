"""Delta debugging finds what it takes, asks nothing twice, and asks little."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from bot.core.flaky.reduce import Part, smallest

NAMES = tuple(f"t{n}" for n in range(40))


def shrink(whole: Part, does: Callable[[Part], bool]) -> tuple[Part, list[Part]]:
    asked: list[Part] = []
    asking = smallest(whole)
    try:
        parts = next(asking)
        while True:
            asked += parts
            parts = asking.send([does(part) for part in parts])
    except StopIteration as done:
        return done.value, asked


@pytest.mark.parametrize("culprit", NAMES)
def test_one_culprit_of_forty_is_found_in_a_dozen_questions(culprit: str) -> None:
    found, asked = shrink(NAMES, lambda part: culprit in part)

    assert found == (culprit,)
    assert len(asked) <= 14


@pytest.mark.parametrize("seed", range(30))
def test_what_only_works_together_is_kept_together_and_in_order(seed: int) -> None:
    needed = set(random.Random(seed).sample(NAMES, 1 + seed % 4))
    found, asked = shrink(NAMES, lambda part: needed <= set(part))

    assert found == tuple(name for name in NAMES if name in needed)
    assert len(asked) == len(set(asked))
    assert len(asked) < 150


def test_one_alone_is_as_small_as_it_gets() -> None:
    assert shrink(("t1",), lambda _part: True) == (("t1",), [])
