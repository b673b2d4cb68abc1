"""
``jam work``: one more process that takes sessions off the queue of a ``jam serve``.
"""

from __future__ import annotations

import signal
from threading import Event

from bot.adapters import database
from bot.app.requests import ServeRequest
from bot.ports import Say
from bot.wiring import logs, serve_settings, settings
from bot.wiring.serve_settings import NotConfigured
from bot.wiring.serving import leave
from bot.wiring.serving_parts import assemble_worker

ALONE = (
    "jam work needs PostgreSQL: set JAM_DATABASE_URL to postgresql://…, the same as for `jam "
    "serve`. Without it `jam serve` works by itself, with --sessions at a time"
)


def work(request: ServeRequest, *, say: Say) -> int:
    state = (request.state or settings.read().state).absolute()
    told = serve_settings.read(state=state, receives=False)
    if not database.address(told.database_url or "-", folder=state).startswith("postgresql"):
        raise NotConfigured(ALONE)
    say = logs.spoken(request.log, say)
    ends = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ends.set())
    working = assemble_worker(request, told, say=say)
    working.start()
    say(f"working    as {working.worker.name}")
    while not ends.wait(60.0):  # in slices: a wait without end hears no signal on some systems
        pass
    return leave(working, say)
