"""What is refused before a session exists, and what a session is called."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.app.discreet import DiscreetEvidence
from bot.app.opening import (
    Base,
    ContractHoldsSecret,
    Wanted,
    open_session,
    read_objective,
    slug_of,
    title_of,
)
from bot.app.preflight import own_modules
from bot.core.contract import Contract
from bot.core.redact import Redactor
from bot.core.tree import TreeEntry
from bot.errors import SpecError

CANARY = "canary-0123456789-abcdef"


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


class Blobs(dict[str, bytes]):
    """The ``Evidence`` port, in memory."""

    def put(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        self[digest] = content
        return digest

    def get(self, sha256: str) -> bytes:  # type: ignore[override]  # the port's
        return self[sha256]


def wanted(run: str, objective: str) -> Wanted:
    gates: list[dict[str, Any]] = [{"name": "tests", "run": run}]
    return Wanted(
        contract=Contract.model_validate({"version": 1, "oracles": {"unit": {"gates": gates}}}),
        contract_from="jam.yml",
        objective=objective,
        base=Base(repository="lib", commit="a" * 40, tree="b" * 40, name="main"),
    )


def test_a_contract_that_holds_a_secret_is_refused_and_nothing_of_it_kept() -> None:
    kept = Blobs()
    asked = wanted(f"pytest --token {CANARY}", "Mend it")

    with pytest.raises(ContractHoldsSecret, match="take it out of the contract"):
        open_session(
            asked,
            evidence=DiscreetEvidence(kept, Redactor([CANARY])),
            now=datetime(2026, 11, 30, tzinfo=UTC),
            chance="0" * 8,
        )

    assert not any(CANARY.encode() in content for content in kept.values())


def test_neither_title_nor_branch_holds_a_secret_of_the_objective() -> None:
    opened = open_session(
        wanted("pytest", f"It says {CANARY} to me"),
        evidence=DiscreetEvidence(Blobs(), Redactor([CANARY])),
        now=datetime(2026, 11, 30, tzinfo=UTC),
        chance="0" * 8,
    )

    assert (opened.title, opened.branch) == ("It says [secret] to me", "jam/it-says-secret-to-me")
