"""Several processes on one PostgreSQL, each with a state folder of its own, as on machines of their
own: one is lost, stopped or replaced, and people find what they would have found."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ports.databases import postgres
from tests.stories.github.machines import LEASE_S, asked, holder, machine, receiving, told
from tests.stories.github.perils import SCRIPT, lose_one
from tests.stories.github.world import REPO, ROOT, SERVE
from tests.stories.project import FIXED, TESTS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
SLOW = """\
- shell: echo '# looked at' >> ledgerlib.py
- wait: 1
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 12
- finish: true
"""
DONE = {
    "pulls": 1,
    "branches": [True],
    "draft": False,
    "product": (FIXED + "# looked at\n").encode(),
    "tests": TESTS.encode(),
    "checks": [("jam", "success")],
    "comments": ["jam[bot]"],
    "reactions": (("rocket", "jam[bot]"),),
    "ledger": (("ended", "verified", 1, 1),),
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with postgres() as url:
        yield url


def test_what_a_killed_worker_began_another_ends_from_the_last_checkpoint(
    tmp_path: Path, cluster: str
) -> None:
    with receiving(tmp_path, cluster) as one, machine(one, "a", SLOW) as lost:
        number = asked(one)
        one.until(lambda: one.hub.refs(REPO, "refs/jam/checkpoints/"))
        lost.kill()
        with machine(one, "b", SLOW) as other:
            found = told(one, number)
            log = other.log

    assert found == DONE
    assert re.search(r"goes on here, from checkpoint [13]", log)


def test_one_that_stood_still_finds_its_session_gone_and_touches_nothing(
    tmp_path: Path, cluster: str
) -> None:
    """As after a pause of the machine: it goes on in the middle of what it was doing."""
    with receiving(tmp_path, cluster) as one, machine(one, "a", SLOW) as still:
        number = asked(one)
        one.until(lambda: "turn 4" in still.log)
        still.send(signal.SIGSTOP)
        with machine(one, "b", SLOW):
            found = told(one, number)
            before = one.hub.refs(REPO), one.thread(number), one.checks("main")
            still.send(signal.SIGCONT)
            one.until(lambda: "left to others" in still.log)
            time.sleep(LEASE_S)
            after = one.hub.refs(REPO), one.thread(number), one.checks("main")
            again = told(one, number)
            alive = still.process.poll()

    assert (found, again) == (DONE, DONE)
    assert before == after
    assert alive is None  # and takes what comes next


def test_one_that_is_replaced_hands_over_at_once_with_all_that_was_done(
    tmp_path: Path, cluster: str
) -> None:
    """No lease has to run out: it is far longer than the test."""
    with receiving(tmp_path, cluster, lease_s=600) as one, machine(one, "a", SLOW) as old:
        number = asked(one)
        one.until(lambda: "turn 4" in old.log)
        with machine(one, "b", SLOW) as new:
            began = time.monotonic()
            code = old.stop()
            seconds = time.monotonic() - began
            found = told(one, number)
            log = new.log

    assert (code, found) == (0, DONE)
    assert seconds < 25
    assert "goes on here, from checkpoint 3" in log


def test_started_again_it_goes_on_with_its_own_where_it_was(tmp_path: Path, cluster: str) -> None:
    with receiving(tmp_path, cluster, lease_s=600) as one, machine(one, "a", SLOW) as only:
        number = asked(one)
        one.until(lambda: "turn 4" in only.log)
        only.kill()
        only.start()
        found = told(one, number)
        log = only.log

    assert found == DONE
    assert "goes on here" not in log  # all of it was there


def test_two_sessions_of_one_repository_wait_for_each_other_on_any_machine(
    tmp_path: Path, cluster: str
) -> None:
    with (
        receiving(tmp_path, cluster) as one,
        machine(one, "a", SCRIPT),
        machine(one, "b", SCRIPT),
    ):
        numbers = [asked(one), asked(one)]
        both = []

        def over() -> bool:
            both.append(all(holder(one, number) for number in numbers))
            return all("**Verified.**" in one.said(number) for number in numbers)

        one.until(over)

    assert not any(both)
    assert len(both) > 10


@pytest.mark.timeout(300)
def test_a_few_are_lost_at_any_moment_and_every_session_ends_once_as_if_none_had_been(
    tmp_path: Path, cluster: str
) -> None:
    """``tests/stories/github/test_fifty_lost.py`` does it fifty times."""
    with (
        receiving(tmp_path, cluster) as one,
        machine(one, "a", SCRIPT) as a,
        machine(one, "b", SCRIPT) as b,
    ):
        chance = random.Random(20261130)
        undisturbed = lose_one(one, (a, b), chance, how=None)
        found = [lose_one(one, (a, b), chance, how=how) for how in (signal.SIGKILL, signal.SIGSTOP)]

    assert undisturbed["ledger"] == (("ended", "verified", 1, 1),)
    assert found == [undisturbed, undisturbed]


@pytest.mark.timeout(60)
def test_without_a_database_that_is_shared_there_is_nothing_to_work_on(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin", "JAM_APP_ID": "1", "JAM_PRIVATE_KEY": "k"}
    said = [
        subprocess.run(
            [sys.executable, "-c", SERVE, "work", "--state", str(tmp_path)],
            env={**environment, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), **given},
            capture_output=True, text=True, timeout=60,
        )
        for given in ({}, {"JAM_DATABASE_URL": f"sqlite:///{tmp_path}/x"})
    ]  # fmt: skip

    assert [one.returncode for one in said] == [2, 2]
    for one in said:
        assert one.stderr.startswith("jam: jam work needs PostgreSQL: set JAM_DATABASE_URL")
        assert len(one.stderr.splitlines()) == 1
