"""
Tries candidates on live objects: failing tests first, many candidates per child, hard limits.

Screening many in one child may leak state from one to the next, so it only ever proposes;
``confirm`` decides in a fresh child with all the tests.
"""

from __future__ import annotations

import ast
import mmap
import os
import struct
import time
from typing import Any, Iterator, NamedTuple, Sequence

from . import swap
from .children import Child, Forks, Tell, ask
from .rank import Candidate
from .source import Source
from .swap import Live, Unswappable
from .trial import FAILED, OVERDUE, PASSED, SKIPPED, Timer, Trials

LEVELS = (0.016, 0.1, 0.64, 4.0)  # seconds of processor time beyond what a test usually takes
CHUNK = 48
UNSWAPPABLE, DEAD, HUNG = "unswappable", "dead", "hung"
MARKS = (PASSED, FAILED, OVERDUE, SKIPPED, UNSWAPPABLE)


class Answer(NamedTuple):
    mark: str
    passed: int  # failing tests that it passed before the first that it did not


class Board:
    """Answers in memory shared with one child: a word through a pipe would cost more than most
    candidates do."""

    _SLOT = struct.Struct("<BH")
    _HEAD = 5  # how many answers there are, and whether the child left of its own will

    def __init__(self, size: int) -> None:
        self._memory = mmap.mmap(-1, self._HEAD + size * self._SLOT.size)
        self._size = size

    def count(self) -> int:
        count: int = struct.unpack_from("<I", self._memory)[0]
        return min(count, self._size)

    def write(self, answer: Answer) -> None:
        place = self.count()
        code = MARKS.index(answer.mark)
        at = self._HEAD + place * self._SLOT.size
        self._SLOT.pack_into(self._memory, at, code, min(answer.passed, 65535))
        struct.pack_into("<I", self._memory, 0, place + 1)

    def leave(self) -> None:
        self._memory[4] = 1

    @property
    def was_left(self) -> bool:
        return self._memory[4] == 1

    def answers(self) -> list[Answer]:
        found = (
            self._SLOT.unpack_from(self._memory, self._HEAD + place * self._SLOT.size)
            for place in range(self.count())
        )
        return [Answer(MARKS[min(code, len(MARKS) - 1)], passed) for code, passed in found]


class Suite(NamedTuple):
    targets: Sequence[Any]  # items, cheapest first
    passing: Sequence[Any]  # items, in their natural order
    seconds: dict[str, float]  # processor time that each took, by id


class Hot:
    def __init__(self, trials: Trials, live: Live, suite: Suite) -> None:
        self._trials, self._live, self._suite = trials, live, suite
        self._noticed: dict[ast.stmt, bool] = {}

    def limit(self, item: Any, level: int) -> float:
        usual = self._suite.seconds.get(item.nodeid, 0.0)
        return LEVELS[level] + 3 * usual

    def is_noticed(self, source: Source, unit: ast.stmt, covering: Sequence[Any]) -> bool:
        """Whether a failing test hears an exception from ``unit`` when it is swapped."""
        if unit not in self._noticed:
            self._noticed[unit] = self._sings(source, unit, covering)
        return self._noticed[unit]

    def _sings(self, source: Source, unit: ast.stmt, covering: Sequence[Any]) -> bool:
        def work(tell: Tell) -> None:
            swap.apply(swap.canary(source, unit, self._live))
            timer = Timer()
            for item in covering:
                self._trials.run(item, seconds=self.limit(item, 2), timer=timer)
                if swap.Sung.heard:
                    break
            tell(swap.Sung.heard)

        patience = 2 + sum(20 * self.limit(item, 2) for item in covering[:3])
        return any(ask(work, seconds=patience))

    def screen(self, batch: Sequence[Candidate], level: int, until: float) -> Iterator[Answer]:
        """One answer for each candidate, in order; fewer when the time is up."""
        place = 0
        while place < len(batch) and time.monotonic() < until:
            for answer in self._chunk(batch[place:], level):
                yield answer
                place += 1

    def _chunk(self, batch: Sequence[Candidate], level: int) -> Iterator[Answer]:
        longest = max((self.limit(item, level) for item in self._suite.targets), default=1.0)
        board = Board(len(batch))
        child = Child(lambda _: self._try(batch, level, board))
        try:
            ended = child.watch(board.count, 2.0 + 20 * longest)
        finally:
            child.end()
        answers = board.answers()
        yield from answers
        if len(answers) < len(batch) and not board.was_left:
            yield Answer(DEAD if ended else HUNG, 0)

    def _try(self, batch: Sequence[Candidate], level: int, board: Board) -> None:
        timer, me, forks = Timer(), os.getpid(), Forks()
        for candidate in batch:
            try:
                found = self._swaps(candidate)
            except Unswappable:
                board.write(Answer(UNSWAPPABLE, 0))
                continue
            self._live.forget_caches()
            swap.apply(found)
            answer = self._targets(level, timer)
            swap.revert(found)
            if os.getpid() != me:  # the candidate forked, and this is its copy
                os._exit(0)
            board.write(answer)
            if forks.count:  # what it left running ends with this process
                board.leave()
                return

    def _swaps(self, candidate: Candidate) -> list[swap.Swap]:
        if candidate.unit is None:
            raise Unswappable("not inside a function")
        return swap.swaps(candidate.source, candidate.unit, candidate.splices, self._live)

    def _targets(self, level: int, timer: Timer) -> Answer:
        passed = 0
        for item in self._suite.targets:
            outcome = self._trials.run(item, seconds=self.limit(item, level), timer=timer)
            if outcome.mark != PASSED:
                return Answer(outcome.mark, passed)
            passed += 1
        return Answer(PASSED, passed)

    def confirm(self, candidate: Candidate, first: set[str], *, seconds: float) -> bool:
        """All failing tests and then all passing ones, in a child that has tried nothing else."""
        near = [item for item in self._suite.passing if item.nodeid in first]
        if len(near) < len(self._suite.passing) and not self._passes(candidate, near, seconds):
            return False
        return self._passes(candidate, self._suite.passing, seconds)

    def _passes(self, candidate: Candidate, passing: Sequence[Any], seconds: float) -> bool:
        wanted = [*self._suite.targets, *passing]

        def work(tell: Tell) -> None:
            began = time.process_time()
            swap.apply(self._swaps(candidate))
            timer = Timer()
            for item, following in zip(wanted, [*wanted[1:], None]):
                if following is not None and item in self._suite.targets:
                    following = None
                outcome = self._trials.run(
                    item, seconds=self.limit(item, 3), timer=timer, following=following
                )
                tell(outcome.mark == PASSED)
                if outcome.mark != PASSED:
                    return
                if time.process_time() - began > seconds:
                    tell("enough")
                    return

        answers = ask(work, seconds=20.0 + 10 * max((self.limit(i, 3) for i in wanted), default=0))
        return bool(answers) and (
            answers == [True] * len(wanted) or (answers[-1] == "enough" and all(answers))
        )


def usual(outcomes: dict[str, Any]) -> dict[str, float]:
    """What each test took; one that ran out of time is taken to be like its neighbours."""
    known = sorted(o.seconds for o in outcomes.values() if o.mark in (PASSED, FAILED))
    middle = known[len(known) // 2] if known else 0.002
    return {
        id_: middle if outcome.mark == OVERDUE else min(outcome.seconds, 10.0)
        for id_, outcome in outcomes.items()
    }
