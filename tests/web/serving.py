"""The real web door on a real port, over a real inbox; and calls as GitHub, or a stranger, does."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn

from bot.adapters.database import Database, address, open_engine
from bot.adapters.docket import Docket
from bot.adapters.inbox import Inbox
from bot.adapters.store import Store
from bot.core.delivery import Fault
from bot.core.redact import Redactor
from bot.pages.site import Site
from bot.web import Door, application
from bot.wiring.telemetry import Telemetry

SECRET = "It's a Secret to Everybody"


@dataclass(frozen=True, slots=True)
class Said:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Running:
    port: int
    inbox: Inbox
    docket: Docket
    store: Store
    refused: Counter[str] = field(default_factory=Counter)

    def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Said:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            line.request(method, path, body, dict(headers or {}))
            answer = line.getresponse()
            return Said(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            line.close()

    def get(self, path: str, **headers: str) -> Said:
        return self.call("GET", path, headers=headers)

    def deliver(self, event: str, body: bytes, *, id_: str = "", **other: str) -> Said:
        return self.call("POST", "/webhook", body, signed(event, body, id_=id_) | other)

    def raw(self, head: bytes) -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        line.sendall(head)
        return line

    @property
    def rows(self) -> int:
        return len(self.inbox.latest(limit=10_000))


_count = iter(range(10**6))


def signed(event: str, body: bytes, *, id_: str = "", secret: str = SECRET) -> dict[str, str]:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": id_ or f"00000000-0000-4000-8000-{next(_count):012d}",
        "X-Hub-Signature-256": f"sha256={digest}",
    }


@contextmanager
def door(home: Path, *, pass_word: str = "", read_s: float = 10.0) -> Iterator[Running]:
    base = Database(open_engine(address("", folder=home)))
    inbox, docket, store = Inbox(base), Docket(base), Store(home)
    telemetry = Telemetry(docket=docket, inbox=inbox, now=lambda: datetime.now(UTC))
    refused: Counter[str] = Counter()

    def note(fault: Fault) -> None:
        refused[fault.value] += 1
        telemetry.refused(fault)

    site = Site(
        docket=docket,
        posts=inbox,
        journal=store,
        evidence=store,
        patch=lambda _session, _number: "diff --git a/x b/x\n-<b>old</b>\n+<i>new</i>\n",
        forge_url="https://github.example",
        now=lambda: datetime.now(UTC),
    )
    app = application(
        Door(
            secrets=[SECRET],
            inbox=inbox,
            pages=site,
            pass_word=pass_word,
            now=lambda: datetime.now(UTC),
            health=telemetry.health,
            metrics=telemetry.metrics,
            refused=note,
            fit=Redactor([SECRET]).told,
            read_s=read_s,
        )
    )
    with _served(app) as port:
        yield Running(port, inbox, docket, store, refused)
    inbox.close()
    base.close()


@contextmanager
def _served(app: Any) -> Iterator[int]:
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    with config.bind_socket() as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until = time.monotonic() + 10
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(10)
