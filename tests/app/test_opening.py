"""What is refused before a session exists, and what a session is called."""

from __future__ import annotations

import pytest

from bot.app.opening import read_objective, slug_of, title_of
from bot.app.preflight import own_modules
from bot.core.tree import TreeEntry
from bot.errors import SpecError


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "issue.md is empty: say what is wanted"),
        (b" \n\t\n", "issue.md is empty: say what is wanted"),
        (b"<!-- nothing to see -->", "issue.md is empty: say what is wanted"),
        ("\u200b\u2060\ufeff <!-- x -->\n\u202e".encode(), "issue.md is empty: say what is wanted"),
        (b"\x7fELF\0\0", "issue.md is not text"),
    ],
    ids=["nothing", "blanks", "only hidden", "only invisible", "binary"],
)
def test_an_objective_that_says_nothing_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(SpecError) as refused:
        read_objective(content, name="issue.md")

    assert (refused.value.code, str(refused.value)) == ("spec.spec_unreadable", sentence)


def test_an_objective_that_is_not_utf8_is_read_all_the_same() -> None:
    assert read_objective(b"\xef\xbb\xbfcaf\xe9 is closed", name="x") == "caf\ufffd is closed"


@pytest.mark.parametrize(
    ("objective", "title"),
    [
        ("# Dates are off by one\n\nmore", "Dates are off by one"),
        ("\n\n   Dates are off\n", "Dates are off"),
        ("###\nreal", "real"),
        ("\ufffd \ufffd\nreal", "real"),
        ("x" * 200, "x" * 119 + "…"),
    ],
)
def test_the_title_is_the_first_line_that_says_something(objective: str, title: str) -> None:
    assert title_of(objective) == title


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Dates are off by one!", "dates-are-off-by-one"),
        ("Größe: 5 µm", "groe-5-m"),
        ("日付がずれる", "change"),
        ("../../etc/passwd", "etc-passwd"),
        ("a" * 80, "a" * 40),
    ],
)
def test_a_slug_is_plain_whatever_the_title(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_a_repositorys_own_modules_are_found_on_every_import_root() -> None:
    paths = (
        "lib_a/__init__.py",
        "src/lib_b/x.py",
        "tests/helper.py",
        "tests/test_x.py",
        "doc/y.md",
    )
    entries = {path: TreeEntry(path, "100644", "0" * 40) for path in paths}

    assert own_modules(entries) >= {"lib_a", "lib_b", "helper", "test_x"}
    assert "y" not in own_modules(entries)
