"""
Operators on sequences: what is indexed, sliced, listed.
"""

from __future__ import annotations

import ast
from typing import Iterator

from .binding import ATOM
from .places import is_value
from .site import Change, Site


def subscript(site: Site) -> Iterator[Change]:
    """Slices begun, ended or taken; a look-up that may fail made one that may not."""
    node = site.node
    if isinstance(node, ast.Subscript):
        yield from _indexed(site, node)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
    ):
        if len(node.args) >= 1:
            owner = site.text(node.func.value)
            yield site.instead(f"{owner}[{site.text(node.args[0])}]", ATOM, 0.6)
    if is_value(site) and isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        kinds = site.scope.kinds_of(node)
        if not kinds or kinds & {"str", "list", "tuple", "bytes", "deque"}:
            factor = 1.0 if kinds else 0.4
            text = site.text()
            for part, weight in _SLICES:
                yield site.instead(f"{text}{part}", ATOM, weight * factor)
            for text_ in site.scope.names[:16]:
                if site.scope.kinds(text_.text) & {"int"}:
                    yield site.instead(f"{text}[{text_.text}:]", ATOM, 0.4 * factor)
                    yield site.instead(f"{text}[:{text_.text}]", ATOM, 0.4 * factor)
                    yield site.instead(f"{text}[{text_.text}]", ATOM, 0.3 * factor)


_SLICES = (
    ("[1:]", 0.8),
    ("[:-1]", 0.8),
    ("[:]", 0.7),
    ("[::-1]", 0.6),
    ("[0]", 0.5),
    ("[-1]", 0.5),
    ("[1]", 0.2),
)


def _indexed(site: Site, node: ast.Subscript) -> Iterator[Change]:
    inner = _index(node)
    owner = site.tight(node.value, ATOM)
    if isinstance(inner, ast.Slice):
        yield from _sliced(site, inner, owner)
    elif isinstance(inner, ast.Tuple):
        parts = [site.text(element) for element in inner.elts]
        if len(parts) == 2:
            yield site.instead(f"{owner}[{parts[1]}, {parts[0]}]", ATOM, 1.0)
    elif isinstance(node.ctx, ast.Load) and inner is not None:
        text = site.text(inner)
        yield site.instead(f"{owner}.get({text})", ATOM, 0.5)
        yield site.instead(f"{owner}.get({text}, 0)", ATOM, 0.3)
        yield site.instead(f"{owner}[{text}:]", ATOM, 0.3)
        yield site.instead(f"{owner}[:{text}]", ATOM, 0.3)
        yield site.instead(f"{owner}[-{site.tight(inner, 13)}]", ATOM, 0.3)


def _index(node: ast.Subscript) -> ast.AST | None:
    inner: ast.AST = node.slice
    return inner.value if type(inner).__name__ == "Index" else inner  # type: ignore[attr-defined]  # 3.8


def _sliced(site: Site, inner: ast.Slice, owner: str) -> Iterator[Change]:
    low, high, step = (site.text(p) if p else "" for p in (inner.lower, inner.upper, inner.step))
    tail = f":{step}" if step else ""
    options: list[tuple[str, str, float]] = []
    if low:
        options += [
            (low + " + 1", high, 0.8),
            (low + " - 1", high, 0.6),
            ("", high, 0.6),
            (f"-{low}", high, 0.2),
        ]
    else:
        options += [("1", high, 0.6)]
    if high:
        options += [
            (low, high + " + 1", 0.8),
            (low, high + " - 1", 0.6),
            (low, "", 0.6),
            (low, f"-{high}", 0.2),
        ]
    else:
        options += [(low, "-1", 0.5)]
    if low and high:
        options.append((high, low, 0.3))
    for text in site.scope.names[:20]:
        if site.scope.kinds(text.text) & {"int"} or not site.scope.types:
            options += (
                [(text.text, high, 0.4), (low, text.text, 0.4)]
                if text.text not in (low, high)
                else []
            )
    for one, other, weight in options:
        yield site.instead(f"{owner}[{one}:{other}{tail}]", ATOM, weight)
    if not step:
        yield site.instead(f"{owner}[{low}:{high}:-1]", ATOM, 0.2)


def sequence(site: Site) -> Iterator[Change]:
    """Elements of a display left out, added, exchanged; an empty one given its first element."""
    node = site.node
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)) or not is_value(site):
        return
    spans = [site.source.span(element) for element in node.elts]
    if isinstance(node, ast.List) and not node.elts:
        yield site.instead("[[]]", ATOM, 1.0)
        yield site.instead("['']", ATOM, 0.3)
        for text in site.scope.names[:20]:
            yield site.instead(f"[{text.text}]", ATOM, 0.8 * text.weight)
        return
    if len(spans) > 40:
        return
    for place, (start, end) in enumerate(spans[: 40 if len(spans) > 1 else 0]):
        cut = (
            (start, spans[place + 1].start, "")
            if place + 1 < len(spans)
            else (spans[place - 1].end, end, "")
        )
        yield Change((cut,), 0.5)
    for place in range(len(spans) - 1):
        one, other = spans[place], spans[place + 1]
        yield Change(
            (
                (one.start, one.end, site.text(node.elts[place + 1])),
                (other.start, other.end, site.text(node.elts[place])),
            ),
            0.5,
        )
    if spans:
        for text in site.scope.names[:20]:
            yield Change(((spans[-1].end, spans[-1].end, f", {text.text}"),), 0.3 * text.weight)
            yield Change(((spans[0].start, spans[0].start, f"{text.text}, "),), 0.15 * text.weight)
