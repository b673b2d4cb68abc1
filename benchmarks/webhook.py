"""
Webhooks: how many deliveries a second are acknowledged, and how long an answer takes.

    python benchmarks/webhook.py [--seconds 8] [--connections 64] [--no-peer] [--json]

``jam serve`` as an operator starts it, with a small GitHub on loopback and no worker, answers when
a delivery is on the disk. The peer is Probot, which stores nothing; it comes from npm into a folder
that is gone afterwards. Both get the same signed deliveries from `wrk` in the same run, each with a
body of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.minihub.minihub import AppKey, Minihub

SECRET = "It's a Secret to Everybody"
REPO = "ada/lib"
QUEUED = 10_000
SILENT = "Thank you, I will look into it."
ASKING = "Thank you, /jam will look into it."
"""Read closely before it is known to ask for nothing, so it is kept whole, and waits to be read."""
PROBOT = "probot@^14"
SERVE = "import sys; from bot.cli import main; sys.exit(main())"
PEER = """\
import { run } from "probot";
run((app) => { app.on("issue_comment.created", async () => {}); });
"""
SCRIPT = r"""
local ffi = require("ffi")
ffi.cdef[[
void *EVP_sha256(void);
unsigned char *HMAC(const void *md, const void *key, int key_len,
                    const unsigned char *d, size_t n, unsigned char *out, unsigned int *out_len);
]]
local crypto = ffi.load("libcrypto.so.3")
local out, length = ffi.new("unsigned char[32]"), ffi.new("unsigned int[1]")
local secret, path, pause = os.getenv("SECRET"), os.getenv("HOOK"), tonumber(os.getenv("PAUSE"))
local file = io.open(os.getenv("BODY")); local body = file:read("*a"); file:close()
local head, tail = body:match("^(.*)@@NUMBER@@(.*)$")
local count, began, thread = 0, os.time(), 0
function setup(t) t:set("thread", thread); thread = thread + 1 end
local function hex(bytes)
  local found = {}
  for at = 0, 31 do found[at + 1] = string.format("%02x", bytes[at]) end
  return table.concat(found)
end
function request()
  count = count + 1
  local number = string.format("%d%04d%09d", began % 100000, thread, count)
  local text = head .. number .. tail
  crypto.HMAC(crypto.EVP_sha256(), secret, #secret, text, #text, out, length)
  return wrk.format("POST", path, {
    ["Content-Type"] = "application/json", ["User-Agent"] = "GitHub-Hookshot/1",
    ["X-GitHub-Event"] = "issue_comment",
    ["X-GitHub-Delivery"] = string.format("%08x-0000-4000-8000-%012d", began, thread * 1e9 + count),
    ["X-Hub-Signature-256"] = "sha256=" .. hex(out),
  }, text)
end
if pause > 0 then function delay() return pause end end
function done(summary, latency)
  io.write(string.format(
    '{"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d}\n',
    summary.requests, summary.duration,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
"""


@dataclass(frozen=True, slots=True)
class Ground:
    """Where everything lies, and who is to be called."""

    home: Path
    hub: Minihub
    app: AppKey
    installation: int
    repository: int

    def body(self, words: str) -> Path:
        """A comment, about as long as GitHub's."""
        user = {"login": "ben", "id": 2, "type": "User", "site_admin": False}
        comment = {
            "id": "@@NUMBER@@",
            "body": f"{words} " * 20,
            "user": user,
            "author_association": "MEMBER",
        }
        padding = {f"{name}_url": f"{self.hub.url}/{REPO}/{name}" * 2 for name in LINKS}
        document = {
            "action": "created",
            "issue": {"number": 1, "title": "A bug", "body": "text", "state": "open",
                      "user": user, "labels": [], **padding},
            "comment": {**comment, **padding},
            "repository": {"id": self.repository, "full_name": REPO, "private": False,
                           "default_branch": "main", "owner": user, **padding},
            "installation": {"id": self.installation},
            "sender": user,
        }  # fmt: skip
        path = self.home / "body.json"
        path.write_text(json.dumps(document).replace('"@@NUMBER@@"', "@@NUMBER@@"))
        return path


LINKS = (
    "html",
    "archive",
    "assignees",
    "blobs",
    "branches",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
    "contributors",
    "deployments",
    "events",
    "forks",
    "hooks",
    "issues",
    "keys",
    "labels",
    "languages",
    "merges",
    "milestones",
    "notifications",
    "pulls",
    "releases",
    "stargazers",
    "statuses",
    "subscribers",
    "tags",
    "teams",
    "trees",
)


@contextmanager
def ground() -> Iterator[Ground]:
    with tempfile.TemporaryDirectory() as name, Minihub(Path(name) / "hub") as hub:
        hub.person("ada")
        made = hub.repository(REPO, {"README.md": "# lib\n"}).id
        app = hub.app(hook_secret=SECRET)
        installation = hub.install(app, "ada").id
        yield Ground(Path(name), hub, app, installation, made)


@contextmanager
def running(argv: list[str], *, env: Mapping[str, str], cwd: Path, port: int) -> Iterator[int]:
    """Its process id, from when its port answers to when it is gone."""
    log = cwd / f"{port}.log"
    with (
        log.open("wb") as file,
        subprocess.Popen(
            argv, env={**os.environ, **env}, cwd=cwd, stdout=file, stderr=file
        ) as process,
    ):
        try:
            until = time.monotonic() + 60
            while not _answers(port):
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit(f"{argv[0]} did not start:\n{log.read_text()[-2000:]}")
                time.sleep(0.05)
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()


def _answers(port: int) -> bool:
    with closing(socket.socket()) as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with closing(socket.socket()) as line:
        line.bind(("127.0.0.1", 0))
        return int(line.getsockname()[1])


@contextmanager
def jam(at: Ground, *, queued: int = 0) -> Iterator[str]:
    state, port, key = at.home / f"state-{queued}", free_port(), at.home / "app.pem"
    key.write_text(at.app.private_key)
    env = {
        "JAM_WEBHOOK_SECRET": SECRET,
        "JAM_APP_ID": str(at.app.id),
        "JAM_PRIVATE_KEY_FILE": str(key),
        "JAM_GITHUB_URL": at.hub.api_url,
        "JAM_PAGES": "open",
    }
    argv = [sys.executable, "-c", SERVE, "serve", "--sessions", "0", "--port", str(port),
            "--state", str(state)]  # fmt: skip
    with running(argv, env=env, cwd=at.home, port=port):
        pass  # which makes its tables
    if queued:
        _queue(state / "jam.sqlite", at, queued)
    with running(argv, env=env, cwd=at.home, port=port):
        time.sleep(1)
        yield f"http://127.0.0.1:{port}/webhook"
    for found in ("jam.sqlite", "queue.sqlite"):
        (state / found).unlink(missing_ok=True)


def _queue(path: Path, at: Ground, many: int) -> None:
    """Sessions that wait for a worker, as deliveries would have put them there."""
    with closing(sqlite3.connect(path)) as base, base:
        columns = [row for row in base.execute("PRAGMA table_info(sessions)") if row[1] != "place"]
        names = [row[1] for row in columns]
        least = {row[1]: 0 if "INT" in row[2] else "" for row in columns if row[3]}
        known = {
            "kind": "fix", "repository": at.repository, "repository_name": REPO,
            "default_branch": "main", "is_private": 0, "installation": at.installation,
            "is_pull": 0, "asked": "{}", "asked_by": "ben", "counts_as": "", "title": "A bug",
            "opened_at": "2026-01-01T00:00:00.000000+00:00", "state": "queued", "run": 1, "why": "",
            "end_": "", "cents": 0, "judged_sha": "", "head_sha": "", "branch": "", "stop_by": "",
            "approved_by": "",
        }  # fmt: skip
        rows = [
            tuple(
                {**least, **known, "session": f"gh-{n:020x}", "thread": n + 1}.get(name)
                for name in names
            )
            for n in range(many)
        ]
        marks = ", ".join("?" * len(names))
        base.executemany(f"INSERT INTO sessions ({', '.join(names)}) VALUES ({marks})", rows)


@contextmanager
def probot(at: Ground) -> Iterator[str]:
    folder, port = at.home / "probot", free_port()
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    subprocess.run(
        ["npm", "install", PROBOT, "--no-audit", "--no-fund", "--ignore-scripts", "--silent"],
        cwd=folder, check=True,
    )  # fmt: skip
    (folder / "app.js").write_text(PEER)
    env = {
        "APP_ID": "1", "PRIVATE_KEY": at.app.private_key, "WEBHOOK_SECRET": SECRET,
        "PORT": str(port), "HOST": "127.0.0.1", "NODE_ENV": "production", "LOG_LEVEL": "fatal",
        "WEBHOOK_PATH": "/webhook",
    }  # fmt: skip
    with running(["node", "app.js"], env=env, cwd=folder, port=port):
        yield f"http://127.0.0.1:{port}/webhook"


def load(
    url: str,
    at: Ground,
    *,
    connections: int,
    seconds: int,
    rate: int = 0,
    words: str = SILENT,
) -> Mapping[str, float]:
    """``rate``: deliveries a second in all; 0 for as many as there may be."""
    script = at.home / "deliver.lua"
    script.write_text(SCRIPT)
    pause = 1000 * connections / rate if rate else 0
    env = {**os.environ, "SECRET": SECRET, "HOOK": "/webhook", "BODY": str(at.body(words)),
           "PAUSE": str(round(pause))}  # fmt: skip
    ran = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s",
         "-s", str(script), url],
        env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = re.search(r"^\{.*\}$", ran.stdout, re.M)
    if found is None:
        raise SystemExit(f"wrk said nothing of use:\n{ran.stdout}{ran.stderr}")
    said = json.loads(found[0])
    return {
        "per_second": round(said["requests"] / said["microseconds"] * 1e6, 1),
        "p50_ms": round(said["p50"] / 1000, 2),
        "p99_ms": round(said["p99"] / 1000, 2),
        "failed": said["failed"],
    }


def measure(*, seconds: int, connections: int, peer: bool) -> Mapping[str, Mapping[str, float]]:
    found: dict[str, Mapping[str, float]] = {}
    with ground() as at:
        with jam(at) as url:
            load(url, at, connections=4, seconds=1)
            found["jam, 200 a second"] = load(
                url, at, connections=20, seconds=seconds, rate=200, words=ASKING
            )
            found["jam"] = load(url, at, connections=connections, seconds=seconds)
            found["jam, each kept whole"] = load(
                url, at, connections=connections, seconds=seconds, words=ASKING
            )
        with jam(at, queued=QUEUED) as url:
            name = f"jam, 200 a second, {QUEUED:,} sessions queued"
            found[name] = load(url, at, connections=20, seconds=seconds, rate=200, words=ASKING)
        if peer:
            with probot(at) as url:
                load(url, at, connections=4, seconds=1)
                found["probot, 200 a second"] = load(
                    url, at, connections=20, seconds=seconds, rate=200
                )
                found["probot"] = load(url, at, connections=connections, seconds=seconds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = measure(seconds=asked.seconds, connections=asked.connections, peer=not asked.no_peer)
    if asked.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'':44} {'per second':>12} {'p50 ms':>9} {'p99 ms':>9} {'failed':>7}")
    for name, one in found.items():
        print(
            f"{name:44} {one['per_second']:>12} {one['p50_ms']:>9} {one['p99_ms']:>9} "
            f"{one['failed']:>7}"
        )


if __name__ == "__main__":
    main()
