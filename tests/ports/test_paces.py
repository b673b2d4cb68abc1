"""Writes to GitHub by several workers of one installation: one pace for all of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from bot.adapters.database import Database, address, open_engine
from bot.adapters.github.means import Means, Unpaced
from bot.adapters.github.paces import Fenced, SharedPace
from bot.core.write_pace import APART_S, PER_MINUTE
from bot.errors import ForgeUnavailable, Superseded
from tests.ports.databases import another, postgres

POSTGRES = pytest.param("postgres", marks=pytest.mark.slow)
WRITER = """
import json, sys, time
from bot.adapters.database import Database, open_engine
from bot.adapters.github.means import Means
from bot.adapters.github.paces import SharedPace
base = Database(open_engine(sys.argv[1]))
pace, went = SharedPace(base, 7, Means()), []
for _ in range(4):
    with pace.turn(creates=True):
        went.append(base.now().timestamp())
print(json.dumps(went))
"""


@pytest.fixture(scope="module", params=["sqlite", POSTGRES])
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    with postgres() as url:
        yield url


@pytest.fixture
def url(kind: str, tmp_path: Path) -> str:
    return address(another(kind) if kind else "", folder=tmp_path)


@pytest.fixture
def base(url: str) -> Iterator[Database]:
    one = Database(open_engine(url))
    yield one
    one.close()


class Waits:
    """Sleeps of which only the length is of interest."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    @property
    def means(self) -> Means:
        return Means(sleep=self.seconds.append)


def test_each_waits_for_the_moment_that_is_its_own(base: Database) -> None:
    waits = Waits()
    paces = [SharedPace(base, 7, waits.means) for _ in range(2)]
    for number in range(6):
        with paces[number % 2].turn(creates=number % 3 == 0):
            pass

    assert [round(wait) for wait in waits.seconds] == [1, 2, 3, 4, 5]


def test_installations_do_not_wait_for_each_other(base: Database) -> None:
    waits = Waits()
    for installation in (7, 8, 2**40):
        with SharedPace(base, installation, waits.means).turn(creates=True):
            pass

    assert waits.seconds == []


def test_what_would_wait_for_long_is_put_off_and_books_nothing(base: Database) -> None:
    now = datetime.now(UTC).timestamp()
    past = [now - 20.0 + 0.2 * number for number in range(PER_MINUTE)]
    pace = SharedPace(base, 7, Waits().means)
    base.write("UPDATE paces SET past = :past", past=json.dumps([past[-1], *past]))
    kept = base.read("SELECT past FROM paces")
    with pytest.raises(ForgeUnavailable) as put_off, pace.turn(creates=True):
        pass

    assert 0 < put_off.value.retry_after <= 60
    assert base.read("SELECT past FROM paces") == kept


def test_whoever_lost_the_session_writes_nothing() -> None:
    def holds() -> None:
        raise Superseded

    wrote = []
    with pytest.raises(Superseded), Fenced(Unpaced(), holds).turn(creates=True):
        wrote.append("late")

    assert wrote == []


@pytest.mark.slow  # 8 s: it really waits
def test_two_processes_keep_one_pace(url: str, base: Database) -> None:
    SharedPace(base, 7, Means())

    def write(_: int) -> list[float]:
        said = subprocess.run(
            [sys.executable, "-c", WRITER, url], capture_output=True, check=True, timeout=60
        )
        return list(json.loads(said.stdout))

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(write, range(2))
    went = sorted([*one, *two])

    assert len(went) == 8
    assert all(later - earlier > APART_S - 0.1 for earlier, later in pairwise(went))
    assert went[-1] - went[0] < 8 * APART_S + 1
