"""
Operators that put in a statement: a guard, or one like those that stand in the function.
"""

from __future__ import annotations

import ast
from typing import Iterator

from .blocks import leaving, line_above, line_below
from .site import Change, Site
from .source import FUNCTIONS


def insert_guard(site: Site) -> Iterator[Change]:
    """``if …: return …`` (or continue, break, raise) before the statement."""
    node = site.node
    if not isinstance(node, ast.stmt) or site.scope.function is None:
        return
    at = line_above(site, node)
    if at is None or isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return
    space, line = site.source.indent(node), site.source.newline
    first = _is_first(site)
    for leave, weight in leaving(site):
        for asked in site.scope.conditions[:60]:
            text = f"{space}if {asked.text}:{line}{space}    {leave}{line}"
            yield Change(((at, at, text),), weight * asked.weight * (1.0 if first else 0.5))


def _is_first(site: Site) -> bool:
    body = getattr(site.parent, "body", [])
    return bool(isinstance(body, list) and body and body[0] is site.node)


def insert_statement(site: Site) -> Iterator[Change]:
    """A statement like one that stands in the function, with a name exchanged, before or after."""
    node = site.node
    if not isinstance(node, ast.stmt) or isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    if site.scope.function is None:
        return
    above, below = line_above(site, node), line_below(site, node)
    space, line = site.source.indent(node), site.source.newline
    leaves = isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break))
    for text, weight in _statements_like(site):
        said = f"{space}{text}{line}"
        if above is not None:
            yield Change(((above, above, said),), weight)
        if below is not None and not leaves:
            yield Change(((below, below, said),), weight)


def _statements_like(site: Site) -> list[tuple[str, float]]:
    found: dict[str, float] = {}
    source = site.source
    names = [name for name in site.scope.names[:14] if name.text not in ("self", "cls")]
    for other in site.scope.nodes:
        if not isinstance(other, (ast.Assign, ast.AugAssign, ast.Expr)):
            continue
        text = source.segment(other)
        if (
            "\n" in text
            or len(text) > 80
            or (isinstance(other, ast.Expr) and not isinstance(other.value, ast.Call))
        ):
            continue
        found[text] = max(found.get(text, 0.0), 0.7)
        for changed in _renamed(site, other, text):
            found.setdefault(changed, 0.35)
    for one in names:
        kinds = site.scope.kinds(one.text)
        fill = 3.0 if one.text in site.scope.unfilled else 1.0
        still = 3.0 if one.text in site.scope.unmoved else 1.0
        for other_name in names:
            if one.text == other_name.text:
                continue
            if kinds & {"list", "deque"}:
                _more(found, f"{one.text}.append({other_name.text})", 0.5 * fill)
            if kinds & {"set"}:
                _more(found, f"{one.text}.add({other_name.text})", 0.5 * fill)
            alike = site.scope.likeness(other_name.text, kinds)
            _more(found, f"{one.text} = {other_name.text}", 0.3 * alike * still)
        if kinds & {"int"}:
            found.setdefault(f"{one.text} += 1", 0.4)
            found.setdefault(f"{one.text} -= 1", 0.25)
        if kinds & {"list", "deque"}:
            found.setdefault(f"{one.text}.pop()", 0.3)
            found.setdefault(f"{one.text} = list({one.text})", 0.25)
        if kinds & {"str"}:
            found.setdefault(f"{one.text} = {one.text}.strip()", 0.15)
    return sorted(found.items(), key=lambda item: -item[1])[:160]


def _more(found: dict[str, float], text: str, weight: float) -> None:
    found[text] = max(found.get(text, 0.0), weight)


def _renamed(site: Site, statement: ast.stmt, text: str) -> Iterator[str]:
    start = site.source.span(statement).start
    for part in ast.walk(statement):
        if not isinstance(part, ast.Name):
            continue
        at, end = site.source.span(part)
        for name in site.scope.names[:12]:
            if name.text not in (part.id, "self") and name.weight >= 0.4:
                if site.scope.likeness(name.text, site.scope.kinds(part.id)) >= 0.5:
                    yield text[: at - start] + name.text + text[end - start :]
