"""
Starts every random generator of this process from a seed. PYTEST_DONT_REWRITE

Also those that libraries keep for themselves, and those that are made later without a seed. What a
person pastes to see the same failure does the same in fewer words (``bot.core.flaky.spelling``).
"""

from __future__ import annotations

import gc
import random
import sys


def pin(seed: int) -> None:
    for found in gc.get_objects():
        if issubclass(type(found), random.Random):
            found.seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(seed)
