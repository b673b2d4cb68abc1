"""
The order in which candidates are tried: best first, but what is slow to try waits its turn.

A candidate that ran out of processor time comes back later with more of it. Those that have to be
imported afresh cost as much as hundreds that need not, so they wait in a line of their own and get
a share of the time, not of the turns.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple, Sequence

from .evaluate import CHUNK, LEVELS
from .rank import Candidate

BACK = (0, 400, 2_000, 6_000)  # how many others go before one that is tried at this level
COLD_SHARE = 0.15


class Turn(NamedTuple):
    level: int
    cold: bool
    candidates: tuple[Candidate, ...]


class Queue:
    """Two lines, one for each way of trying."""

    def __init__(self, ordered: Sequence[Candidate]) -> None:
        self._lines: dict[bool, list[tuple[float, int, int, Candidate]]] = {False: [], True: []}
        self._count = 0
        for place, candidate in enumerate(ordered):
            self._push(float(place), 0, candidate, cold=candidate.unit is None)
        self.tried = 0
        self.spent = {False: 0.0, True: 0.0}  # seconds, on each way

    def _push(self, rank: float, level: int, candidate: Candidate, *, cold: bool) -> None:
        self._count += 1
        heapq.heappush(self._lines[cold], (rank, self._count, level, candidate))

    def __bool__(self) -> bool:
        return any(self._lines.values())

    def later(self, candidate: Candidate, level: int, *, hope: float) -> None:
        """It ran out of time at ``level``. ``hope``: the share of the failing tests that it passed
        before; much of it makes the next try come at once, or soon."""
        if level + 1 < len(LEVELS):
            wait = BACK[level + 1] * (1.0 - 0.9 * hope)
            if hope > 0.5:
                wait = 0.0 if level == 0 else wait / 4
            self._push(self.tried + wait, level + 1, candidate, cold=False)

    def cold(self, candidate: Candidate, place: int = 0) -> None:
        """It cannot be swapped: the slow way, when its turn comes."""
        self._push(float(self.tried + place), 0, candidate, cold=True)

    def next(self) -> Turn:
        """As many as may be tried together."""
        cold = self._is_colds_turn()
        line = self._lines[cold]
        _, _, level, candidate = heapq.heappop(line)
        batch = [candidate]
        most = 1 if cold else CHUNK if level == 0 else 8
        while line and len(batch) < most and line[0][2] == level:
            batch.append(heapq.heappop(line)[3])
        self.tried += 0 if cold else len(batch)
        return Turn(level, cold, tuple(batch))

    def _is_colds_turn(self) -> bool:
        if not (self._lines[False] and self._lines[True]):
            return bool(self._lines[True])
        # The very best of the slow ones is tried early; after that they get a share of the time.
        share = 0.5 if self._lines[True][0][0] < self.tried else COLD_SHARE
        return self.spent[True] < share * (self.spent[False] + self.spent[True])
