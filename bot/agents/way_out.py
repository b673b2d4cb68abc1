"""
The way out that a command may need: a few hosts, and nothing else of the network.

The agent says when it is open. How a command in a jail gets to it, and what is added for which
host, is for whoever implements ``WayOut``.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from bot.core.proxied import Used
from bot.ports import Jail, View


class Way(Protocol):
    """Open, for one command."""

    def lead(self, argv: Sequence[str], view: View) -> tuple[Sequence[str], View]:
        """The same command and view, with the way out in it."""
        ...

    def used(self) -> tuple[Used, ...]:
        """What was asked of each host so far."""
        ...


class WayOut(Protocol):
    def open(self, jail: Jail) -> AbstractContextManager[Way]:
        """Closed again, nothing of it goes on."""
        ...
