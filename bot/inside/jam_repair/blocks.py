"""
Where a statement stands among others, and how one may leave from there.
"""

from __future__ import annotations

import ast
from typing import Iterator, Sequence

from .names import path_of
from .site import Site
from .source import FUNCTIONS, header_lines


def line_above(site: Site, statement: ast.stmt) -> int | None:
    start = site.source.line_start(statement.lineno)
    return (
        start if not site.source.text[start : site.source.span(statement).start].strip() else None
    )


def line_below(site: Site, statement: ast.stmt) -> int | None:
    """The offset of the line after a statement, unless something else stands on its last line."""
    end = site.source.span(statement).end
    stop = site.source.text.find("\n", end)
    rest = site.source.text[end : stop if stop >= 0 else None]
    if rest.strip() and not rest.strip().startswith("#"):
        return None
    return stop + 1 if stop >= 0 else None


def siblings(site: Site) -> Sequence[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(site.parent, name, None)
        if isinstance(block, list) and site.node in block:
            return block
    return ()


def has_body(node: ast.stmt) -> bool:
    return header_lines(node)[1] != (node.end_lineno or node.lineno) or hasattr(node, "body")


def leaving(site: Site) -> Iterator[tuple[str, float]]:
    """The ways out from here: of the loop, and those that the function takes elsewhere."""
    if _is_in_loop(site):
        yield "continue", 0.7
        yield "break", 0.5
    ways: dict[str, float] = {}
    for other in site.scope.nodes:
        if isinstance(other, (ast.Return, ast.Raise)):
            ways[site.source.segment(other)] = 1.0 if isinstance(other, ast.Return) else 0.6
    if site.scope.function is not None and site.scope.function.name.startswith("__"):
        ways.setdefault("return NotImplemented", 1.0)
    for name in site.scope.names[:5]:
        if name.text not in ("self", "cls"):
            ways.setdefault(f"return {name.text}", 0.3 * name.weight)
    for plain in PLAIN:
        ways.setdefault(plain, 0.12)
    for text, weight in ways.items():
        if "\n" not in text and len(text) <= 80:
            yield text, weight


PLAIN = ("return", "return []", "return False", "return True", "return ''", "return 0")


def _is_in_loop(site: Site) -> bool:
    for up in site.source.ancestors(site.node):
        if isinstance(up, (ast.For, ast.While)):
            return True
        if isinstance(up, FUNCTIONS):
            return False
    return False


COMMON = ("ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "LookupError",
          "OSError", "StopIteration", "RuntimeError", "ZeroDivisionError", "UnicodeError",
          "OverflowError", "NotImplementedError", "Exception")  # fmt: skip


def exceptions(site: Site) -> list[str]:
    mine = [
        node.name
        for node in site.source.nodes
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Error", "Exception"))
    ]
    used = [
        site.text(node)
        for node in site.source.nodes
        if isinstance(node, (ast.Name, ast.Attribute))
        and path_of(node)[-1:]
        and path_of(node)[-1].endswith(("Error", "Exception"))
    ]
    return list(dict.fromkeys([*mine, *used, *COMMON]))[:40]
