"""
What every door to GitHub needs of this machine: its clock, its patience, and a way to tell of bugs.
"""

from __future__ import annotations

import traceback
from datetime import UTC, datetime
from urllib.parse import urlsplit

from bot.adapters.github.means import Means
from bot.ports import Say
from bot.wiring.secrecy import redactor

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def now() -> datetime:
    return datetime.now(UTC)


def means_for(api_url: str) -> Means:
    """A hub on this machine is nobody's to be gentle with; GitHub wants its writes apart."""
    known = redactor()
    if is_loopback(api_url):
        return Means(sleep=lambda _: None, redactor=known)
    return Means(redactor=known)


def is_loopback(api_url: str) -> bool:
    return urlsplit(api_url).hostname in LOOPBACK


def report_bug(say: Say, name: str, error: BaseException) -> None:
    """The place it came from; never its words, which may quote anything."""
    places = "".join(traceback.format_tb(error.__traceback__, limit=-4))
    say(f"a bug at {name}: {type(error).__name__}\n{places}")
