"""A turn of ``repair`` in a real folder: what it writes, and what a stop in its middle leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.agents.flaky_repair import FlakyRepair
from bot.core.flaky.finding import Category
from bot.ports import Bench, Ended, Ran, TurnDone, Wish
from tests.agents.bench import BRIEF, PLENTY, PlainJail, make_lab
from tests.core.flaky.mending import finding

TEXT = "import shop\n\n\ndef test_a():\n    assert {shop.draw() for _ in range(10)} == {1, 2}\n"


def turn(bench: Bench) -> TurnDone:
    cause = finding(category=Category.RANDOM, polluters=())
    return FlakyRepair(cause).turn(BRIEF, bench, history=[], feedback="", remaining=PLENTY)


def test_the_first_patch_that_fits_is_put_forward(tmp_path: Path) -> None:
    lab = make_lab(tmp_path / "repo")
    (lab.tree / "tests").mkdir()
    (lab.tree / "tests/test_a.py").write_text(TEXT)

    done = turn(lab.bench)

    assert done.wish is Wish.FINISH
    assert lab.text("tests/test_a.py") == TEXT.replace("range(10)", "range(100)")


class Stopped(PlainJail):
    """Everything that writes is ended by a person."""

    def run(self, argv: Sequence[str], **given: Any) -> Ran:
        ran = super().run(argv, **given)
        return replace(ran, ended=Ended.STOPPED) if given.get("stdin") else ran


def test_a_stop_in_the_middle_of_a_turn_ends_it(tmp_path: Path) -> None:
    lab = make_lab(tmp_path / "repo")
    (lab.tree / "tests").mkdir()
    (lab.tree / "tests/test_a.py").write_text(TEXT)

    done = turn(replace(lab.bench, jail=Stopped()))

    assert (done.wish, done.said) == (
        Wish.GIVE_UP,
        "tests/test_a.py: the tool was ended (stopped).",
    )
