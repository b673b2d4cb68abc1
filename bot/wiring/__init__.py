"""
Where adapters meet use cases: one function for each thing that a door may ask.

The only place that names adapters or reads the environment. Importing it does nothing.
"""

from __future__ import annotations

from threading import Event

from bot.app.requests import Answer, FlakyRequest, ServeRequest
from bot.ports import Say
from bot.wiring import secrecy
from bot.wiring.attesting import attest_keygen, attest_verify
from bot.wiring.judging import locate, verify
from bot.wiring.looking import checkpoints, ledger_check, sessions, show
from bot.wiring.machine import doctor
from bot.wiring.showing import demo
from bot.wiring.working import fix, resume

__all__ = [
    "action",
    "attest_keygen",
    "attest_verify",
    "checkpoints",
    "demo",
    "doctor",
    "fix",
    "flaky",
    "ledger_check",
    "locate",
    "resume",
    "secrecy",
    "serve",
    "sessions",
    "show",
    "verify",
    "work",
]


def serve(request: ServeRequest, *, say: Say) -> int:
    """Its packages are an extra, and slow to import."""
    from bot.wiring import serving

    return serving.serve(request, say=say)


def work(request: ServeRequest, *, say: Say) -> int:
    """The same."""
    from bot.wiring import at_work

    return at_work.work(request, say=say)


def action(*, say: Say, shout: Say) -> int:
    """Its packages are an extra."""
    from bot.wiring import acting

    return acting.action(say=say, shout=shout)


def flaky(request: FlakyRequest, *, say: Say, stop: Event) -> Answer:
    """Its statistics are an extra, and slow to import."""
    from bot.wiring import flaky_search

    return flaky_search.flaky(request, say=say, stop=stop)
