"""
The order in which candidates are tried: best first, but what is slow to try waits its turn.

A candidate that ran out of processor time comes back later with more of it; one that has to be
imported afresh costs as much as many that need not, and waits for as many.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple, Sequence

from .evaluate import CHUNK, LEVELS
from .rank import Candidate

BACK = (0, 400, 3_000, 15_000)  # how many others go before one that is tried at this level
COLD_COST = 40


class Turn(NamedTuple):
    level: int
    cold: bool
    candidates: tuple[Candidate, ...]


class Queue:
    def __init__(self, ordered: Sequence[Candidate]) -> None:
        self._heap: list[tuple[float, int, int, bool, Candidate]] = []
        self._count = 0
        cold = 0
        for place, candidate in enumerate(ordered):
            cold += candidate.unit is None
            self._push(float(place), 0, candidate.unit is None, candidate, cold)
        self.tried = 0

    def _push(
        self, rank: float, level: int, cold: bool, candidate: Candidate, colder: int = 0
    ) -> None:
        self._count += 1
        place = rank + (COLD_COST * colder if cold else 0)
        heapq.heappush(self._heap, (place, self._count, level, cold, candidate))

    def __bool__(self) -> bool:
        return bool(self._heap)

    def later(self, candidate: Candidate, level: int, *, hope: float) -> None:
        """It ran out of time at ``level``. ``hope``: the share of the failing tests that it passed
        before; much of it makes the next try come at once, or soon."""
        if level + 1 < len(LEVELS):
            wait = 0.0 if hope > 0.5 and level == 0 else BACK[level + 1] * (1.0 - 0.9 * hope)
            self._push(self.tried + wait, level + 1, False, candidate)

    def cold(self, candidate: Candidate) -> None:
        """It cannot be swapped: the slow way, when its turn comes."""
        self._push(float(self.tried + COLD_COST), 0, True, candidate)

    def next(self) -> Turn:
        """As many as may be tried together."""
        _, _, level, cold, candidate = heapq.heappop(self._heap)
        batch = [candidate]
        most = 1 if cold else CHUNK if level == 0 else 8
        while self._heap and len(batch) < most and self._heap[0][2:4] == (level, cold):
            batch.append(heapq.heappop(self._heap)[4])
        self.tried += len(batch)
        return Turn(level, cold, tuple(batch))
