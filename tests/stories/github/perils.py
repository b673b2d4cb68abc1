"""Sessions whose worker is lost at a random moment: killed, or stopped and let go on too late."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Sequence

from tests.stories.github.machines import LEASE_S, Machine, asked, holder, told
from tests.stories.github.world import World

SCRIPT = """\
- shell: echo '# looked at' >> ledgerlib.py
- wait: 0.5
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- finish: true
"""
LASTS_S = 12.0
"""About as long as a session takes that nobody disturbs, here."""


def lose_one(
    one: World, machines: Sequence[Machine], chance: random.Random, *, how: int | None
) -> dict[str, object]:
    """What people find of a session whose worker met ``how`` in the middle; None: it did not."""
    number = asked(one)
    if how is None:
        return told(one, number)
    moment = chance.uniform(0.0, LASTS_S)
    until = time.monotonic() + moment
    one.until(lambda: holder(one, number) or time.monotonic() > until)
    time.sleep(max(0.0, until - time.monotonic()))
    who = holder(one, number)
    lost = next((each for each in machines if each.worker == who), chance.choice(machines))
    if how == signal.SIGKILL:
        lost.kill()
        lost.start()
        return told(one, number)
    lost.send(signal.SIGSTOP)
    try:
        time.sleep(LEASE_S + chance.uniform(0.0, 6.0))
    finally:
        lost.send(signal.SIGCONT)
    return told(one, number)
