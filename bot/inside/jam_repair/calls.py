"""
Operators on calls: another function, other arguments, a call left out or put around.
"""

from __future__ import annotations

import ast
from typing import Iterator

from .binding import ATOM, precedence
from .names import path_of, similar
from .places import is_value
from .scope import NUMBERS
from .site import Change, Site

SIBLINGS: tuple[tuple[str, ...], ...] = (
    ("min", "max"), ("any", "all"), ("sorted", "reversed", "list"), ("int", "float", "round"),
    ("list", "tuple", "set", "frozenset"), ("str", "repr"), ("ceil", "floor", "trunc"),
    ("isinstance", "issubclass"), ("sum", "len", "max"), ("range", "reversed"),
    ("deepcopy", "copy"),
    ("append", "extend", "insert", "appendleft", "add"),
    ("pop", "popleft", "remove", "discard"),
    ("lower", "upper", "casefold", "title", "capitalize"), ("strip", "lstrip", "rstrip"),
    ("startswith", "endswith"), ("find", "rfind", "index", "rindex"),
    ("split", "rsplit", "splitlines"),
    ("partition", "rpartition"), ("keys", "values", "items"), ("get", "pop", "setdefault"),
    ("update", "add", "setdefault"), ("match", "search", "fullmatch"), ("ljust", "rjust", "center"),
    ("isdigit", "isnumeric", "isdecimal", "isalnum", "isalpha"), ("encode", "decode"),
    ("union", "intersection", "difference", "symmetric_difference"), ("islower", "isupper"),
    ("removeprefix", "lstrip", "strip"), ("removesuffix", "rstrip", "strip"), ("first", "last"),
    ("getattr", "hasattr"), ("filter", "map"), ("iter", "list"), ("now", "utcnow"),
)  # fmt: skip


def function(site: Site) -> Iterator[Change]:
    """A sibling function or method in the place of the one called or passed on."""
    node = site.node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for group in SIBLINGS:
            if node.id in group:
                for other in group:
                    if other != node.id:
                        yield site.instead(other, weight=1.0)
    elif isinstance(node, ast.Attribute):
        end = site.source.span(node).end
        start = end - len(node.attr)
        called = isinstance(site.parent, ast.Call) and node is site.parent.func
        for group in SIBLINGS:
            if called and node.attr in group:
                for other in group:
                    if other != node.attr:
                        yield Change(((start, end, other),), 1.0)
        if path_of(node)[:1] in (("self",), ("cls",)) or not called:
            for other in site.scope.attributes:
                if other != node.attr:
                    yield Change(((start, end, other),), 0.1 + similar(other, node.attr))


def arguments(site: Site) -> Iterator[Change]:
    """Two arguments exchanged, one left out, one more passed on."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    spans = [site.source.span(argument) for argument in given]
    for left in range(len(node.args)):
        for right in range(left + 1, len(node.args)):
            one, other = spans[left], spans[right]
            yield Change(
                (
                    (one.start, one.end, site.text(given[right])),
                    (other.start, other.end, site.text(given[left])),
                ),
                1.0 / (right - left),
            )
    yield from _fewer_arguments(site, node)
    yield from _more_arguments(site, node)


def _fewer_arguments(site: Site, node: ast.Call) -> Iterator[Change]:
    starts = _argument_spans(site, node)
    for place, (start, end) in enumerate(starts):
        if place + 1 < len(starts):
            yield Change(((start, starts[place + 1][0], ""),), 0.5)
        else:
            yield Change(((starts[place - 1][1] if place else start, end, ""),), 0.5)


def _argument_spans(site: Site, node: ast.Call) -> list[tuple[int, int]]:
    spans = [tuple(site.source.span(argument)) for argument in node.args]
    for keyword in node.keywords:
        start, end = site.source.span(keyword.value)
        name_at = site.source.text.rfind(keyword.arg or "**", 0, start)
        spans.append((name_at, end))
    return sorted((span[0], span[1]) for span in spans)


def _more_arguments(site: Site, node: ast.Call) -> Iterator[Change]:
    """Any name in reach, by position or as a keyword of its own name."""
    spans = _argument_spans(site, node)
    end = spans[-1][1] if spans else site.source.span(node).end - 1
    given = {keyword.arg for keyword in node.keywords}
    comma = ", " if spans else ""
    for text in site.scope.names:
        if text.text == "self":
            continue
        yield Change(((end, end, f"{comma}{text.text}"),), 0.3 * text.weight)
        last = text.text.rsplit(".", 1)[-1].lstrip("_")
        if last not in given and last.isidentifier():
            yield Change(((end, end, f"{comma}{last}={text.text}"),), 0.3 * text.weight)
    for text in site.scope.constants[:8]:
        yield Change(((end, end, f"{comma}{text.text}"),), 0.15)
    for other in _calls_alike(site, node):
        for keyword in other.keywords:
            if keyword.arg and keyword.arg not in given:
                said = f"{comma}{keyword.arg}={site.text(keyword.value)}"
                yield Change(((end, end, said),), 0.6)


def _calls_alike(site: Site, node: ast.Call) -> Iterator[ast.Call]:
    called = path_of(node.func)[-1:]
    for other in site.source.nodes:
        if isinstance(other, ast.Call) and other is not node and path_of(other.func)[-1:] == called:
            yield other


def unwrap(site: Site) -> Iterator[Change]:
    """A part in the place of the whole."""
    node = site.node
    if isinstance(site.parent, ast.Expr) and not isinstance(node, ast.Await):
        return  # a statement without an effect is a deletion in disguise
    for part, weight in _parts(node):
        # Leaving out a call, or a guard, is how weak tests are satisfied: it waits a little.
        yield site.instead(site.text(part), precedence(part), weight)


def _parts(node: ast.AST) -> Iterator[tuple[ast.expr, float]]:
    if isinstance(node, ast.BinOp):
        yield node.left, 0.7
        yield node.right, 0.7
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        yield node.values[0], 0.8
        yield node.values[1], 0.8
    elif isinstance(node, ast.Call):
        for argument in node.args[:3]:
            if not isinstance(argument, ast.Starred):
                yield argument, 0.7
        if isinstance(node.func, ast.Attribute):
            yield node.func.value, 0.7
    elif isinstance(node, ast.IfExp):
        yield node.body, 0.5
        yield node.orelse, 0.5
    elif isinstance(node, (ast.Subscript, ast.Attribute)):
        yield node.value, 0.4
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        yield node.operand, 0.8
    elif isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == 1:
        yield node.elts[0], 0.4


_ANY_LIST = {"list", "tuple", "set", "dict", "generator", "dict_keys", "map", "filter", "zip"}


_WRAPS: tuple[tuple[str, set, float], ...] = (  # type: ignore[type-arg]  # sets of type names
    ("str({})", set(), 0.6),
    ("int({})", {"float", "str", "bool"}, 0.7),
    ("abs({})", NUMBERS, 0.6),
    ("len({})", {"str", *_ANY_LIST}, 0.7),
    ("list({})", _ANY_LIST, 0.8),
    ("sorted({})", _ANY_LIST, 0.6),
    ("set({})", {"list", "tuple"}, 0.6),
    ("tuple({})", _ANY_LIST, 0.5),
    ("float({})", {"int", "str"}, 0.4),
    ("bool({})", set(), 0.3),
    ("round({})", {"float"}, 0.5),
    ("reversed({})", {"list", "tuple", "str"}, 0.5),
    ("dict({})", {"dict"}, 0.5),
    ("sum({})", {"list"}, 0.3),
    ("sorted(set({}))", {"list", "tuple"}, 0.2),
    ("repr({})", set(), 0.2),
    ("[{}]", set(), 0.4),
    ("({},)", set(), 0.3),
    ("iter({})", {"list"}, 0.2),
    ("any({})", {"list"}, 0.2),
    ("all({})", {"list"}, 0.2),
)


_METHODS: tuple[tuple[str, set, float], ...] = (  # type: ignore[type-arg]  # sets of type names
    ("{}.copy()", {"list", "dict", "set"}, 0.7),
    ("{}.strip()", {"str", "bytes"}, 0.5),
    ("{}.lower()", {"str"}, 0.6),
    ("{}.upper()", {"str"}, 0.3),
    ("{}.split()", {"str"}, 0.3),
    ("{}.items()", {"dict"}, 0.6),
    ("{}.keys()", {"dict"}, 0.3),
    ("{}.values()", {"dict"}, 0.5),
    ("{}.rstrip()", {"str"}, 0.3),
    ("{}.lstrip()", {"str"}, 0.3),
    ("{}.decode()", {"bytes"}, 0.4),
    ("{}.encode()", {"str"}, 0.3),
)


def wrap(site: Site) -> Iterator[Change]:
    """A call around the expression: the conversions and bounds that people forget."""
    node = site.node
    if not is_value(site) or isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda)):
        return
    if isinstance(node, ast.Constant):
        return
    kinds = site.scope.kinds_of(node)
    text = site.text()
    for call, wants, weight in _WRAPS:
        if not kinds or not wants or kinds & wants:
            yield site.instead(call.format(text), ATOM, weight * (1.0 if kinds & wants else 0.4))
    tight = site.tight(node, ATOM)
    for call, wants, weight in _METHODS:
        if kinds & wants or not kinds:
            yield site.instead(call.format(tight), ATOM, weight * (1.0 if kinds & wants else 0.3))
    if kinds & NUMBERS or not kinds:
        for other in ("0", "1"):
            yield site.instead(f"max({other}, {text})", ATOM, 0.4)
        yield site.instead(f"-{site.tight(node, 14)}", 13, 0.6)


def wrap_own(site: Site) -> Iterator[Change]:
    """A function that the file calls anyway around the expression."""
    node = site.node
    if not is_value(site) or isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda, ast.Constant)):
        return
    text = site.text()
    for name_ in site.scope.callables:
        if not text.startswith(f"{name_}("):
            yield site.instead(f"{name_}({text})", ATOM, 1.0 if "copy" in name_ else 0.4)
