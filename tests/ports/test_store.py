"""Ledgers, evidence and locks, in files and in a database: durable, whole, and refused to whoever
writes after somebody else has."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from resource import RLIMIT_FSIZE

import pytest

from bot.adapters.database import Database, address, open_engine
from bot.adapters.docket import LEASE, Docket
from bot.adapters.shared_store import LARGEST, SharedStore
from bot.adapters.store import Store
from bot.core.docket import Kind, Listed
from bot.core.ledger import ORIGIN
from bot.core.thread import Repository
from bot.errors import (
    DiskFull,
    EvidenceMissing,
    LedgerBroken,
    NoSuchSession,
    SessionBusy,
    StateUnusable,
    Superseded,
)
from tests.ports.databases import another, postgres

ID = "20261130-120000-abcd"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
POSTGRES = pytest.param("postgres", marks=pytest.mark.slow)


def entry(seal: str) -> str:
    return f'{{"seal":"{seal}"}}'


@pytest.fixture(scope="module", params=["files", "sqlite", POSTGRES])
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where things are kept; for PostgreSQL its address."""
    if request.param != "postgres":
        yield request.param
        return
    with postgres() as url:
        yield url


@pytest.fixture(scope="module", params=["sqlite", POSTGRES])
def shared(request: pytest.FixtureRequest) -> Iterator[str]:
    """The same, where machines can share it."""
    if request.param != "postgres":
        yield request.param
        return
    with postgres() as url:
        yield url


def opened(kind: str, folder: Path) -> Database:
    given = another(kind) if kind.startswith("postgres") else ""
    return Database(open_engine(address(given, folder=folder)))


@dataclass(slots=True)
class Shelf:
    """Where stores are made: each is another process's, or another machine's."""

    root: Path
    database: Database | None = None

    def store(self, name: str = "state") -> Store:
        root = self.root / name
        made = SharedStore(root, self.database) if self.database else Store(root)
        made.create(ID)
        return made

    def begin(self, session: str) -> None:
        """The docket says whose run it is."""
        if self.database:
            where = Repository(id=1, name="ada/lib", default_branch="main")
            docket = Docket(self.database)
            docket.add(
                Listed(
                    session=session,
                    kind=Kind.FIX,
                    where=where,
                    thread=7,
                    asked="{}",
                    asked_by="ben",
                    counts_as="1#7",
                    title="One is left",
                    opened_at=NOW,
                )
            )
            docket.begin(session, run=1)

    def spoil(self, store: Store, digest: str) -> None:
        if self.database:
            self.database.write("UPDATE evidence SET content = :other", other=b"never said")
        else:
            (store.root / "evidence" / digest[:2] / digest).write_bytes(b"never said")

    def lose(self, store: Store, digest: str) -> None:
        if self.database:
            self.database.write("DELETE FROM evidence")
        else:
            (store.root / "evidence" / digest[:2] / digest).unlink()


@pytest.fixture
def shelf(kind: str, tmp_path: Path) -> Iterator[Shelf]:
    if kind == "files":
        yield Shelf(tmp_path)
        return
    database = opened(kind, tmp_path)
    made = Shelf(tmp_path, database)
    made.begin(ID)
    yield made
    database.close()


@pytest.fixture
def store(shelf: Shelf) -> Store:
    return shelf.store()


class TestEach:
    def test_lines_come_back_in_order(self, store: Store) -> None:
        with store.lock(ID, run=1):
            for place, (seal, after) in enumerate([("a", ORIGIN), ("b", "a"), ("c", "b")]):
                store.append(ID, entry(seal), place=place, after=after)

        assert store.read(ID) == (entry("a"), entry("b"), entry("c"))
        assert store.read("another") == ()

    @pytest.mark.parametrize(
        ("place", "after"),
        [(0, ORIGIN), (1, ORIGIN), (1, "b"), (2, "a"), (0, "a")],
        ids=["over it", "after nothing", "after another", "after a gap", "before it"],
    )
    def test_an_entry_that_does_not_follow_is_refused(
        self, store: Store, place: int, after: str
    ) -> None:
        with store.lock(ID, run=1):
            store.append(ID, entry("a"), place=0, after=ORIGIN)
            with pytest.raises(LedgerBroken):
                store.append(ID, entry("x"), place=place, after=after)

        assert store.read(ID) == (entry("a"),)

    def test_of_many_who_follow_the_same_entry_one_does(self, shelf: Shelf) -> None:
        stores = [shelf.store(f"m{number}") for number in range(6 if shelf.database else 1)]
        with ExitStack() as held:
            for store in stores:
                held.enter_context(store.lock(ID, run=1))
            stores[0].append(ID, entry("a"), place=0, after=ORIGIN)

            def follow(number: int) -> bool:
                try:
                    store = stores[number % len(stores)]
                    store.append(ID, entry(f"b{number}"), place=1, after="a")
                except LedgerBroken:
                    return False
                return True

            with ThreadPoolExecutor(len(stores)) as pool:
                followed = list(pool.map(follow, range(6)))

        assert followed.count(True) == 1
        assert stores[0].read(ID) == (entry("a"), entry(f"b{followed.index(True)}"))

    def test_a_session_is_conducted_by_one_at_a_time_on_a_machine(self, shelf: Shelf) -> None:
        one, two = shelf.store(), shelf.store()
        with (
            one.lock(ID, run=1),
            pytest.raises(SessionBusy, match="is being conducted already"),
            two.lock(ID, run=1),
        ):
            pass
        with two.lock(ID, run=1):
            pass

    def test_evidence_is_kept_under_its_digest_and_once(self, store: Store) -> None:
        digest = store.put(b"said\0\xff")

        assert store.put(b"said\0\xff") == digest
        assert store.get(digest) == b"said\0\xff"

    def test_evidence_that_was_changed_or_lost_is_told(self, shelf: Shelf, store: Store) -> None:
        digest = store.put(b"said")
        shelf.spoil(store, digest)

        with pytest.raises(EvidenceMissing, match="was changed"):
            store.get(digest)
        shelf.lose(store, digest)
        with pytest.raises(EvidenceMissing, match="cannot be read"):
            store.get(digest)

    def test_sessions_are_found_by_the_beginning_of_their_name(
        self, shelf: Shelf, store: Store
    ) -> None:
        other = "20261130-130000-ffff"
        shelf.begin(other)
        store.create(other)
        store.create("20261130-140000-0000")  # never began
        for session in (ID, other):
            with store.lock(session, run=1):
                store.append(session, "{}", place=0, after=ORIGIN)

        assert store.sessions() == (other, ID)
        assert store.find("20261130-12") == ID
        with pytest.raises(NoSuchSession, match="could be any of"):
            store.find("20261130")
        for name in ("2025", ""):
            with pytest.raises(NoSuchSession, match=f"the newest is {other}"):
                store.find(name)

    def test_of_what_was_discarded_nothing_is_left(self, store: Store) -> None:
        with store.lock(ID, run=1):
            store.append(ID, entry("a"), place=0, after=ORIGIN)
        store.discard(ID, run=1)

        assert (store.read(ID), store.sessions(), store.folder(ID).exists()) == ((), (), False)
        store.create(ID)
        with store.lock(ID, run=1):
            store.append(ID, entry("b"), place=0, after=ORIGIN)
        assert store.read(ID) == (entry("b"),)

    @pytest.mark.parametrize("name", ["../etc", "a/b", "", ".hidden", "x" * 99])
    def test_what_is_no_name_of_a_session_is_refused(self, store: Store, name: str) -> None:
        with pytest.raises(NoSuchSession):
            store.folder(name)


class TestFiles:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return Shelf(tmp_path).store()

    def test_a_second_writer_is_refused(self, store: Store) -> None:
        other = Store(store.root)
        store.append(ID, entry("mine"), place=0, after=ORIGIN)

        with pytest.raises(LedgerBroken, match="holds 1 entries"):
            other.append(ID, entry("theirs"), place=0, after=ORIGIN)
        other.append(ID, entry("next"), place=1, after="mine")
        with pytest.raises(LedgerBroken, match="holds 2 entries"):
            store.append(ID, entry("late"), place=1, after="mine")
        assert store.read(ID) == (entry("mine"), entry("next"))

    def test_a_line_that_was_cut_was_never_there(self, store: Store) -> None:
        store.append(ID, entry("a"), place=0, after=ORIGIN)
        with store.path(ID).open("ab") as ledger:
            ledger.write(b"half a li")

        assert store.read(ID) == (entry("a"),)
        with store.lock(ID):
            store.append(ID, entry("b"), place=1, after="a")
        assert store.path(ID).read_text() == f"{entry('a')}\n{entry('b')}\n"

    def test_a_full_disk_is_the_worlds_and_a_line_that_did_not_fit_was_never_there(
        self, store: Store
    ) -> None:
        store.append(ID, entry("a"), place=0, after=ORIGIN)
        fits, hard = store.path(ID).stat().st_size + 3, resource.getrlimit(RLIMIT_FSIZE)[1]
        resource.setrlimit(RLIMIT_FSIZE, (fits, hard))
        try:
            with pytest.raises(DiskFull, match="free some space"):
                store.append(ID, entry("b"), place=1, after="a")
            with pytest.raises(DiskFull, match="free some space"):
                store.put(b"more than fits" * 99)
        finally:
            resource.setrlimit(RLIMIT_FSIZE, (hard, hard))

        assert store.read(ID) == (entry("a"),)
        with store.lock(ID):
            store.append(ID, entry("b"), place=1, after="a")
        assert store.path(ID).read_text() == f"{entry('a')}\n{entry('b')}\n"

    def test_a_folder_that_cannot_be_written_is_one_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")

        with pytest.raises(
            StateUnusable, match=r"cannot be written: .*name another one with --state"
        ):
            Store(tmp_path / "file").create(ID)

    def test_a_folder_that_cannot_be_looked_into_is_one_sentence(self, tmp_path: Path) -> None:
        closed = Store(tmp_path / ("x" * 300))  # to root nothing else is closed

        for use in (closed.sessions, lambda: closed.read(ID), lambda: closed.put(b"said")):
            with pytest.raises(
                StateUnusable, match=r"cannot be (read|written): File name too long"
            ):
                use()
        assert Store(tmp_path / "not there").sessions() == ()


class TestShared:
    """What several machines are refused."""

    @pytest.fixture
    def shelf(self, shared: str, tmp_path: Path) -> Iterator[Shelf]:
        database = opened(shared, tmp_path)
        made = Shelf(tmp_path, database)
        made.begin(ID)
        yield made
        database.close()

    @pytest.fixture
    def docket(self, shelf: Shelf) -> Docket:
        assert shelf.database
        base = shelf.database
        return Docket(base, clock=lambda: base.now() + LEASE * 2)

    def test_whoever_lost_the_session_is_refused_before_the_other_wrote_anything(
        self, shelf: Shelf, docket: Docket
    ) -> None:
        lost, other = shelf.store("a"), shelf.store("b")
        with lost.lock(ID, run=1), other.lock(ID, run=2):
            lost.append(ID, entry("a"), place=0, after=ORIGIN)
            docket.take_over(ID)
            with pytest.raises(Superseded, match="another worker's by now"):
                lost.append(ID, entry("late"), place=1, after="a")
            other.append(ID, entry("b"), place=1, after="a")

        assert lost.read(ID) == (entry("a"), entry("b"))

    def test_an_entry_waits_for_whoever_is_taking_the_session_over_and_is_refused(
        self, shelf: Shelf
    ) -> None:
        """Else it could be written after the other has begun to read."""
        assert shelf.database
        lost = shelf.store("a")
        with (
            lost.lock(ID, run=1),
            ThreadPoolExecutor(1) as pool,
            shelf.database.alone(1) as connection,
        ):
            shelf.database.within(connection)("UPDATE sessions SET run = 2")
            late = pool.submit(lost.append, ID, entry("late"), place=0, after=ORIGIN)
            time.sleep(0.3)
            waits = not late.done()
            connection.commit()
            with pytest.raises(Superseded):
                late.result(10)

        assert waits
        assert lost.read(ID) == ()

    def test_nobody_writes_who_does_not_hold_it(self, shelf: Shelf) -> None:
        with pytest.raises(LedgerBroken, match="by nobody who holds it"):
            shelf.store().append(ID, entry("a"), place=0, after=ORIGIN)

    def test_a_machine_knows_whether_it_was_the_last_to_write(self, shelf: Shelf) -> None:
        one, two = shelf.store("a"), shelf.store("b")
        with one.lock(ID, run=1):
            one.append(ID, entry("a"), place=0, after=ORIGIN)
        alone = one.is_here(ID, seal="a"), two.is_here(ID, seal="a")
        with two.lock(ID, run=1):
            two.append(ID, entry("b"), place=1, after="a")

        assert alone == (True, False)
        assert (one.is_here(ID, seal="b"), two.is_here(ID, seal="b")) == (False, True)

    def test_whoever_lost_it_discards_nothing(self, shelf: Shelf, docket: Docket) -> None:
        lost = shelf.store("a")
        with lost.lock(ID, run=1):
            lost.append(ID, entry("a"), place=0, after=ORIGIN)
        docket.take_over(ID)
        lost.discard(ID, run=1)

        assert shelf.store("b").read(ID) == (entry("a"),)

    def test_evidence_that_is_too_much_is_refused(self, shelf: Shelf) -> None:
        with pytest.raises(StateUnusable, match="64 MiB is more than can be kept"):
            shelf.store().put(bytes(LARGEST + 1))
