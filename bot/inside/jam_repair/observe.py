"""
Watches the tests once, before anything is changed: which fail, what each runs, how long it takes.

Every test is run in a child. What a child cannot tell (it died, it hung) counts as a test that
failed and was not seen.
"""

from __future__ import annotations

import time
from typing import Any, Dict, Iterable, NamedTuple, Sequence, Set

from .children import Child, Tell
from .suspicion import Seen
from .trace import Files, FunctionKey, Tracer, raised_at
from .trial import FAILED, OVERDUE, PASSED, Outcome, Timer, Trials

Types = Dict[FunctionKey, Dict[str, Set[str]]]
#: Seconds of processor time for a test on the unchanged source; the second, after one was endless.
RED_LIMIT, GREEN_LIMIT, SHORT_LIMIT = 1.0, 10.0, 0.1
TRACED_FACTOR = 40


class Observed(NamedTuple):
    seen: list[Seen]
    types: Types


def outcomes(
    trials: Trials, items: Sequence[Any], until: float, *, limit: float
) -> dict[str, Outcome]:
    """How each item ends, run in order; a new child goes on after one that died."""
    found: dict[str, Outcome] = {}
    place = 0
    while place < len(items) and time.monotonic() < until:
        rest = items[place:]
        child = Child(lambda tell, rest=rest, limit=limit: _plain(trials, rest, limit, tell))  # type: ignore[misc]
        count = 0
        try:
            patience = 3 + 4 * limit
            for mark, seconds in child.answers(lambda p=patience: p):  # type: ignore[misc]
                found[rest[count].nodeid] = Outcome(mark, seconds)
                count += 1
                if time.monotonic() > until:
                    break
        finally:
            child.end()
        place += count
        if count < len(rest) and time.monotonic() < until:
            found[rest[count].nodeid] = Outcome(OVERDUE, limit)
            place += 1
        if any(o.mark == OVERDUE for o in found.values()):
            limit = (
                min(limit, SHORT_LIMIT) if limit <= RED_LIMIT else limit
            )  # one endless test is told from the next by less
    return found


def _plain(trials: Trials, items: Sequence[Any], limit: float, tell: Tell) -> None:
    timer = Timer()
    for item, following in zip(items, [*items[1:], None]):
        outcome = trials.run(item, seconds=limit, timer=timer, following=following)
        tell([outcome.mark, outcome.seconds])
        if outcome.mark == OVERDUE:
            return  # what an interrupted test leaves behind is not for the next one


def each(
    trials: Trials, items: Sequence[Any], files: Files, seconds: dict[str, float], until: float
) -> Observed:
    """Like ``traced``, but one after the other, so that none is lost for another."""
    observed = Observed([], {})
    for item in items:
        one = traced(trials, [item], files, seconds, until)
        observed.seen.extend(one.seen)
        merge(observed.types, one.types.items())
    return observed


def traced(
    trials: Trials, items: Sequence[Any], files: Files, seconds: dict[str, float], until: float
) -> Observed:
    """What each item runs. Failing ones get a child each, passing ones share."""
    observed = Observed([], {})
    place = 0
    while place < len(items) and time.monotonic() < until:
        rest = items[place:]
        child = Child(lambda tell, rest=rest: _traced(trials, rest, files, seconds, tell))  # type: ignore[misc]
        count = 0
        try:
            for told in child.answers(lambda: 15.0):
                _add(observed, told)
                count += 1
                if time.monotonic() > until:
                    break
        finally:
            child.end()
        place += max(count, 1)
    return observed


def _traced(
    trials: Trials, items: Sequence[Any], files: Files, seconds: dict[str, float], tell: Tell
) -> None:
    timer = Timer()
    for item, following in zip(items, [*items[1:], None]):
        tracer = Tracer(files)
        limit = 0.1 + TRACED_FACTOR * min(seconds.get(item.nodeid, 0.02), 0.25)
        tracer.start()
        try:
            outcome = trials.run(item, seconds=limit, timer=timer, following=following)
        finally:
            tracer.stop()
        tell(
            {
                "id": item.nodeid,
                "mark": outcome.mark,
                "lines": {path: sorted(lines) for path, lines in tracer.lines.items() if lines},
                "raised": raised_at(outcome.error, files),
                "error": type(outcome.error).__name__ if outcome.error else "",
                "types": [
                    [path, line, {name: sorted(kinds) for name, kinds in of.items()}]
                    for (path, line), of in tracer.types.items()
                ],
            }
        )
        if outcome.mark == OVERDUE:
            return


def _add(observed: Observed, told: Any) -> None:
    lines = frozenset((path, line) for path, of in told["lines"].items() for line in of)
    raised = tuple((path, line) for path, line in told["raised"])
    failed = told["mark"] in (FAILED, OVERDUE)
    if failed or told["mark"] == PASSED:
        observed.seen.append(Seen(told["id"], failed, lines, raised, told["error"]))
    merge(observed.types, ((((path, line), of)) for path, line, of in told["types"]))


def merge(types: Types, more: Iterable[tuple[FunctionKey, dict[str, Any]]]) -> None:
    for key, names in more:
        mine = types.setdefault(key, {})
        for name, kinds in names.items():
            mine.setdefault(name, set()).update(kinds)
