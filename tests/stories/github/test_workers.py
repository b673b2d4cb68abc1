"""Several processes on one PostgreSQL, each with a state folder of its own, as on machines of their
own: one is lost, and people find what they would have found."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ports.databases import another, postgres
from tests.stories.github.world import REPO, SERVE, TITLE, World, agent, world
from tests.stories.project import FIXED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
SLOW = """\
- shell: echo '# looked at' >> ledgerlib.py
- wait: 2
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- wait: 3
- finish: true
"""
LEASE_S = "3"


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with postgres() as url:
        yield url


@dataclass(slots=True)
class Machine:
    """One ``jam work``, which shares nothing with others but the database and GitHub."""

    home: Path
    process: subprocess.Popen[bytes]

    @property
    def log(self) -> str:
        return (self.home / "work.log").read_text()

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=30)


@contextmanager
def machine(one: World, name: str, script: str = SLOW) -> Iterator[Machine]:
    home = one.home / name
    home.mkdir(exist_ok=True)
    with (home / "work.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, "work", "--state", str(home / "state"),
             *agent(one.home, script)],
            env=one.surroundings(), stdout=log, stderr=log,
        )  # fmt: skip
    made = Machine(home, process)
    one.until(lambda: "working" in made.log)
    try:
        yield made
    finally:
        if process.poll() is None:
            made.send(signal.SIGCONT)
            made.kill()


@contextmanager
def receiving(home: Path, cluster: str) -> Iterator[World]:
    """A ``jam serve`` that leaves the work to others."""
    environment = {"JAM_DATABASE_URL": another(cluster), "JAM_LEASE_S": LEASE_S}
    with world(home, options=("--sessions", "0"), environment=environment) as one:
        yield one


def asked(one: World) -> int:
    number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
    one.ben.label(REPO, number, "jam")
    return number


def told(one: World, number: int) -> tuple[object, ...]:
    """What there is of one session, once it is over."""
    one.said_in(number, "**Verified.**")
    one.until(lambda: ("rocket", "jam[bot]") in one.thread(number).reactions)
    pull = one.pull(one.pulls()[-1])
    return (
        one.pulls(),
        len(one.hub.refs(REPO, "refs/heads/")),
        [(check.name, check.conclusion) for check in one.checks(pull.head_sha)],
        [comment.by for comment in one.thread(number).comments],
        one.thread(number).reactions,
        one.hub.file(REPO, pull.head_sha, "ledgerlib.py"),
    )


DONE = (
    (2,),
    2,
    [("jam", "success")],
    ["jam[bot]"],
    (("rocket", "jam[bot]"),),
    (FIXED + "# looked at\n").encode(),
)


def test_what_a_killed_worker_began_another_ends_from_the_last_checkpoint(
    tmp_path: Path, cluster: str
) -> None:
    with receiving(tmp_path, cluster) as one, machine(one, "a") as lost:
        number = asked(one)
        one.until(lambda: one.hub.refs(REPO, "refs/jam/checkpoints/"))
        lost.kill()
        with machine(one, "b") as other:
            found = told(one, number)
            log = other.log

    assert found == DONE
    assert "goes on here, from checkpoint 1" in log
