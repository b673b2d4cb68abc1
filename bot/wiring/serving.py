"""
``jam serve``: the App started, reachable, and ended in order.
"""

from __future__ import annotations

import gc
import hashlib
import hmac
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import uvicorn

from bot.app.requests import ServeRequest
from bot.ports import Say
from bot.web import Door, application
from bot.wiring import logs, registering, serve_settings, settings
from bot.wiring.processes import Serving, Working
from bot.wiring.secrecy import redactor
from bot.wiring.serve_settings import ServeSettings
from bot.wiring.serving_parts import assemble
from bot.wiring.with_github import now

GRACE_S = 3


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends in order and goes on from there; its own would end the process."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle_exit)
        yield


def serve(request: ServeRequest, *, say: Say) -> int:
    state = (request.state or settings.read().state).absolute()
    if request.register:
        return registering.serve(request, state, say=say)
    told = serve_settings.read(state=state)
    say = logs.spoken(request.log, say)
    serving = assemble(request, told, say=say)
    word = pass_word(told)
    config = configured(serving, told, request)
    server = _Server(config)
    with config.bind_socket() as door:
        door.listen()  # whoever reads the next line may call at once
        serving.start()  # only now: it asks GitHub to bring again what could not be brought
        host, port = door.getsockname()[:2]
        say(f"webhooks   http://{host}:{port}/webhook")
        say(f"pages      {told.url or f'http://{host}:{port}'}/")
        if word and not told.pages:
            say(f"the word   {word}")
        gc.collect()
        gc.freeze()  # what is there by now stays, and need not be looked through again and again
        server.run(sockets=[door])
    return leave(serving, say)


def configured(serving: Serving, told: ServeSettings, request: ServeRequest) -> uvicorn.Config:
    door = Door(
        secrets=told.hook_secrets,
        inbox=serving.inbox,
        pages=serving.site,
        pass_word=pass_word(told),
        now=now,
        health=serving.telemetry.health,
        metrics=serving.telemetry.metrics,
        refused=serving.telemetry.refused,
        fit=redactor().told,
    )
    return uvicorn.Config(
        application(door),
        host=request.host,
        port=request.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=15,
        limit_concurrency=512,
        lifespan="off",
    )


@contextmanager
def beside(
    serving: Serving, told: ServeSettings, request: ServeRequest, door: socket.socket
) -> Iterator[None]:
    """The same App beside something else in one process, which keeps the signals."""
    server = uvicorn.Server(configured(serving, told, request))
    thread = threading.Thread(target=server.run, args=([door],), name="serve", daemon=True)
    serving.start()
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
        serving.stop()


def leave(serving: Working, say: Say) -> NoReturn:
    """No session is waited for: another process goes on with it at once, or this one when it is
    started again. Whatever a session had started in a sandbox dies with this process."""
    say("ending; sessions go on elsewhere, or when jam is started again")
    serving.stop()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)


def pass_word(told: ServeSettings) -> str:
    """Where nobody chose one: the same after every start, and known to whoever started it."""
    if told.pages == "open":
        return ""
    key = told.hook_secrets[0].encode()
    return told.pages or hmac.new(key, b"the pages of jam", hashlib.sha256).hexdigest()[:24]
