"""
A small GitHub, and its runner: the real ``act`` runs the workflows that users copy, with the real
``action.yml``. What GitHub's own actions do (a checkout, an upload) is done by small ones.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from bot.minihub.minihub import Minihub
from bot.minihub.people import File, Person
from bot.minihub.seen import CheckSeen, PullSeen, ThreadSeen
from tests.minihub import hubs
from tests.stories.project import CONTRACT, PRODUCT, ROOT, TESTS

REPO = "ada/lib"
STUBS = Path(__file__).parent / "stubs"
FILES: dict[str, File] = {
    "ledgerlib.py": PRODUCT,
    "tests/test_free.py": TESTS,
    ".github/jam.yml": CONTRACT.format(python=sys.executable),
}
TITLE = "One is left and I am told nothing is"
NO_COMMIT = "OWNER/jam@" + "0" * 40
PERMISSIONS = {
    "fix.yml": {
        "contents": "write",
        "issues": "write",
        "pull_requests": "write",
        "checks": "write",
        "actions": "read",
        "metadata": "read",
    },
    "verify.yml": {
        "contents": "read",
        "issues": "write",
        "pull_requests": "write",
        "checks": "write",
        "actions": "read",
        "metadata": "read",
    },
    "flaky.yml": {
        "contents": "write",
        "issues": "write",
        "pull_requests": "write",
        "actions": "read",
        "metadata": "read",
    },
}
SECONDS = 170
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A workflow's run as people see it afterwards."""

    exit_code: int
    log: str
    folder: Path

    @property
    def uploaded(self) -> dict[str, bytes]:
        top = self.folder / "uploaded"
        return {
            p.relative_to(top).as_posix(): p.read_bytes() for p in top.rglob("*") if p.is_file()
        }

    def artifact(self, name: str) -> bytes:
        return next(content for path, content in self.uploaded.items() if path.endswith(name))


@dataclass(slots=True)
class World:
    home: Path
    hub: Minihub
    secrets: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    count: int = 0

    @property
    def ada(self) -> Person:
        return self.hub.person("ada")

    @property
    def ben(self) -> Person:
        """He may write."""
        return self.hub.person("ben")

    @property
    def eve(self) -> Person:
        """A stranger."""
        return self.hub.person("eve")

    def thread(self, number: int) -> ThreadSeen:
        return self.hub.thread(REPO, number)

    def pull(self, number: int) -> PullSeen:
        return self.hub.pull(REPO, number)

    def checks(self, ref: str) -> tuple[CheckSeen, ...]:
        return self.hub.checks(REPO, ref)

    def said(self, number: int) -> str:
        comments = self.thread(number).comments
        return "\n\n".join(one.body for one in comments if one.by == "github-actions[bot]")

    def last(self, event: str, action: str | None) -> bytes:
        """The newest event of this name, as a workflow gets it."""
        sent = [s for s in self.hub.hub.recorder.webhooks if (s.event, s.action) == (event, action)]
        document = json.loads(sent[-1].body)
        document.pop("installation", None)
        return json.dumps(document).encode()

    def start(
        self, workflow: str, event: str, payload: bytes, *, run: int = 0, attempt: int = 1
    ) -> tuple[subprocess.Popen[bytes], Path]:
        self.count += 1
        folder = self.home / f"job-{self.count}"
        for name in ("work/.github/workflows", "uploaded", "temp", "cache"):
            (folder / name).mkdir(parents=True)
        (folder / "work/.github/workflows" / workflow).write_text(understood(workflow))
        _commit(folder / "work")
        (folder / "event.json").write_bytes(payload)
        token = self.hub.actions_token(REPO, PERMISSIONS[workflow])
        ids = [f"--env=GITHUB_RUN_ID={run or 1000 + self.count}"]
        ids += [f"--env=GITHUB_RUN_ATTEMPT={attempt}"]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [*self._argv(folder, workflow, event, token), *ids],
                env=self._environment(folder),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return process, folder

    def run(self, workflow: str, event: str, payload: bytes, **how: int) -> Job:
        process, folder = self.start(workflow, event, payload, **how)
        try:
            code = process.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            kill(process)
            raise AssertionError((folder / "log").read_text()[-6_000:]) from None
        return Job(exit_code=code, log=(folder / "log").read_text(), folder=folder)

    def start_plainly(self, event: str, payload: bytes, *, run: int) -> subprocess.Popen[bytes]:
        """The step alone, as ``action/run.sh`` begins it: without the workflow around it."""
        self.count += 1
        folder = self.home / f"job-{self.count}"
        (folder / "temp").mkdir(parents=True)
        (folder / "event.json").write_bytes(payload)
        given = {
            **self._given(folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_RUN_ID": str(run),
            "JAM_SOURCE": str(ROOT),
            "JAM_TOKEN": self.hub.actions_token(REPO, PERMISSIONS["fix.yml"]),
            "RUNNER_TEMP": str(folder / "temp"),
        }
        with (folder / "log").open("wb") as log:
            return subprocess.Popen(
                ["bash", str(ROOT / "action" / "run.sh")],
                env={"PATH": os.environ["PATH"], "HOME": str(folder), **given},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def run_plainly(
        self, event: str, payload: bytes, *, run: int, timeout_s: float = SECONDS
    ) -> Job:
        process = self.start_plainly(event, payload, run=run)
        code = process.wait(timeout=timeout_s)
        folder = self.home / f"job-{self.count}"
        return Job(exit_code=code, log=(folder / "log").read_text(), folder=folder)

    def until(self, look: Callable[[], Found], *, timeout_s: float = 60.0) -> Found:
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if found := look():
                return found
            time.sleep(0.1)
        logs = [path.read_text()[-4_000:] for path in sorted(self.home.glob("job-*/log"))]
        raise AssertionError("\n\n".join(logs))

    def _argv(self, folder: Path, workflow: str, event: str, token: str) -> list[str]:
        pins = {
            pin: STUBS / name
            for pin in pins_of(workflow)
            for name in ("checkout", "setup-python", "upload-artifact")
            if pin.startswith(f"actions/{name}@")
        }
        places = {**pins, NO_COMMIT: self.home / "action"}
        hidden = {"GITHUB_TOKEN": token, **self.secrets}
        return [
            act(), event, "-C", str(folder / "work"), "-e", str(folder / "event.json"),
            "--no-skip-checkout",
            "-P", "ubuntu-latest=-self-hosted", "--no-cache-server", "--pull=false",
            "--action-cache-path", str(folder / "cache"), "--action-offline-mode",
            *(f"--local-repository={pin}={place}" for pin, place in places.items()),
            *(f"--secret={name}={value}" for name, value in hidden.items()),
            *(f"--env={name}={value}" for name, value in self._given(folder).items()),
        ]  # fmt: skip

    def _given(self, folder: Path) -> dict[str, str]:
        return {
            "GITHUB_API_URL": self.hub.api_url,
            "GITHUB_SERVER_URL": self.hub.url,
            "GITHUB_REPOSITORY": REPO,
            "UPLOADED": str(folder / "uploaded"),
            "JAM_INSTALLED": sys.executable,
            **self.environment,
        }

    def _environment(self, folder: Path) -> Mapping[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder / "temp"),
        }


def _commit(folder: Path) -> None:
    """``act`` asks git which commit this is."""
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "workflows")):
        subprocess.run(["git", *words], cwd=folder, check=True)


def act() -> str:
    """Of the environment that runs the tests. Without it these stories cannot be told."""
    beside = Path(sys.executable).with_name("act")
    found = str(beside) if beside.is_file() else shutil.which("act")
    assert found, "act is not installed: `make setup` brings it"
    return found


NEWER = ("cache-mode: none", "queue: max")
"""What GitHub knows since 2026 and this ``act`` does not yet."""


def understood(workflow: str) -> str:
    lines = (ROOT / "workflows" / workflow).read_text().splitlines(keepends=True)
    text = "".join(line for line in lines if line.strip() not in NEWER)
    return text.replace("budget-minutes: '30'", "budget-minutes: '0.3'")


def pins_of(workflow: str) -> set[str]:
    lines = (ROOT / "workflows" / workflow).read_text().splitlines()
    return {line.split("uses:")[1].split("#")[0].strip() for line in lines if "uses:" in line}


def kill(process: subprocess.Popen[bytes]) -> None:
    """A runner that is switched off: everything on it is gone at once."""
    for pid in [*family(process.pid), process.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(timeout=30)


def family(pid: int) -> list[int]:
    """All that a process has started, and what that has started."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = list(parents.get(pid, []))
    for child in found:
        found += parents.get(child, [])
    return found


@contextmanager
def world(home: Path, *, files: Mapping[str, File] = FILES) -> Iterator[World]:
    with hubs.minihub(home / "hub") as hub:
        hub.person("ada"), hub.person("eve")
        hub.repository(REPO, files, roles={"ben": "write", "cleo": "triage"})
        hub.install(hub.app(), "ada")  # so that events are told at all
        _lay_action(home / "action")
        yield World(home=home, hub=hub)


def _lay_action(folder: Path) -> None:
    """What a release holds of the action; ``act`` copies all that is in its folder."""
    without = shutil.ignore_patterns("__pycache__")
    for name in ("action", "bot", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    shutil.copy(ROOT / "action.yml", folder)


def files_for(home: Path, script: str, **more: File) -> dict[str, File]:
    """A repository whose contract names an agent that does what ``script`` says."""
    path = home / "agent.yml"
    path.write_text(script)
    contract = f"{FILES['.github/jam.yml']}agent: {{backend: 'scripted:{path}'}}\n"
    return {**FILES, ".github/jam.yml": contract, **more}
