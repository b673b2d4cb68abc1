"""
Where adapters meet use cases: one function for each thing that a door may ask.

The only place that names adapters or reads the environment. Importing it does nothing.
"""

from __future__ import annotations

from bot.app.requests import ServeRequest
from bot.ports import Say
from bot.wiring import secrecy
from bot.wiring.attesting import attest_keygen, attest_verify
from bot.wiring.judging import locate, verify
from bot.wiring.looking import checkpoints, ledger_check, sessions, show
from bot.wiring.machine import doctor
from bot.wiring.showing import demo
from bot.wiring.working import fix, resume

__all__ = [
    "attest_keygen",
    "attest_verify",
    "checkpoints",
    "demo",
    "doctor",
    "fix",
    "ledger_check",
    "locate",
    "resume",
    "secrecy",
    "serve",
    "sessions",
    "show",
    "verify",
]


def serve(request: ServeRequest, *, say: Say) -> int:
    """Its packages are an extra, and slow to import."""
    from bot.wiring import serving

    return serving.serve(request, say=say)
