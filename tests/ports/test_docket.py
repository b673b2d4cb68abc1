"""Inbox, docket and queue, on both databases: what was kept, what is told, who may go on."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters import schema, workers
from bot.adapters.database import Database, address, open_engine, queue_address
from bot.adapters.docket import LEASE, Docket
from bot.adapters.inbox import Inbox, InboxClosed
from bot.adapters.queue import Limits, SessionQueue
from bot.adapters.workers import Worker
from bot.core.delivery import Delivery
from bot.core.docket import Kind, Listed
from bot.core.facts import Standing, State
from bot.core.mail import Kept, Mail, MailCounts, Waiting
from bot.core.thread import Repository
from bot.errors import StateUnusable, Superseded
from tests.ports.databases import another, postgres

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WHERE = Repository(id=2**40, name="ada/lib", default_branch="main", installation=2**41)


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)],
)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield address("", folder=tmp_path_factory.mktemp("database"))
        return
    with postgres() as given:
        yield address(given, folder=tmp_path_factory.mktemp("unused"))


@pytest.fixture
def base(url: str) -> Iterator[Database]:
    one = Database(open_engine(url))
    Docket(one)
    Inbox(one).close()
    one.write("DELETE FROM sessions")
    one.write("DELETE FROM answers")
    one.write("DELETE FROM spendings")
    one.write("DELETE FROM reservations")
    one.write("DELETE FROM deliveries")
    yield one
    one.close()


@pytest.fixture
def inbox(base: Database) -> Iterator[Inbox]:
    one = Inbox(base)
    yield one
    one.close()


class Clock:
    """The database's, which a test sets."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def docket(base: Database, clock: Clock) -> Docket:
    return Docket(base, worker="w", clock=clock)


def mail(name: str, body: bytes = b"{}", *, unwanted: str = "") -> Mail:
    delivery = Delivery(id=name, event="issues", body=body)
    return Mail(delivery=delivery, at=NOW, unwanted=unwanted)


def listed(session: str, **over: object) -> Listed:
    told: dict[str, object] = {
        "session": session,
        "kind": Kind.FIX,
        "where": WHERE,
        "thread": 7,
        "asked": "{}",
        "asked_by": "ben",
        "counts_as": "1#7",
        "title": "One is left",
        "opened_at": NOW,
    }
    return Listed(**{**told, **over})  # type: ignore[arg-type]


class TestTheInbox:
    def test_keeps_what_is_new_and_knows_it_again_by_either_key(self, inbox: Inbox) -> None:
        puts = [
            mail("a", b"1"),
            mail("a", b"1"),
            mail("b", b"1"),
            mail("a", b"2"),
            mail("c", b"2"),
        ]
        kept = [*inbox.keep(puts[:1]), *inbox.keep(puts[1:])]

        assert kept == [Kept.NEW, Kept.KNOWN, Kept.KNOWN, Kept.KNOWN, Kept.NEW]
        assert inbox.waiting(now=NOW) == (
            Waiting(id="a", event="issues", body=b"1", tries=0, at=NOW),
            Waiting(id="c", event="issues", body=b"2", tries=0, at=NOW),
        )

    def test_many_at_once_are_kept_once(self, inbox: Inbox) -> None:
        puts = [mail(f"d{n % 20}", b"%d" % (n % 20)) for n in range(200)]
        with ThreadPoolExecutor(8) as pool:
            told = pool.map(lambda n: inbox.keep(puts[n : n + 7]), range(0, 200, 7))
            kept = [one for some in told for one in some]

        assert kept.count(Kept.NEW) == 20
        assert inbox.counts().waiting == 20

    def test_what_is_unwanted_is_settled_at_once_and_its_body_is_not_kept(
        self, inbox: Inbox
    ) -> None:
        inbox.keep([mail("a", unwanted="it means nothing")])
        seen = inbox.latest(limit=5)[0]

        assert inbox.waiting(now=NOW) == ()
        assert (seen.outcome, seen.why, seen.is_waiting) == ("ignored", "it means nothing", False)

    def test_what_has_to_wait_lets_others_pass(self, inbox: Inbox) -> None:
        for name in ("a", "b"):
            inbox.keep([mail(name, name.encode())])
        inbox.later("a", at=NOW + timedelta(minutes=1), why="busy")
        now = [one.id for one in inbox.waiting(now=NOW)]
        then = [(one.id, one.tries) for one in inbox.waiting(now=NOW + timedelta(minutes=2))]
        inbox.settle("b", outcome="start", why="", session="s1")

        assert (now, then) == (["b"], [("a", 1), ("b", 0)])
        assert inbox.counts() == MailCounts(waiting=1, settled={"start": 1}, oldest=NOW)

    def test_what_one_process_deals_with_is_told_no_other(
        self, inbox: Inbox, base: Database
    ) -> None:
        for number in range(12):
            inbox.keep([mail(f"d{number}", b"%d" % number)])
        with ThreadPoolExecutor(4) as pool:
            told = [
                one.id
                for some in pool.map(lambda _: inbox.waiting(now=NOW), range(4))
                for one in some
            ]
        much_later = [one.id for one in inbox.waiting(now=NOW + timedelta(minutes=5))]

        assert len(set(told)) == 12
        assert (len(told) == 12) == base.is_shared  # a file has one process
        assert much_later[0] == "d0"  # whoever had it is gone

    def test_bodies_go_and_keys_stay(self, inbox: Inbox) -> None:
        inbox.keep([mail("a", b"1")])
        inbox.settle("a", outcome="ignored", why="")

        assert inbox.forget_bodies(before=NOW + timedelta(days=1)) == 1
        assert inbox.keep([mail("z", b"1")]) == (Kept.KNOWN,)
        assert inbox.knows("a")

    def test_a_closed_one_takes_nothing(self, base: Database) -> None:
        one = Inbox(base)
        one.close()

        with pytest.raises(InboxClosed):
            one.keep([mail("a")])


class TestTheDocket:
    def test_a_session_is_there_once_and_read_back_whole(self, docket: Docket) -> None:
        one = listed("s1", head_sha="ab", approved_by="ada")

        assert (docket.add(one), docket.add(one)) == (True, False)
        assert docket.get("s1") == one
        assert docket.get("s2") is None

    def test_a_thread_stands_as_its_last_session_that_works_stands(self, docket: Docket) -> None:
        docket.add(listed("s1"))
        docket.note("s1", run=1, pull=9, judged_sha="aa")
        docket.add(listed("v1", kind=Kind.VERIFY, thread=9, is_pull=True, counts_as=""))
        docket.note("v1", run=1, judged_sha="bb")

        assert docket.standing(WHERE.id, 7) == Standing(
            state=State.QUEUED, session="s1", judged_sha="aa"
        )
        assert docket.standing(WHERE.id, 9) == Standing(
            state=State.QUEUED, session="s1", judged_sha="bb"
        )
        assert docket.standing(WHERE.id, 8) == Standing()
        assert docket.sessions_of(WHERE.id, 9) == ("s1", "v1")

    def test_what_was_refused_counts_as_nothing(self, docket: Docket) -> None:
        docket.add(listed("s1"))
        docket.end("s1", end="refused", why="no", now=NOW)

        assert docket.attempts("1#7") == 0
        assert docket.last(WHERE.id, 7) is None

    def test_of_two_workers_one_begins(self, docket: Docket, clock: Clock) -> None:
        docket.add(listed("s1"))
        with ThreadPoolExecutor(8) as pool:
            began = list(pool.map(lambda _: docket.begin("s1", run=1), range(8)))
        clock.at += LEASE * 3

        assert began.count(True) == 1
        assert not docket.begin("s1", run=2)

    def test_a_worker_that_is_gone_is_followed_and_cannot_go_on(
        self, docket: Docket, clock: Clock
    ) -> None:
        docket.add(listed("s1"))
        docket.begin("s1", run=1)
        clock.at = NOW + LEASE / 2
        early = docket.lapsed()
        clock.at = NOW + LEASE * 2
        late, run = docket.lapsed(), docket.take_over("s1")

        assert (early, late, run) == ((), ("s1",), 2)
        assert docket.beat("s1", run=1) is None
        assert docket.begin("s1", run=2)

    def test_whoever_lost_a_session_changes_nothing_of_it(
        self, docket: Docket, clock: Clock
    ) -> None:
        docket.add(listed("s1"))
        docket.begin("s1", run=1)
        clock.at += LEASE * 2
        docket.take_over("s1")
        docket.begin("s1", run=2)
        docket.rest("s1", run=1, state=State.RESTING, why="busy")
        docket.end("s1", run=1, end="failed", why="red", now=NOW)
        for late in (
            lambda: docket.demand("s1", run=1),
            lambda: docket.note("s1", run=1, cents=9.0),
        ):
            with pytest.raises(Superseded, match="another worker's"):
                late()

        docket.demand("s1", run=2)
        assert docket.get("s1") == listed("s1", state=State.RUNNING, run=2)

    def test_to_ask_whether_it_is_mine_keeps_it_mine(self, docket: Docket, clock: Clock) -> None:
        docket.add(listed("s1"))
        docket.begin("s1", run=1)
        clock.at += LEASE * 0.9
        docket.demand("s1", run=1)
        clock.at += LEASE * 0.9

        assert docket.lapsed() == ()

    def test_what_a_worker_lets_go_is_anybodys_at_once(
        self, docket: Docket, base: Database
    ) -> None:
        other = Docket(base, worker="x", clock=docket.clock)
        for name, who in (("s1", docket), ("s2", other)):
            docket.add(listed(name))
            who.begin(name, run=1)

        assert docket.let_go("w") == 1
        assert docket.lapsed() == ("s1",)
        assert docket.let_go() == 2

    def test_a_wish_to_stop_is_heard_at_the_next_beat(self, docket: Docket) -> None:
        docket.add(listed("s1"))
        docket.begin("s1", run=1)
        before = docket.beat("s1", run=1)

        assert (before, docket.ask_stop("s1", by="ada")) == ("", State.RUNNING)
        assert docket.beat("s1", run=1) == "ada"

    def test_a_rest_ends_by_itself_or_when_somebody_says_so(self, docket: Docket) -> None:
        docket.add(listed("s1"))
        docket.begin("s1", run=1)
        docket.rest("s1", run=1, state=State.RESTING, why="busy", due=NOW + timedelta(minutes=1))
        early, late = docket.due(now=NOW), docket.due(now=NOW + timedelta(minutes=2))
        run, again = docket.queue_again("s1", approved_by="ada"), docket.queue_again("s1")
        one = docket.get("s1")

        assert (early, late, run, again) == ((), ("s1",), 2, None)
        assert one is not None
        assert (one.state, one.approved_by, one.run) == (State.QUEUED, "ada", 2)

    def test_an_end_is_an_end(self, docket: Docket) -> None:
        docket.add(listed("s1"))
        docket.end("s1", end="verified", why="green", now=NOW)
        docket.end("s1", end="failed", why="red", now=NOW)
        one = docket.get("s1")

        assert one is not None
        assert (one.end, one.why, one.ended_at) == ("verified", "green", NOW)
        assert docket.ask_stop("s1", by="ada") is State.ENDED
        assert docket.queue_again("s1") is None

    def test_money_is_counted_by_repository_and_the_day_it_was_spent(
        self, docket: Docket, clock: Clock
    ) -> None:
        yesterday = NOW - timedelta(days=1)
        docket.add(listed("s1", opened_at=yesterday))
        docket.add(listed("s2"))
        docket.add(listed("s3", where=replace(WHERE, id=5, name="ada/more")))
        clock.at = yesterday
        for cents in (40.0, 100.0, 100.0):  # in all, again and again
            docket.note("s1", run=1, cents=cents)
        clock.at = NOW
        docket.note("s1", run=1, cents=112.25)
        docket.note("s2", run=1, cents=7.5)
        docket.note("s3", run=1, cents=1_000.0)
        today, both = NOW.replace(hour=0), yesterday.replace(hour=0)

        assert docket.spent_cents(WHERE.id, since=today) == 20
        assert docket.spent_cents(WHERE.id, since=both) == 120
        assert [(one["day"], float(one["cents"])) for one in docket.spending(since=both)] == [
            ("2026-11-30", 7.5),
            ("2026-11-30", 1_000.0),
            ("2026-11-29", 112.25),
        ]

    def test_concurrent_sessions_share_the_days_budget(self, docket: Docket) -> None:
        """Whatever they reserve and spend, it is never more than the repository may."""
        names = [f"s{number}" for number in range(6)]
        for name in names:
            docket.add(listed(name))
            docket.begin(name, run=1)

        def call(name: str) -> float:
            total = 0.0
            for _ in range(4):
                given = docket.reserve(name, run=1, wanted=300.0, limit=1_000.0)
                total += (given or 0.0) * 0.9
                docket.note(name, run=1, cents=total)
            return total

        with ThreadPoolExecutor(6) as pool:
            spent = sum(pool.map(call, names))

        assert 900 <= spent <= 1_000 + 1e-6
        assert docket.spent_cents(WHERE.id, since=NOW.replace(hour=0)) == math.ceil(spent - 1e-6)

    def test_what_a_lost_worker_reserved_is_its_sessions_until_that_goes_on(
        self, docket: Docket, clock: Clock
    ) -> None:
        def reserve(name: str, run: int) -> float | None:
            return docket.reserve(name, run=run, wanted=500.0, limit=500.0)

        for name in ("s1", "s2"):
            docket.add(listed(name))
            docket.begin(name, run=1)
        held = reserve("s1", 1), reserve("s2", 1)
        clock.at += LEASE * 2
        docket.take_over("s1")
        docket.begin("s1", run=2)
        late = reserve("s1", 1)
        again = reserve("s1", 2), reserve("s2", 1)
        docket.note("s1", run=2, cents=100.0)
        settled = reserve("s2", 1)
        docket.end("s2", end="failed", why="", now=NOW)

        assert (held, late) == ((500.0, None), None)
        assert (again, settled) == ((500.0, None), 400.0)
        assert reserve("s1", 2) == 400.0

    def test_what_is_open_is_found_by_repository_and_installation(self, docket: Docket) -> None:
        docket.add(listed("s1"))
        docket.add(listed("s2"))
        docket.end("s2", end="failed", why="", now=NOW)

        by_number = docket.open_in(repositories=(WHERE.id,))
        by_installation = docket.open_in(installation=2**41)
        assert [one.session for one in (*by_number, *by_installation)] == ["s1", "s1"]
        assert docket.open_in(repositories=(1,)) == ()

    def test_places_in_the_queue_are_told(self, docket: Docket) -> None:
        for name in ("s1", "s2", "s3"):
            docket.add(listed(name))
        docket.begin("s1", run=1)

        assert [docket.place(name) for name in ("s2", "s3")] == [1, 2]

    def test_an_answer_is_kept_for_its_thread(self, docket: Docket) -> None:
        docket.answer(WHERE.id, 7, "no")
        docket.answer(WHERE.id, 7, "yes")

        assert (docket.answered(WHERE.id, 7), docket.answered(WHERE.id, 8)) == ("yes", "")


def test_a_database_that_cannot_be_opened_is_told_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(StateUnusable) as told:
        open_engine(address("postgresql://jam:hunter2@127.0.0.1:1/jam", folder=tmp_path))

    assert "hunter2" not in str(told.value)


class TestTheQueue:
    @pytest.fixture
    def runs(self) -> list[tuple[str, int]]:
        return []

    def queue(
        self, url: str, folder: Path, runs: list[tuple[str, int]], *, name: str = "w"
    ) -> SessionQueue:
        def run(session: str, number: int) -> None:
            runs.append((session, number))
            time.sleep(0.3)
            runs.append((session, -number))

        where = queue_address(url, folder=folder)
        return SessionQueue(where, executor=name, run=run, limits=Limits())

    def until(self, runs: list[tuple[str, int]], count: int) -> None:
        end = time.monotonic() + 20
        while len(runs) < count and time.monotonic() < end:
            time.sleep(0.02)

    def test_runs_each_once_and_one_of_a_repository_at_a_time(
        self, url: str, tmp_path: Path, runs: list[tuple[str, int]]
    ) -> None:
        one = self.queue(url, tmp_path, runs)
        one.start()
        for session in ("a", "b", "c"):
            one.put(session, run=1, repository=1)
            one.put(session, run=1, repository=1)
        self.until(runs, 6)
        one.stop()

        assert runs == [("a", 1), ("a", -1), ("b", 1), ("b", -1), ("c", 1), ("c", -1)]

    def test_what_a_lost_process_had_does_not_hold_up_its_repository(
        self, url: str, tmp_path: Path, runs: list[tuple[str, int]]
    ) -> None:
        """It never ends, and the queue would count it for ever."""
        lost = subprocess.run(
            [sys.executable, "-c", LOST, queue_address(url, folder=tmp_path)], timeout=30
        )
        one = self.queue(url, tmp_path, runs)
        one.start()
        one.put("lost", run=2, repository=7)
        self.until(runs, 2)
        one.stop()

        assert lost.returncode == -signal.SIGKILL
        assert runs == [("lost", 2), ("lost", -2)]


LOST = """
import os, signal, sys, time
from bot.adapters.queue import Limits, SessionQueue
one = SessionQueue(
    sys.argv[1], executor="lost", limits=Limits(),
    run=lambda session, number: os.kill(os.getpid(), signal.SIGKILL),
)
one.start()
one.put("lost", run=1, repository=7)
time.sleep(25)
"""


class TestWorkers:
    def join(self, base: Database, folder: Path) -> Worker:
        return workers.join(base, folder=folder, role="work", version="1")

    def test_no_two_have_the_same_name_and_one_keeps_its_own(
        self, base: Database, tmp_path: Path
    ) -> None:
        one, two = (self.join(base, tmp_path) for _ in range(2))
        names = (one.name, two.name)
        one.leave()
        again = self.join(base, tmp_path)
        for each in (again, two):
            each.leave()

        assert names[0] != names[1]
        assert again.name == names[0]

    def test_a_copied_state_folder_gets_another_name(self, base: Database, tmp_path: Path) -> None:
        one = self.join(base, tmp_path / "a")
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "name").write_text((tmp_path / "a" / "name").read_text())
        two = self.join(base, tmp_path / "b")
        names = (one.name, two.name)
        for each in (one, two):
            each.leave()

        assert (names[0] != names[1]) == base.is_shared  # a file's users are on one machine

    def test_who_was_heard_of_is_told(self, base: Database, tmp_path: Path) -> None:
        one = self.join(base, tmp_path)
        one.beat(calls=7, calls_left=4_993)
        seen = [w for w in workers.heard(base) if w.start == one.start]
        one.leave()
        after = [w for w in workers.heard(base) if w.start == one.start]

        assert [(w.name, w.role, w.calls, w.calls_left) for w in seen] == [
            (one.name, "work", 7, 4_993)
        ]
        assert 0 <= seen[0].silent_s < 5
        assert after == []


class TestTheSchema:
    @pytest.fixture
    def empty(self, url: str, tmp_path: Path) -> Iterator[Database]:
        where = another(url) if url.startswith("postgresql") else address("", folder=tmp_path)
        one = Database(open_engine(where))
        yield one
        one.close()

    def test_is_made_once_and_known_again(self, empty: Database) -> None:
        with ThreadPoolExecutor(4) as pool:
            found = sorted(pool.map(lambda _: schema.bring(empty), range(4)))

        assert found == [0, schema.VERSION, schema.VERSION, schema.VERSION]
        assert schema.look(empty) == schema.VERSION

    def test_an_older_one_is_brought_up_to_date_and_keeps_what_it_holds(
        self, empty: Database
    ) -> None:
        Docket(empty).add(listed("s1"))
        for column in ("worker", "turns", "tokens", "judged_s"):
            empty.write(f"ALTER TABLE sessions DROP COLUMN {column}")
        found = schema.look(empty), schema.bring(empty)
        docket = Docket(empty, worker="w")
        began = docket.begin("s1", run=1)

        assert (found, schema.look(empty), began) == ((1, 1), schema.VERSION, True)
        assert docket.get("s1") == listed("s1", state=State.RUNNING)

    def test_a_newer_one_is_refused_and_left_alone(self, empty: Database) -> None:
        schema.bring(empty)
        empty.write("UPDATE schema_version SET version = :v", v=schema.VERSION + 1)

        with pytest.raises(schema.SchemaNewer, match=r"made by a newer jam .* upgrade this jam"):
            schema.bring(empty)
        assert schema.look(empty) == schema.VERSION + 1
