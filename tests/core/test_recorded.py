"""
Sessions that were recorded once are read by every later jam as they were then: the same seals, the
same next step at every place. A file in ``tests/data/ledgers`` is never edited again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core import invariants, ledger
from bot.core.next_step import next_step
from bot.core.session import replay
from bot.core.steps import Terms

FOLDER = Path(__file__).parent.parent / "data" / "ledgers"
RECORDED = sorted(FOLDER.glob("*.jsonl"))
TERMS = Terms(
    agents=("scripted", "repair"), turns=60, seconds=3600, tokens=2_000_000, cents=500.0, hooks=0
)


def test_there_are_recordings() -> None:
    assert len(RECORDED) >= 5


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_the_same_step_is_due_at_every_place(path: Path) -> None:
    entries = ledger.read(path.read_text().splitlines())
    steps = [
        type(next_step(replay(entries[:place]), TERMS)).__name__
        for place in range(1, len(entries) + 1)
    ]

    assert steps == path.with_suffix(".steps").read_text().split()
    assert invariants.broken(entries) == ()


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_line_is_spelled_as_it_was(path: Path) -> None:
    lines = path.read_text().splitlines()

    assert [ledger.line(sealed) for sealed in ledger.read(lines)] == lines
