"""
Runs some tests of one gate on one tree, for a sensitivity check, and says what was seen.

Each in its own clean room; nothing of it is a verdict, and nothing of it is published.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import count

from bot.app.court import Court, Trial
from bot.core.contract import Dialect, Gate
from bot.core.entries import Judged
from bot.core.parts import Purpose
from bot.core.sensitivity.renamed import Copy
from bot.core.sensitivity.sighting import Sighting, at_home, sight
from bot.ports import TreeEntry, Workcopy

LEAST_S = 30.0
PATIENCE = 5
"""Times as long as the gate took when it judged the candidate; what takes longer hangs."""
PLAIN = "100644"


_MADE: ContextVar[list[Judged]] = ContextVar("runs that were made")


@contextmanager
def noting() -> Iterator[list[Judged]]:
    """The runs that are made in here, in this thread."""
    made: list[Judged] = []
    before = _MADE.set(made)
    try:
        yield made
    finally:
        _MADE.reset(before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What is to be found out about one gate: its targets, as ids that ran and passed."""

    gate: Gate
    targets: tuple[str, ...]
    passed: frozenset[str]  # on the ground
    seconds: float  # that the gate took


@dataclass(frozen=True, slots=True, kw_only=True)
class Trier:
    court: Court
    workcopy: Workcopy
    _numbers: count[int] = field(default_factory=count)

    def run(self, tree: str, aim: Aim, tests: Iterable[str] | None) -> Sighting:
        """Only these tests, where the gate can be narrowed to them; None: all of them."""
        patience = max(LEAST_S, PATIENCE * aim.seconds)
        gate = aim.gate.model_copy(update={"timeout_s": min(aim.gate.timeout_s, patience)})
        oracle = self.court.oracle.model_copy(update={"gates": (gate,)})
        court = replace(self.court, oracle=oracle)
        all_of_them = tests is None or gate.report is Dialect.EXIT
        wanted = None if all_of_them else tuple(sorted(set(tests or ())))
        judged = court.of_base(self._trial(tree, wanted), ours=frozenset())
        _MADE.get([]).append(judged)
        return self._sight(court, judged)

    def run_copies(
        self,
        tree: str,
        aim: Aim,
        copies: Iterable[Copy],
        tests: Iterable[str],
        *,
        blank: Iterable[str],
    ) -> Sighting:
        """Tests of copies laid beside their originals, told by the ids of the originals."""
        copies = tuple(copies)
        names = {test: name for copy in copies for test, name in copy.names.items()}
        wanted = [names[test].id for test in tests if test in names]
        if not wanted:
            return Sighting()
        return at_home(self.run(self.with_copies(tree, copies, blank=blank), aim, wanted), names)

    def with_copies(self, tree: str, copies: Iterable[Copy], *, blank: Iterable[str]) -> str:
        """``blank``: originals that have nothing in them there, so that nobody reads them."""
        contents = dict.fromkeys(blank, b"") | {copy.path: copy.content for copy in copies}
        return self.lay(tree, contents)

    def lay(self, tree: str, contents: Mapping[str, bytes]) -> str:
        put = [TreeEntry(p, PLAIN, self.workcopy.write(c)) for p, c in contents.items()]
        return self.workcopy.compose(tree, put=put, drop=())

    def _trial(self, tree: str, wanted: tuple[str, ...] | None) -> Trial:
        return Trial(
            purpose=Purpose.SENSITIVITY,
            number=next(self._numbers),
            tree=tree,
            select=wanted,
        )

    def _sight(self, court: Court, judged: Judged) -> Sighting:
        (fact,) = judged.gates
        return sight(court.heard(fact), output=court.output(fact))
