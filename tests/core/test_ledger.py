"""Nothing in a ledger can be changed, dropped, swapped or doubled without being named."""

from __future__ import annotations

import hashlib
import json

import pytest

from bot.core import ledger
from bot.core.canonical import spell
from bot.errors import LedgerBroken
from tests.make import froze, sealed, verified_story

STORY = sealed(*verified_story())
LINES = tuple(ledger.line(entry) for entry in STORY)


def test_a_good_ledger_reads_back_as_it_was_written() -> None:
    assert ledger.read(LINES) == STORY


@pytest.mark.parametrize("place", range(len(STORY)))
def test_a_changed_fact_is_named(place: int) -> None:
    entry = json.loads(LINES[place])
    key = next(k for k, v in entry["fact"].items() if isinstance(v, int | float) or k == "title")
    entry["fact"][key] = "other" if key == "title" else 41

    with pytest.raises(LedgerBroken, match=f"entry {place} "):
        ledger.read((*LINES[:place], json.dumps(entry), *LINES[place + 1 :]))


@pytest.mark.parametrize("place", range(len(STORY)))
def test_an_entry_that_says_another_place_is_named(place: int) -> None:
    entry = {**json.loads(LINES[place]), "place": place + 1}

    with pytest.raises(LedgerBroken, match=f"entry {place} says that it is entry {place + 1}"):
        ledger.read((*LINES[:place], json.dumps(entry), *LINES[place + 1 :]))


@pytest.mark.parametrize("place", range(len(STORY) - 1))
def test_a_dropped_entry_is_named(place: int) -> None:
    with pytest.raises(LedgerBroken, match=f"entry {place} "):
        ledger.read((*LINES[:place], *LINES[place + 1 :]))


@pytest.mark.parametrize("place", range(len(STORY) - 1))
def test_swapped_entries_are_named(place: int) -> None:
    swapped = (*LINES[:place], LINES[place + 1], LINES[place], *LINES[place + 2 :])

    with pytest.raises(LedgerBroken, match=f"entry {place} "):
        ledger.read(swapped)


@pytest.mark.parametrize("place", range(len(STORY)))
def test_a_doubled_entry_is_named(place: int) -> None:
    with pytest.raises(LedgerBroken, match=f"entry {place + 1} "):
        ledger.read((*LINES[: place + 1], *LINES[place:]))


def test_a_dropped_tail_shows_against_the_last_seal() -> None:
    assert ledger.last_seal(ledger.read(LINES[:-1])) != ledger.last_seal(STORY)


def test_text_that_is_no_entry_is_named_with_its_place() -> None:
    with pytest.raises(LedgerBroken, match="entry 1 cannot be read"):
        ledger.read((LINES[0], "{}"))
    with pytest.raises(LedgerBroken, match="entry 1 is not JSON: it is nested too deeply"):
        ledger.read((LINES[0], "[" * 100_000))


def test_odd_file_names_survive_the_ledger() -> None:
    odd = froze(patterns=("caf\udce9/", "a\nb", "\U0001f980"))

    assert ledger.read(tuple(map(ledger.line, sealed(odd)))) == sealed(odd)


def test_a_ledger_of_an_earlier_jam_reads_though_this_one_knows_more_fields() -> None:
    """The seal is over what was written then, and the field that was not known has its default."""
    entry = json.loads(LINES[0])
    assert entry["fact"].pop("dry_run") is False
    entry["seal"] = hashlib.sha256(
        f"{ledger.ORIGIN}\n0\n{spell(entry['fact'])}".encode()
    ).hexdigest()

    (read,) = ledger.read([spell(entry)])

    assert read.fact == STORY[0].fact
    entry["fact"]["title"] = "other"
    with pytest.raises(LedgerBroken, match=r"entry 0 .* does not follow"):
        ledger.read([spell(entry)])
