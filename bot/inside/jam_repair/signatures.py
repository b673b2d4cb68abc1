"""
Operators on how a function is declared: defaults, parameters, decorators.
"""

from __future__ import annotations

import ast
from typing import Iterator

from .binding import Text
from .site import Change, Site
from .source import FUNCTIONS

_DEFAULTS = (
    Text("None"),
    Text("True"),
    Text("False"),
    Text("0"),
    Text("1"),
    Text("''"),
    Text("()"),
)


def default(site: Site) -> Iterator[Change]:
    """A parameter's default exchanged for another constant."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    for value in [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]:
        spot, now = site.at(value), site.text(value)
        for text in (*_DEFAULTS, *site.scope.constants[:8]):
            if text.text != now:
                yield spot.put(text, 1.0 if _flips(now, text.text) else 0.3)
        if (
            isinstance(value, ast.Constant)
            and isinstance(value.value, (int, float))
            and not isinstance(value.value, bool)
        ):
            yield spot.instead(str(value.value + 1), weight=0.5)
            yield spot.instead(str(value.value - 1), 13, 0.5)


def _flips(one: str, other: str) -> bool:
    return {one, other} == {"True", "False"}


def decorate(site: Site) -> Iterator[Change]:
    """A decorator taken away, or one of the usual ones put on."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    space, line = site.source.indent(node), site.source.newline
    for decorator in node.decorator_list:
        start = site.source.line_start(decorator.lineno)
        end = site.source.line_start((decorator.end_lineno or decorator.lineno) + 1)
        yield Change(((start, end, ""),), 0.6)
    if isinstance(site.parent, ast.ClassDef) and not node.decorator_list:
        at = site.source.line_start(node.lineno)
        for name in ("property", "staticmethod", "classmethod"):
            yield Change(((at, at, f"{space}@{name}{line}"),), 0.4)


def parameter(site: Site) -> Iterator[Change]:
    """One more parameter, as siblings of the class have it; two exchanged; one left out."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    plain = node.args.args
    spans = [site.source.span(item) for item in plain]
    if spans:
        at = spans[0].start
        for name in ("self", "cls", "_"):
            if plain[0].arg != name:
                yield Change(((at, at, f"{name}, "),), 0.5)
        for end, start in zip(spans, spans[1:]):
            yield Change(
                (
                    (end.start, end.end, site.source.text[start.start : start.end]),
                    (start.start, start.end, site.source.text[end.start : end.end]),
                ),
                0.4,
            )
        yield Change(
            ((spans[0].start, spans[1].start if len(spans) > 1 else spans[0].end, ""),), 0.2
        )
        if hasattr(node.args, "posonlyargs") and not node.args.posonlyargs and node.args.kwarg:
            yield Change(((spans[-1].end, spans[-1].end, ", /"),), 0.8)
    elif node.args.vararg is not None:
        at = site.source.span(node.args.vararg).start - 1
        for name in ("self", "cls", "_", "_self"):
            yield Change(((at, at, f"{name}, "),), 0.5)
