"""
A world to converse with: a small GitHub with people in it, and ``jam serve`` as an operator starts
it, in a process of its own. Nothing of jam is replaced; what is asserted is what people read.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from bot.minihub.minihub import AppKey, Minihub
from bot.minihub.people import File, Person
from bot.minihub.records import Installation
from bot.minihub.seen import CheckSeen, PullSeen, ThreadSeen
from tests.minihub import hubs
from tests.stories.project import CONTRACT, PRODUCT, ROOT, TESTS

REPO = "ada/lib"
SECRET = "a secret to nobody"
PATIENCE_S = 120.0
FILES: dict[str, File] = {
    "ledgerlib.py": PRODUCT,
    "tests/test_free.py": TESTS,
    ".github/jam.yml": CONTRACT.format(python=sys.executable),
}
TITLE = "One is left and I am told nothing is"
SERVE = "import sys; from bot.cli import main; sys.exit(main())"
Found = TypeVar("Found")


class NeverCame(AssertionError):
    """What was waited for."""


@dataclass(slots=True)
class World:
    home: Path
    hub: Minihub
    app: AppKey
    installation: Installation
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    within: tuple[str, ...] = ()  # what runs jam, where it is not run as it is
    port: int = 0
    server: subprocess.Popen[bytes] | None = None

    @property
    def ada(self) -> Person:
        """She owns the repository."""
        return self.hub.person("ada")

    @property
    def ben(self) -> Person:
        """He may write."""
        return self.hub.person("ben")

    @property
    def eve(self) -> Person:
        """A stranger."""
        return self.hub.person("eve")

    # jam

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return (self.home / "serve.log").read_text()

    def start(self) -> None:
        began = len(self.log) if (self.home / "serve.log").exists() else 0
        with (self.home / "serve.log").open("ab") as log:
            self.server = subprocess.Popen(
                [*self.within, sys.executable, "-c", SERVE, "serve", "--port", str(self.port),
                 "--state", str(self.home / "state"), *self.options],
                env=self.surroundings(),
                stdout=log, stderr=log,
            )  # fmt: skip
        if not self.port:
            found = self.until(lambda: re.search(r"http://127.0.0.1:(\d+)/webhook", self.log))
            self.port = int(found[1])
            self.app.app.hook_url = f"{self.url}/webhook"
        self.until(lambda: "webhooks" in self.log[began:])

    def surroundings(self) -> dict[str, str]:
        """What a process of jam finds in its environment."""
        key = self.home / "app.pem"
        key.write_text(self.app.private_key)
        return {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "JAM_WEBHOOK_SECRET": SECRET,
            "JAM_APP_ID": str(self.app.id),
            "JAM_PRIVATE_KEY_FILE": str(key),
            "JAM_GITHUB_URL": self.hub.api_url,
            "JAM_PAGES": "open",
            **self.environment,
        }

    def stop(self) -> int:
        """As an operator does it; the exit code."""
        assert self.server is not None
        self.server.send_signal(signal.SIGTERM)
        return self.server.wait(timeout=30)

    def kill(self) -> None:
        assert self.server is not None
        self.server.kill()
        self.server.wait(timeout=30)

    # what people see

    def thread(self, number: int) -> ThreadSeen:
        return self.hub.thread(REPO, number)

    def pull(self, number: int) -> PullSeen:
        return self.hub.pull(REPO, number)

    def pulls(self) -> tuple[int, ...]:
        return self.hub.pulls(REPO)

    def checks(self, ref: str) -> tuple[CheckSeen, ...]:
        return self.hub.checks(REPO, ref)

    def said(self, number: int) -> str:
        """What jam says in a thread, comment by comment."""
        comments = self.thread(number).comments
        return "\n\n".join(one.body for one in comments if one.by == "jam[bot]")

    def page(self, path: str) -> str:
        """As anybody's browser gets it."""
        with urllib.request.urlopen(f"{self.url}{path}", timeout=10) as answer:
            return str(answer.read().decode())

    def until(self, look: Callable[[], Found], *, timeout_s: float = PATIENCE_S) -> Found:
        """What ``look`` sees, once it sees something."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if found := look():
                return found
            if self.server is not None and self.server.poll() not in (None, -signal.SIGKILL):
                break
            time.sleep(0.1)
        raise NeverCame(self.log[-6_000:])

    def said_in(self, number: int, words: str) -> str:
        return self.until(lambda: self.said(number) if words in self.said(number) else "")


@contextmanager
def world(
    home: Path,
    *,
    files: Mapping[str, File] = FILES,
    options: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    within: tuple[str, ...] = (),
) -> Iterator[World]:
    with hubs.minihub(home / "hub") as hub:
        hub.person("ada"), hub.person("eve")
        hub.repository(REPO, files, roles={"ben": "write", "cleo": "triage"})
        app = hub.app(hook_secret=SECRET)
        one = World(
            home=home,
            hub=hub,
            app=app,
            installation=hub.install(app, "ada"),
            options=options,
            environment=environment or {},
            within=within,
        )
        one.start()
        try:
            yield one
        finally:
            if one.server is not None and one.server.poll() is None:
                one.kill()


def agent(home: Path, script: str) -> tuple[str, ...]:
    """The option that makes every session do what ``script`` says."""
    path = home / "agent.yml"
    path.write_text(script)
    return ("--agent", f"scripted:{path}")
