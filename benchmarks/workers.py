"""
Sessions a minute by one to four `jam work` on one PostgreSQL.

Agent and oracle sleep, so that what is measured is jam's own: queue, ledger, evidence and writes to
a small GitHub on loopback, not how fast this machine runs tests. Each session is in a repository of
its own, and none waits for another.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bot.minihub.minihub import AppKey, Minihub

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.ports.databases import another, postgres  # noqa: E402

JAM = "import sys; from bot.cli import main; sys.exit(main())"
CHECK = """\
import pathlib, sys, time
time.sleep({judge})
sys.exit("fixed" not in pathlib.Path("product.txt").read_text())
"""
CONTRACT = """\
version: 1
oracles:
  unit:
    gates:
      - run: {python} check.py
        report: exit
        min_pass: 1
publish: {{accept: L2}}
"""
AGENT = """\
- wait: {work}
- shell: echo fixed > product.txt
- finish: true
"""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3, 4])
    asked.add_argument("--each", type=int, default=3, help="sessions for each worker")
    asked.add_argument("--work", type=float, default=8.0, help="seconds that the agent sleeps")
    asked.add_argument("--judge", type=float, default=3.0, help="seconds that the oracle sleeps")
    told = asked.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores at the beginning")
    rates = {}
    with postgres() as cluster:
        for workers in told.workers:
            seconds, sessions = run(cluster, workers, told)
            rates[workers] = sessions / seconds * 60
            print(
                f"{workers} workers: {sessions} sessions in {seconds:.1f} s, "
                f"{rates[workers]:.2f} a minute, {rates[workers] / rates[told.workers[0]]:.2f}x",
                flush=True,
            )
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def run(cluster: str, workers: int, told: argparse.Namespace) -> tuple[float, int]:
    sessions = workers * told.each
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as place, ExitStack() as stack:
        home = Path(place)
        hub = stack.enter_context(Minihub(home / "hub"))
        app = fill(hub, sessions, CHECK.format(judge=told.judge))
        script = home / "agent.yml"
        script.write_text(AGENT.format(work=told.work))
        environment = {**surroundings(hub, app, home), "JAM_DATABASE_URL": another(cluster)}
        bench = Bench(home, stack, environment)
        bench.start("serve", "serve", "--port", "0", "--sessions", "0")
        app.app.hook_url = bench.until("serve", "/webhook").split("webhooks", 1)[1].split()[0]
        ask(hub, sessions)
        time.sleep(5)  # all of them are in the queue before anybody begins
        began = time.monotonic()
        for number in range(workers):
            name = f"work{number}"
            bench.start(name, "work", "--sessions", "1", "--agent", f"scripted:{script}")
        while any(not hub.pulls(f"ada/lib{number}") for number in range(sessions)):
            time.sleep(0.1)
        return time.monotonic() - began, sessions


@dataclass(frozen=True, slots=True)
class Bench:
    home: Path
    stack: ExitStack
    environment: dict[str, str]

    def start(self, name: str, *words: str) -> None:
        log = self.stack.enter_context((self.home / f"{name}.log").open("wb"))
        process = subprocess.Popen(
            [sys.executable, "-c", JAM, *words, "--state", str(self.home / name)],
            env=self.environment, stdout=log, stderr=log,
        )  # fmt: skip
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)

    def until(self, name: str, word: str) -> str:
        while word not in (text := (self.home / f"{name}.log").read_text()):
            time.sleep(0.05)
        return text


def fill(hub: Minihub, repositories: int, check: str) -> AppKey:
    files = {
        "product.txt": "broken\n",
        "check.py": check,
        ".github/jam.yml": CONTRACT.format(python=sys.executable),
    }
    hub.person("ada")
    for number in range(repositories):
        hub.repository(f"ada/lib{number}", files)
    app = hub.app(hook_secret="s")
    hub.install(app, "ada")
    return app


def ask(hub: Minihub, repositories: int) -> None:
    ada = hub.person("ada")
    for number in range(repositories):
        issue = ada.open_issue(f"ada/lib{number}", "It is broken", "So it is.")
        ada.label(f"ada/lib{number}", issue, "jam")


def surroundings(hub: Minihub, app: AppKey, home: Path) -> dict[str, str]:
    key = home / "app.pem"
    key.write_text(app.private_key)
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "JAM_WEBHOOK_SECRET": "s",
        "JAM_APP_ID": str(app.id),
        "JAM_PRIVATE_KEY_FILE": str(key),
        "JAM_GITHUB_URL": hub.api_url,
        "JAM_PAGES": "open",
    }


if __name__ == "__main__":
    main()
