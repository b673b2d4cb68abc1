"""
A session's share of what its repository may spend in a day.

Waits while others hold what is left, for as long as one call may take; after that the session
rests, and holds no worker while it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

from bot.app.github.needs import Docket
from bot.errors import BudgetBusy
from bot.ports import Say

LOOK_EVERY_S = 1.0
LOOKS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPurse:
    """The ``Purse`` port. ``limit``: cents of a day, 0 for none."""

    docket: Docket
    session: str
    run: int
    limit: float
    say: Say
    stop: Event

    def reserve(self, cents: float) -> float:
        for look in range(LOOKS):
            given = self.docket.reserve(self.session, run=self.run, wanted=cents, limit=self.limit)
            if given is not None:
                if given < cents:
                    self.say(f"the day's budget of this repository leaves ${given / 100:.2f}")
                return given
            if not look:
                self.say("waiting for others to spend what they reserved of the day's budget")
            if self.stop.wait(LOOK_EVERY_S):
                return 0.0
        raise BudgetBusy
