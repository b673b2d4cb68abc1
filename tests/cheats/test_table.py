"""The page of cheats says what the cases say."""

from __future__ import annotations

from pathlib import Path

from tests.cheats.table import render

PAGE = Path(__file__).parents[2] / "docs" / "cheats.md"


def test_the_page_is_made_from_the_cases() -> None:
    assert PAGE.read_text() == render(), "python -m tests.cheats.table > docs/cheats.md"
