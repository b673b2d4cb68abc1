"""
What is wrong, and where: watches the tests on the unchanged source and scores its statements.
"""

from __future__ import annotations

import ast
from typing import Any, Callable, NamedTuple, Sequence

from . import observe, suspicion
from .evaluate import Suite, usual
from .observe import Observed, Types
from .source import Source
from .suspicion import Seen
from .trace import Files, raised_at
from .trial import OVERDUE, PASSED, Outcome, Trials

SUSPECTS = 25
TRACED = 30  # failing tests; what more of them run is seldom news
#: Shares of the time after which the next thing is begun, finished or not.
RED, RED_TRACED, GREEN, GREEN_TRACED = 0.2, 0.3, 0.4, 0.5


class Case(NamedTuple):
    suite: Suite
    collectable: set[str]  # files that cannot be collected, and should be
    seen: list[Seen]
    types: Types

    @property
    def is_red(self) -> bool:
        return bool(self.suite.targets or self.collectable)


class Watch:
    """``left``: a share of the time -> the moment when it is over."""

    def __init__(self, trials: Trials, files: Files, left: Callable[[float], float]) -> None:
        self._trials, self._files, self._left = trials, files, left
        self._failing: list[Any] = []
        self._passing: list[Any] = []
        self._collectable: set[str] = set()

    def choose(self, targets: Sequence[str], passing: frozenset[str]) -> dict[str, int]:
        """``passing``: ids that are known to pass; empty: whichever do."""
        mine, wanted = self._trials.by_id, set(targets)
        self._failing = [mine[id_] for id_ in targets if id_ in mine]
        self._collectable = {id_ for id_ in targets if id_ not in mine}
        self._passing = [
            item
            for id_, item in mine.items()
            if id_ not in wanted and (not passing or id_ in passing)
        ]
        return {"failing": len(self._failing), "passing": len(self._passing)}

    def observe(self, broken: dict[str, Any]) -> Case:
        """The failing tests first: without them there is nothing to look for."""
        trials, left = self._trials, self._left
        ended = observe.outcomes(trials, self._failing, left(RED), limit=observe.RED_LIMIT)
        red = [item for item in self._failing if _end(ended, item).mark != PASSED]
        red.sort(key=lambda item: _dearness(_end(ended, item)))
        seen = observe.each(trials, red[:TRACED], self._files, usual(ended), left(RED_TRACED))
        more = observe.outcomes(trials, self._passing, left(GREEN), limit=observe.GREEN_LIMIT)
        ended.update(more)
        green = [item for item in self._passing if _end(ended, item).mark == PASSED]
        suite = Suite(red, green, usual(ended))
        _join(seen, self._near(suite))
        seen.seen.extend(self._uncollected(broken))
        return Case(suite, self._collectable, seen.seen, seen.types)

    def _near(self, suite: Suite) -> Observed:
        """The passing tests, those in the files of the failing ones first."""
        files = {_file(item) for item in suite.targets}
        near = sorted(
            suite.passing, key=lambda item: (_file(item) not in files, suite.seconds[item.nodeid])
        )
        return observe.traced(
            self._trials, near, self._files, suite.seconds, self._left(GREEN_TRACED)
        )

    def _uncollected(self, broken: dict[str, Any]) -> list[Seen]:
        found = []
        for id_ in sorted(self._collectable):
            places = tuple(raised_at(broken.get(id_), self._files))
            found.append(Seen(id_, True, frozenset(places), places, ""))
        return found


def blame(sources: Sequence[Source], seen: Sequence[Seen]) -> dict[Source, dict[ast.stmt, float]]:
    by_path: dict[str, dict[int, float]] = {}
    for (path, line), score in suspicion.ochiai(seen).items():
        by_path.setdefault(path, {})[line] = score
    scores = {
        source: suspicion.statements(source, by_path[source.path])
        for source in sources
        if source.path in by_path
    }
    scores = {source: of for source, of in scores.items() if of}
    for source, of in suspicion.inherit(sources, scores).items():
        scores.setdefault(source, {}).update(of)
    return scores


def suspects(scores: dict[Source, dict[ast.stmt, float]]) -> list[list[Any]]:
    """The worst lines, those of one statement told once."""
    heads = [
        (source, statement.lineno, score)
        for source, of in scores.items()
        for statement, score in of.items()
    ]
    heads.sort(key=lambda head: (-head[2], head[0].path, head[1]))
    return [
        [source.path, line, round(min(score / 1.5, 1.0), 4), source.line(line).strip()[:160]]
        for source, line, score in heads[:SUSPECTS]
    ]


def _end(ended: dict[str, Outcome], item: Any) -> Outcome:
    return ended.get(item.nodeid, Outcome(OVERDUE, 9.0))


def _dearness(outcome: Outcome) -> tuple[bool, float]:
    return outcome.mark == OVERDUE, outcome.seconds


def _join(observed: Observed, more: Observed) -> None:
    observed.seen.extend(more.seen)
    observe.merge(observed.types, more.types.items())


def _file(item: Any) -> str:
    return str(item.nodeid).split("::")[0]
