"""
For every test that uses a minihub: one that is held to GitHub's descriptions at its end, the real
clients that speak to it, and a listener for its webhooks.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import github
import requests

from bot.minihub.minihub import AppKey, Minihub
from tests.minihub import descriptions

NO_RETRY = {"retry": None, "seconds_between_requests": 0, "seconds_between_writes": 0}


@contextmanager
def minihub(folder: Path | None = None, **how: Any) -> Iterator[Minihub]:
    """Whatever went over its wire must be what GitHub could have said."""
    with Minihub(folder, **how) as hub:
        yield hub
    assert hub.hub.bugs == [], "\n".join(hub.hub.bugs)
    wrong = descriptions.problems(hub.hub.recorder)
    assert wrong == [], "\n".join(wrong)


def as_person(hub: Minihub, login: str, **how: Any) -> github.Github:
    token = github.Auth.Token(hub.person(login).token)
    return github.Github(auth=token, base_url=hub.api_url, **(NO_RETRY | how))


def as_app(hub: Minihub, app: AppKey) -> github.GithubIntegration:
    auth = github.Auth.AppAuth(app.id, app.private_key)
    return github.GithubIntegration(auth=auth, base_url=hub.api_url, **NO_RETRY)


def as_installation(hub: Minihub, app: AppKey, full_name: str) -> github.Github:
    owner, name = full_name.split("/")
    return as_app(hub, app).get_repo_installation(owner, name).get_github_for_installation()


def rest(hub: Minihub, method: str, path: str, token: str = "", **how: Any) -> requests.Response:
    """One plain call, nothing followed, nothing retried."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    headers |= how.pop("headers", {})
    url = path if path.startswith("http") else f"{hub.api_url}{path}"
    return requests.request(method, url, headers=headers, timeout=20, allow_redirects=False, **how)


def git(
    *args: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The real git, over HTTP, asking nobody."""
    return subprocess.run(
        ["git", *args],
        cwd=cwd,
        env={
            **os.environ,
            "GIT_ALLOW_PROTOCOL": "http",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            **(env or {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def remote(hub: Minihub, full_name: str, token: str) -> str:
    return f"{hub.url}/{full_name}.git".replace("://", f"://x-access-token:{token}@")


class Listener:
    """Receives webhooks, and answers them with ``status``."""

    def __init__(self) -> None:
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.status = 202
        listener = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                listener.heard.append((dict(self.headers), body))
                self.send_response(listener.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/webhook"

    @property
    def names(self) -> list[str]:
        return [headers["X-GitHub-Event"] for headers, _ in self.heard]

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
