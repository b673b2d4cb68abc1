"""Ledgers, evidence and locks on disk: durable, whole, and refused to a second writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.store import Store
from bot.errors import (
    EvidenceMissing,
    LedgerBroken,
    NoSuchSession,
    SessionBusy,
    StateUnusable,
)

ID = "20261130-120000-abcd"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "state")
    made.create(ID)
    return made


def test_lines_come_back_in_order(store: Store) -> None:
    for place, line in enumerate("abc"):
        store.append(ID, line, place=place)

    assert store.read(ID) == ("a", "b", "c")


def test_a_second_writer_is_refused(store: Store) -> None:
    other = Store(store.root)
    store.append(ID, "mine", place=0)

    with pytest.raises(LedgerBroken, match="holds 1 entries"):
        other.append(ID, "theirs", place=0)
    other.append(ID, "next", place=1)
    with pytest.raises(LedgerBroken, match="holds 2 entries"):
        store.append(ID, "late", place=1)
    assert store.read(ID) == ("mine", "next")


def test_a_line_that_was_cut_was_never_there(store: Store) -> None:
    store.append(ID, "whole", place=0)
    with store.path(ID).open("ab") as ledger:
        ledger.write(b"half a li")

    assert store.read(ID) == ("whole",)
    with store.lock(ID):
        store.append(ID, "next", place=1)
    assert store.path(ID).read_bytes() == b"whole\nnext\n"


def test_a_session_is_conducted_by_one_at_a_time(store: Store) -> None:
    with (
        store.lock(ID),
        pytest.raises(SessionBusy, match="is being conducted already"),
        Store(store.root).lock(ID),
    ):
        pass
    with Store(store.root).lock(ID):
        pass


def test_evidence_is_kept_under_its_digest_and_once(store: Store) -> None:
    digest = store.put(b"said")

    assert store.put(b"said") == digest
    assert store.get(digest) == b"said"


def test_evidence_that_was_changed_or_lost_is_told(store: Store) -> None:
    digest = store.put(b"said")
    path = store.root / "evidence" / digest[:2] / digest
    path.write_bytes(b"never said")

    with pytest.raises(EvidenceMissing, match="was changed"):
        store.get(digest)
    path.unlink()
    with pytest.raises(EvidenceMissing, match="cannot be read"):
        store.get(digest)


def test_sessions_are_found_by_the_beginning_of_their_name(store: Store) -> None:
    store.append(ID, "{}", place=0)
    other = "20261130-130000-ffff"
    store.create(other)
    store.append(other, "{}", place=0)
    store.create("20261130-140000-0000")  # never began

    assert store.sessions() == (other, ID)
    assert store.find("20261130-12") == ID
    with pytest.raises(NoSuchSession, match="could be any of"):
        store.find("20261130")
    for name in ("2025", ""):
        with pytest.raises(NoSuchSession, match=f"the newest is {other}"):
            store.find(name)


@pytest.mark.parametrize("name", ["../etc", "a/b", "", ".hidden", "x" * 99])
def test_what_is_no_name_of_a_session_is_refused(store: Store, name: str) -> None:
    with pytest.raises(NoSuchSession):
        store.folder(name)


def test_a_state_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(StateUnusable, match=r"cannot be written: .*name another one with --state"):
        Store(tmp_path / "file").create(ID)


def test_a_state_folder_that_cannot_be_looked_into_is_one_sentence(tmp_path: Path) -> None:
    closed = Store(tmp_path / ("x" * 300))  # to root nothing else is closed

    for use in (closed.sessions, lambda: closed.read(ID), lambda: closed.put(b"said")):
        with pytest.raises(StateUnusable, match=r"cannot be (read|written): File name too long"):
            use()
    assert Store(tmp_path / "not there").sessions() == ()
