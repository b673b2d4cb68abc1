"""
``jam serve --register``: one page with one button, which makes the App on GitHub and keeps what
GitHub answers where ``jam serve`` finds it.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from bot.adapters import github_registration
from bot.app.requests import ServeRequest
from bot.core import app_manifest
from bot.errors import RequestError, TransientError
from bot.pages import registration
from bot.pages.site import Page
from bot.ports import Say
from bot.web import registering
from bot.wiring import serve_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """``word`` comes back with the code, so that nobody else's code is taken."""

    url: str
    api_url: str
    forge_url: str
    state: Path
    say: Say
    word: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def form(self) -> Page:
        manifest = json.dumps(app_manifest.manifest(url=self.url))
        action = f"{self.forge_url}/settings/apps/new?state={self.word}"
        return registration.form(action=action, manifest=manifest, url=self.url)

    def registered(self, code: str, word: str) -> Page:
        if not hmac.compare_digest(word.encode(), self.word.encode()):
            return registration.refused("This answer is not to a question of ours.")
        try:
            made = github_registration.convert(code, api_url=self.api_url)
        except (RequestError, TransientError) as refused:
            return registration.refused(str(refused))
        values = {
            "JAM_APP_ID": str(made.id),
            "JAM_WEBHOOK_SECRET": made.hook_secret.reveal(),
            "JAM_URL": self.url,
            "JAM_GITHUB_URL": self.api_url,
        }
        serve_settings.keep(self.state, values, private_key=made.private_key.reveal())
        self.say(f"the App {made.slug} ({made.id}) is kept in {self.state}")
        return registration.done(slug=made.slug, install=f"{made.url}/installations/new")


def serve(request: ServeRequest, state: Path, *, say: Say) -> int:
    api_url = os.environ.get("JAM_GITHUB_URL", serve_settings.GITHUB_API).rstrip("/")
    url = os.environ.get("JAM_URL", "").rstrip("/")
    config = uvicorn.Config(
        "", host=request.host, port=request.port, log_level="warning", lifespan="off"
    )
    with config.bind_socket() as socket:
        socket.listen()
        host, port = socket.getsockname()[:2]
        desk = Desk(
            url=url or f"http://{host}:{port}",
            api_url=api_url,
            forge_url=serve_settings.forge_of(api_url),
            state=state,
            say=say,
        )
        config.app = registering(desk)
        say(f"register   http://{host}:{port}/")
        uvicorn.Server(config).run(sockets=[socket])
    return 0
