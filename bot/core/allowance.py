"""
What one call to a model may cost, where several sessions share what a repository may spend a day.

Decides from what is left, and from what others have reserved for calls that are under way: nobody
spends what was promised to somebody else, so the day's limit holds whoever comes first. Knows
neither sessions nor clocks.
"""

from __future__ import annotations

ENOUGH_CENTS = 100.0
"""With this much a call can begin, though the session itself has more left."""


def granted(wanted: float, *, limit: float, spent: float, reserved: float) -> float | None:
    """
    Cents, at most ``wanted``; None: what is free is little, and more may come back from others.

    ``limit`` 0: there is none. ``reserved``: by others, for calls that are not settled yet.
    """
    if limit <= 0:
        return wanted
    free = limit - spent - reserved
    if free >= min(wanted, ENOUGH_CENTS) or reserved <= 0:
        return max(0.0, min(wanted, free))
    return None
