"""
All candidates of the suspicious statements, best first.

One rule orders them: suspicion * prior * weight / (sum of the weights of its group)^0.8, where a
group is one operator at one place. So a kind of edit with hundreds of variants waits for those
with two.
"""

from __future__ import annotations

import ast
import hashlib
from typing import Iterator, NamedTuple, Sequence

from .operators import EXPRESSIONS, LITERALS, STATEMENTS
from .scope import Scope
from .setting import is_setting
from .site import Operator, Site
from .source import FUNCTIONS, FunctionNode, Source, Splice, splice
from .suspicion import own_nodes
from .swap import is_inside_body
from .trace import FunctionKey

DAMPING = 0.8
MOST = 60_000


class Candidate(NamedTuple):
    source: Source
    op: str
    splices: tuple[Splice, ...]
    score: float
    line: int
    unit: ast.stmt | None  # what to swap; None where it must be imported afresh

    @property
    def text(self) -> str:
        return splice(self.source.text, self.splices)

    @property
    def digest(self) -> str:
        return digest(self.source.path, self.text)

    @property
    def size(self) -> int:
        """Characters taken and given."""
        return sum(end - start + len(new) for start, end, new in self.splices)


def digest(path: str, text: str) -> str:
    return hashlib.sha256(f"{path}\n{text}".encode(errors="replace")).hexdigest()[:24]


def candidates(
    scores: dict[Source, dict[ast.stmt, float]], types: dict[FunctionKey, dict[str, set[str]]]
) -> list[Candidate]:
    """Sorted, best first; no two with the same splices."""
    found: list[Candidate] = []
    top = max((s for of in scores.values() for s in of.values()), default=0.0)
    for source, statements in scores.items():
        scopes: dict[FunctionNode | None, Scope] = {}
        for statement, score in sorted(statements.items(), key=lambda item: -item[1]):
            if score < top * 0.05 or len(found) > 4 * MOST:
                continue
            function = source.function(statement)
            if isinstance(statement, FUNCTIONS):
                function = statement
            if function not in scopes:
                scopes[function] = Scope(source, function, _types(source, function, types))
            found.extend(_of_statement(source, scopes[function], statement, score))
    found.sort(key=lambda candidate: -candidate.score)
    return list(_distinct(found))[:MOST]


def _types(
    source: Source, function: FunctionNode | None, types: dict[FunctionKey, dict[str, set[str]]]
) -> dict[str, set[str]]:
    if function is None:
        return {}
    lines = [function.lineno, *(item.lineno for item in function.decorator_list)]
    known: dict[str, set[str]] = {}
    for up in [*reversed(list(source.ancestors(function))), function]:
        if isinstance(up, FUNCTIONS):
            lines = [up.lineno, *(item.lineno for item in up.decorator_list)]
            known.update(types.get((source.path, min(lines)), {}))
    return known


def _of_statement(
    source: Source, scope: Scope, statement: ast.stmt, score: float
) -> Iterator[Candidate]:
    yield from _of_node(Site(source, scope, statement), STATEMENTS, statement, score)
    for node in own_nodes(statement):
        if isinstance(node, ast.expr):
            yield from _of_node(Site(source, scope, node), EXPRESSIONS, statement, score)
            yield from _of_node(Site(source, scope, node), LITERALS, statement, score)


def _of_node(
    site: Site, operators: Sequence[tuple[str, float, Operator]], statement: ast.stmt, score: float
) -> Iterator[Candidate]:
    source = site.source
    for op, prior, operator in operators:
        changes = [change for change in operator(site) if change.weight > 0]
        if not changes:
            continue
        share = sum(change.weight for change in changes) ** DAMPING
        unit = source.unit(statement)
        for change in changes:
            hot: ast.stmt | None = None
            if unit is not None and is_inside_body(source, unit, change.splices):
                hot = unit
            elif unit is None and is_setting(source, statement, change.splices):
                hot = statement
            worth = score * prior * change.weight / share
            line = getattr(site.node, "lineno", statement.lineno)
            yield Candidate(source, op, change.splices, worth, line, hot)


def _distinct(found: list[Candidate]) -> Iterator[Candidate]:
    seen: set[tuple[str, tuple[Splice, ...]]] = set()
    for candidate in found:
        key = (candidate.source.path, tuple(sorted(candidate.splices)))
        if key not in seen and all(
            candidate.source.text[start:end] != new for start, end, new in candidate.splices
        ):
            seen.add(key)
            yield candidate
