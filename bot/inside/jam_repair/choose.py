"""
Which of several plausible changes to put forward.

All of them pass every test, so this asks what else tells them apart: what they do on inputs near
those that the tests used, and what they look like. The largest agreement wins unless a change
that looks much more like a person's stands against it.
"""

from __future__ import annotations

import copy
import itertools
from typing import Any, NamedTuple, Sequence

from . import swap
from .children import Tell, ask
from .evaluate import Suite
from .near import near, plain
from .rank import Candidate
from .shape import Looks, looks
from .source import FUNCTIONS, FunctionNode, Source, first_line
from .swap import Live
from .trace import Captured, Files
from .trial import Timer, Trials

INPUTS, CALLS, CALL_SECONDS = 120, 24, 0.03
HANGS = "it does not come to an end on inputs near those of the tests"
AGREEMENT, ERRORS, ENDLESS = 6.0, 8.0, 20.0


class Ranked(NamedTuple):
    candidate: Candidate
    cluster: int  # which behaviour, 0 for the one put forward
    alike: int  # how many of the plausible ones behave so
    why: str


def choose(found: Sequence[Candidate], behaviours: dict[str, tuple[str, ...]]) -> list[Ranked]:
    """Best first. ``behaviours`` maps a candidate's digest to what it did on other inputs."""
    seen = {candidate.digest: looks(candidate) for candidate in found}
    clusters: dict[Any, list[Candidate]] = {}
    for candidate in found:
        alike = behaviours.get(candidate.digest) or (candidate.digest,)
        clusters.setdefault(alike, []).append(candidate)
    ends = any(not _is_endless(key) for key in clusters)
    order = sorted(
        clusters,
        key=lambda key: _worth(key, clusters[key], seen) + ENDLESS * (ends and _is_endless(key)),
    )
    ranked: list[Ranked] = []
    for place, key in enumerate(order):
        for candidate in sorted(clusters[key], key=lambda one: seen[one.digest].cost):
            why = seen[candidate.digest].why or (HANGS if _is_endless(key) else "")
            ranked.append(Ranked(candidate, place, len(clusters[key]), why))
    return ranked


def _is_endless(key: tuple[str, ...]) -> bool:
    """On some input near the tests' it does not come to an end, though others do."""
    return any(what in ("!RecursionError", "!Overdue") for what in key)


def _worth(key: tuple[str, ...], members: list[Candidate], seen: dict[str, Looks]) -> float:
    """Less is better: the cheapest change in it, eased by how many unlike ones agree."""
    errors = sum(what.startswith("!") for what in key) / (len(key) or 1)
    cheapest = min(seen[member.digest].cost for member in members)
    agreeing = [
        m for m in members if seen[m.digest].cost < cheapest + 15.0 and not seen[m.digest].why
    ]
    kinds = len({member.line for member in agreeing})
    return cheapest - AGREEMENT * min(max(kinds - 1, 0), 3) + ERRORS * errors


class Behaviours:
    """Runs the candidates for one function on inputs near those the tests used."""

    def __init__(self, trials: Trials, live: Live, suite: Suite, files: Files) -> None:
        self._trials, self._live, self._suite, self._files = trials, live, suite, files

    def of(
        self, unit: FunctionNode, found: Sequence[Candidate], seconds: float
    ) -> dict[str, tuple[str, ...]]:
        source = found[0].source

        def work(tell: Tell) -> None:
            inputs = self._inputs(source, unit)
            functions = self._live.running(source.file, unit.name, first_line(unit))
            if not functions or not inputs:
                return
            for candidate in found:
                did = self._child(candidate, functions[0], inputs)
                tell([candidate.digest, did])

        answers = ask(work, seconds=seconds)
        longest = max((len(said) for _, said in answers), default=0)
        # One that fell silent hung or died on an input that others came through.
        return {digest: (*said, *["!Overdue"] * (longest - len(said))) for digest, said in answers}

    def _child(self, candidate: Candidate, function: Any, inputs: list[Any]) -> list[str]:
        return ask(lambda tell: self._behave(candidate, function, inputs, tell), seconds=2.0)

    def _inputs(self, source: Source, unit: FunctionNode) -> list[Any]:
        captured = Captured(self._files, (source.path, first_line(unit)), most=CALLS)
        timer = Timer()
        for item in [*self._suite.targets, *self._suite.passing[:40]]:
            captured.start()
            self._trials.run(item, seconds=0.2, timer=timer)
            captured.stop()
            if len(captured.arguments) >= CALLS:
                break
        return list(itertools.islice(near(captured.arguments), INPUTS))

    def _behave(self, candidate: Candidate, function: Any, inputs: list[Any], tell: Tell) -> None:
        if candidate.unit is None:
            return
        swap.apply(swap.swaps(candidate.source, candidate.unit, candidate.splices, self._live))
        timer = Timer()
        for positional, keywords in inputs:
            tell(_did(function, positional, keywords, timer))


def _did(function: Any, positional: Any, keywords: Any, timer: Timer) -> str:
    try:
        positional, keywords = copy.deepcopy((positional, keywords))
        with timer.limit(CALL_SECONDS):
            value = function(*positional, **keywords)
            if hasattr(value, "__next__"):
                value = list(itertools.islice(value, 200))
        return plain((value, positional))
    except BaseException as raised:
        return "!" + type(raised).__name__


def functions_of(found: Sequence[Candidate]) -> dict[FunctionNode, list[Candidate]]:
    grouped: dict[FunctionNode, list[Candidate]] = {}
    for candidate in found:
        if isinstance(candidate.unit, FUNCTIONS):
            grouped.setdefault(candidate.unit, []).append(candidate)
    return grouped
