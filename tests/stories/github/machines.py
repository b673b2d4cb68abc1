"""
Several processes on one PostgreSQL, each with a state folder of its own, as on machines of their
own: a ``jam serve`` that leaves the work to others, and as many ``jam work`` as a test wants.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.ports.databases import another
from tests.stories.github.world import REPO, SERVE, TITLE, World, agent, world

LEASE_S = 5


@dataclass(slots=True)
class Machine:
    """One ``jam work``, which shares nothing with others but the database and GitHub."""

    one: World
    name: str
    script: str
    process: subprocess.Popen[bytes] = field(init=False)

    @property
    def home(self) -> Path:
        return self.one.home / self.name

    @property
    def log(self) -> str:
        return (self.home / "work.log").read_text()

    @property
    def worker(self) -> str:
        """What the database calls it."""
        return re.findall(r"^working +as (\S+)", self.log, re.MULTILINE)[-1]

    def start(self) -> None:
        self.home.mkdir(exist_ok=True)
        with (self.home / "work.log").open("ab") as log:
            began = len(self.log)
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE, "work", "--state", str(self.home / "state"),
                 *agent(self.one.home, self.script)],
                env=self.one.surroundings(), stdout=log, stderr=log,
            )  # fmt: skip
        self.one.until(lambda: "working" in self.log[began:])

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=30)

    def stop(self) -> int:
        self.send(signal.SIGTERM)
        return self.process.wait(timeout=30)


@contextmanager
def machine(one: World, name: str, script: str) -> Iterator[Machine]:
    made = Machine(one, name, script)
    made.start()
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.send(signal.SIGCONT)
            made.kill()


@contextmanager
def receiving(home: Path, cluster: str, *, lease_s: int = LEASE_S) -> Iterator[World]:
    environment = {"JAM_DATABASE_URL": another(cluster), "JAM_LEASE_S": str(lease_s)}
    with world(home, options=("--sessions", "0"), environment=environment) as one:
        yield one


def asked(one: World) -> int:
    number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
    one.ben.label(REPO, number, "jam")
    return number


def told(one: World, number: int) -> dict[str, object]:
    """What people find of one session, once it is over."""
    one.until(lambda: ("rocket", "jam[bot]") in one.thread(number).reactions)
    one.until(lambda: "**Verified.**" in one.said(number))
    pulls = [n for n in one.pulls() if f"#{number})" in one.pull(n).thread.title]
    pull = one.pull(pulls[-1])
    thread = one.thread(number)
    branches = [ref for ref in one.hub.refs(REPO, "refs/heads/") if f"/issue-{number}-" in ref]
    return {
        "pulls": len(pulls),
        "branches": [f"ada:{ref.removeprefix('refs/heads/')}" == pull.head for ref in branches],
        "draft": pull.draft,
        "product": one.hub.file(REPO, pull.head_sha, "ledgerlib.py"),
        "tests": one.hub.file(REPO, pull.head_sha, "tests/test_free.py"),
        "checks": [(check.name, check.conclusion) for check in one.checks(pull.head_sha)],
        "comments": [comment.by for comment in thread.comments],
        "reactions": thread.reactions,
        "ledger": _ledger(one, number),
    }


def _ledger(one: World, number: int) -> tuple[object, ...]:
    """How it ended, how often that was written, and how often it was begun."""
    written = (
        "(SELECT COUNT(*) FROM ledgers l WHERE l.session = s.session "
        'AND POSITION(\'"kind":"{}"\' IN l.line) > 0)'
    )
    counts = ", ".join(written.format(kind) for kind in ("ended", "opened"))
    with psycopg.connect(one.environment["JAM_DATABASE_URL"]) as connection:
        found = connection.execute(
            f"SELECT s.state, s.end_, {counts} FROM sessions s WHERE s.thread = %s".encode(),
            (number,),
        ).fetchall()
    return tuple(found)


def holder(one: World, number: int) -> str:
    """Which worker has the session just now."""
    with psycopg.connect(one.environment["JAM_DATABASE_URL"]) as connection:
        found = connection.execute(
            "SELECT worker FROM sessions WHERE thread = %s AND state = 'running'", (number,)
        ).fetchone()
    return str(found[0]) if found else ""
