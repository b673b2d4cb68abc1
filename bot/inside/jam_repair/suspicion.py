"""
Which lines to blame: Ochiai over the lines that failing and passing tests run.

Lines that an exception went through weigh more. Lines that run only at import (constants, class
attributes, defaults) inherit from the suspicious lines that name them.
"""

from __future__ import annotations

import ast
import math
from typing import Iterable, NamedTuple, Sequence

from .source import FUNCTIONS, Source, header_lines
from .trace import Place

FLOOR = 0.02
INHERITED = 0.6


class Seen(NamedTuple):
    """What one test was seen to do."""

    id: str
    failed: bool
    lines: frozenset[Place]
    raised_at: tuple[Place, ...] = ()
    error: str = ""


def ochiai(seen: Sequence[Seen]) -> dict[Place, float]:
    failing = [test for test in seen if test.failed and test.lines]
    passing = [test for test in seen if not test.failed]
    failed, passed = _count(failing), _count(passing)
    scores = {
        place: runs / math.sqrt(len(failing) * (runs + passed.get(place, 0)))
        for place, runs in failed.items()
    }
    for place, weight in _boosts(failing).items():
        if place in scores:
            scores[place] *= weight
    return {place: max(score, FLOOR) for place, score in scores.items()}


def _count(tests: Iterable[Seen]) -> dict[Place, int]:
    counts: dict[Place, int] = {}
    for test in tests:
        for place in test.lines:
            counts[place] = counts.get(place, 0) + 1
    return counts


def _boosts(failing: Sequence[Seen]) -> dict[Place, float]:
    """Up to 1.5 for the innermost line of an exception, less for its callers."""
    boosts: dict[Place, float] = {}
    for test in failing:
        for depth, place in enumerate(test.raised_at):
            boosts[place] = max(boosts.get(place, 1.0), 1.0 + 0.5 / (1 + depth))
    return boosts


def statements(source: Source, lines: dict[int, float]) -> dict[ast.stmt, float]:
    """The score of each statement that a failing test ran."""
    scores: dict[ast.stmt, float] = {}
    for statement in source.statements():
        first, last = header_lines(statement)
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            continue  # running one only defines it; their headers inherit
        best = max((lines.get(line, 0.0) for line in range(first, last + 1)), default=0.0)
        if best:
            scores[statement] = best
    return scores


def inherit(
    sources: Sequence[Source], scores: dict[Source, dict[ast.stmt, float]]
) -> dict[Source, dict[ast.stmt, float]]:
    """Scores of what runs only at import: what suspicious lines name, and how functions start."""
    named = _named(scores)
    inherited: dict[Source, dict[ast.stmt, float]] = {}
    for source in sources:
        found = {
            statement: score * INHERITED
            for statement, score in _definitions(source, named)
            if statement not in scores.get(source, {})
        }
        found.update(_headers(source, scores.get(source, {})))
        if found:
            inherited[source] = found
    return inherited


def _named(scores: dict[Source, dict[ast.stmt, float]]) -> dict[str, float]:
    named: dict[str, float] = {}
    for of_source in scores.values():
        for statement, score in of_source.items():
            for node in own_nodes(statement):
                name = getattr(node, "id", None) or getattr(node, "attr", None)
                if name:
                    named[name] = max(named.get(name, 0.0), score)
    return named


def own_nodes(statement: ast.stmt) -> Iterable[ast.AST]:
    """The nodes of a statement without the statements inside it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(
            child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)
        )


def _definitions(source: Source, named: dict[str, float]) -> Iterable[tuple[ast.stmt, float]]:
    for statement in source.statements():
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            continue
        if source.function(statement) is not None:
            continue
        names: set[str] = {
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        score = max((named.get(name, 0.0) for name in names), default=0.0)
        if score:
            yield statement, score


def _headers(source: Source, scores: dict[ast.stmt, float]) -> dict[ast.stmt, float]:
    """A function's own line (defaults, decorators) is as suspicious as its body, nearly."""
    headers: dict[ast.stmt, float] = {}
    for statement, score in scores.items():
        function = source.function(statement)
        if function is not None:
            headers[function] = max(headers.get(function, 0.0), score * INHERITED)
    return headers
