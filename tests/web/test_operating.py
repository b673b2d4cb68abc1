"""What an operator is told: numbers, lines of a log, and what would fail before it does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters import schema, workers
from bot.adapters.database import Database, address, open_engine
from bot.adapters.docket import Docket
from bot.app.about import about
from bot.app.requests import LogKind
from bot.core.docket import Kind, Listed
from bot.core.thread import Repository
from bot.wiring import database_doctor, logs
from bot.wiring.finding import Finding
from tests.web.serving import Running, door

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Running]:
    with door(tmp_path) as running:
        yield running


def one_session(docket: Docket, name: str) -> None:
    docket.add(
        Listed(
            session=name,
            kind=Kind.FIX,
            where=Repository(id=1, name="ada/lib", default_branch="main"),
            thread=7,
            asked="{}",
            asked_by="ben",
            counts_as="1#7",
            title="One is left",
            opened_at=NOW,
        )
    )


def numbers(served: Running) -> dict[str, str]:
    text = served.get("/metrics").body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return dict(line.rsplit(" ", 1) for line in lines)


def test_every_number_is_what_was_counted(served: Running, tmp_path: Path) -> None:
    docket = served.docket
    worker = workers.join(docket.database, folder=tmp_path, role="work", version="1")
    worker.beat(calls=1_234_567, calls_left=4_999)
    for name in ("s1", "s2"):
        one_session(docket, name)
        docket.begin(name, run=1)
    docket.note("s1", run=1, cents=12.5, turns=3, tokens=2_000_001, judged_s=61.5)
    docket.note("s2", run=1, cents=0.0, turns=1, tokens=5, judged_s=2.0)
    docket.end("s1", end="verified", why="", now=NOW)
    found = numbers(served)
    silent = float(found.pop(f'jam_worker_silent_seconds{{worker="{worker.name}",role="work"}}'))
    name = worker.name
    worker.leave()

    assert 0 <= silent < 5
    assert {key: value for key, value in found.items() if not key.startswith("jam_info")} == {
        "jam_deliveries_waiting": "0",
        "jam_oldest_delivery_seconds": "0",
        'jam_sessions{state="ended"}': "1",
        'jam_sessions{state="running"}': "1",
        'jam_sessions_ended_total{end="verified"}': "1",
        "jam_oldest_queued_seconds": "0",
        "jam_spent_usd_total": "0.125",
        "jam_turns_total": "4",
        "jam_tokens_total": "2000006",
        "jam_oracle_seconds_total": "63.5",
        f'jam_github_calls_total{{worker="{name}",role="work"}}': "1234567",
        f'jam_github_calls_left{{worker="{name}",role="work"}}': "4999",
    }


def test_every_family_is_said_to_be_what_it_is(served: Running) -> None:
    text = served.get("/metrics").body.decode()
    typed = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE)
    helped = re.findall(r"^# HELP (\S+) \S", text, re.MULTILINE)

    assert [name for name, _ in typed] == helped
    assert {kind for name, kind in typed if name.endswith("_total")} == {"counter"}
    assert {kind for name, kind in typed if not name.endswith("_total")} == {"gauge"}


def test_a_line_for_machines_names_what_it_is_about() -> None:
    lines: list[str] = []
    say = logs.spoken(LogKind.JSON, lines.append)
    say("ready")
    with about(delivery="d-1"), about(session="s1", run="2"):
        say('turn 1: "quoted"\n')
    say("over")
    told = [json.loads(line) for line in lines]

    assert [{key: value for key, value in one.items() if key != "at"} for one in told] == [
        {"line": "ready"},
        {"line": 'turn 1: "quoted"', "delivery": "d-1", "session": "s1", "run": "2"},
        {"line": "over"},
    ]
    assert all(datetime.fromisoformat(one["at"]).tzinfo for one in told)
    assert all("\n" not in line for line in lines)


class TestTheDoctor:
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return address("", folder=tmp_path)

    def test_sees_that_nothing_is_there_yet_and_makes_nothing(self, url: str) -> None:
        found = list(database_doctor.look(url))
        again = list(database_doctor.look(url))

        assert found == again
        assert [(one.what, one.good) for one in found] == [("database", True), ("schema", True)]
        assert "nothing is there yet" in found[1].told

    @pytest.mark.parametrize(
        ("version", "good", "told"),
        [
            (schema.VERSION, True, f"version {schema.VERSION}"),
            (1, None, f"version 1; the next start brings it to {schema.VERSION}"),
            (99, False, f"version 99, made by a newer jam; this one knows {schema.VERSION}"),
        ],
        ids=["as it should be", "older", "newer"],
    )
    def test_tells_what_the_next_start_will_do(
        self, url: str, version: int, good: bool | None, told: str
    ) -> None:
        base = Database(open_engine(url))
        schema.bring(base)
        base.write("UPDATE schema_version SET version = :v", v=version)
        found = list(database_doctor.look(url))[1]

        assert (found.good, found.told) == (good, told)
        assert bool(found.remedy) == (good is not True)
        assert schema.look(base) == version

    def test_a_server_that_is_not_there_is_one_finding_without_its_password(self) -> None:
        url = address("postgresql://jam:hunter2@127.0.0.1:1/jam", folder=Path("unused"))
        found = list(database_doctor.look(url))

        assert found == [
            Finding(
                what="database",
                good=False,
                told="the database cannot be opened (OperationalError)",
                remedy="is the server running, and is the address in JAM_DATABASE_URL right?",
            )
        ]
