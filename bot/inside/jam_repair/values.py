"""
Operators on what a value is: one more or less, another constant, another name, something added.
"""

from __future__ import annotations

import ast
from typing import Iterator

from .binding import ATOM, Text, precedence
from .names import similar
from .places import CONTAINERS, bound_text, is_value
from .scope import NUMBERS
from .site import Change, Site

ARITHMETIC: dict[type, tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-", "*", "|")),
    ast.Sub: ("-", ("+", "*")),
    ast.Mult: ("*", ("/", "+", "**", "//")),
    ast.Div: ("/", ("//", "*", "%")),
    ast.FloorDiv: ("//", ("/", "%", "*")),
    ast.Mod: ("%", ("//", "/", "*")),
    ast.Pow: ("**", ("*", "//")),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|", "^")),
    ast.BitOr: ("|", ("&", "^")),
    ast.BitXor: ("^", ("&", "|")),
}


def arithmetic(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        old, others = ARITHMETIC[type(node.op)]
        for place, new in enumerate(others):
            found = site.operator_between(node.left, node.right, old, new)
            if found:
                yield Change((found,), 1.0 / (1 + place))
        yield site.instead(
            f"{site.tight(node.right, 13)} {old} {site.tight(node.left, 13)}", precedence(node), 0.3
        )


def off_by_one(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.Constant) or not is_value(site) or not site.scope.may_be_number(node):
        return
    if isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda, ast.JoinedStr, *CONTAINERS)):
        return
    known = bool(site.scope.kinds_of(node) & NUMBERS)
    weight = 1.0 if known or isinstance(node, ast.BinOp) else 0.3
    if isinstance(site.parent, (ast.Compare, ast.Slice, ast.Subscript)) or _in_range(site):
        weight *= 2
    text = site.tight(node, 11)
    yield site.instead(f"{text} + 1", 11, weight)
    yield site.instead(f"{text} - 1", 11, weight)


def _in_range(site: Site) -> bool:
    return (
        isinstance(site.parent, ast.Call)
        and isinstance(site.parent.func, ast.Name)
        and site.parent.func.id == "range"
    )


def constant(site: Site) -> Iterator[Change]:
    node = site.node
    if not isinstance(node, ast.Constant) or isinstance(site.parent, (ast.Expr, ast.JoinedStr)):
        return
    value = node.value
    if isinstance(value, bool):
        yield site.instead(str(not value))
        yield site.instead("None", weight=0.3)
    elif isinstance(value, int):
        yield from _numbers(site, value)
    elif isinstance(value, float):
        for other in (str(int(value)) if value == int(value) else "", f"-{value}", "0.0", "1.0"):
            if other and other != site.text():
                yield site.instead(other, 13, 0.5)
    elif value is None:
        for other, weight in (
            ("0", 0.5),
            ("''", 0.5),
            ("[]", 0.5),
            ("{}", 0.4),
            ("False", 0.6),
            ("True", 0.4),
            ("()", 0.3),
        ):
            yield site.instead(other, weight=weight)
    elif isinstance(value, str):
        yield site.instead("None", weight=0.15)
    for text in site.scope.constants:
        if text.text != site.text():
            same = _kind_of_literal(text.text) == type(value).__name__
            yield site.put(text, 0.6 if same else 0.05)


def _numbers(site: Site, value: int) -> Iterator[Change]:
    likely = [value + 1, value - 1, -value, 0, 1, 2, value * 2, value // 2, value * 10, value // 10]
    for place, other in enumerate(dict.fromkeys(likely)):
        if other != value:
            text = str(other)
            if isinstance(site.parent, ast.UnaryOp) and other < 0:
                continue
            yield site.instead(text, 13 if other < 0 else ATOM, 1.0 / (1 + place / 2))
    if value in (0, 1):
        yield site.instead("False" if value == 0 else "True", weight=0.2)
        yield site.instead("None", weight=0.2)


def _kind_of_literal(text: str) -> str:
    try:
        return type(ast.literal_eval(text)).__name__
    except (ValueError, SyntaxError):
        return ""


def name(site: Site) -> Iterator[Change]:
    """Another variable in its place."""
    node = site.node
    if not isinstance(node, (ast.Name, ast.Attribute)) or not _is_readable(site):
        return
    mine = site.text()
    kinds = site.scope.kinds_of(node)
    for text in site.scope.names:
        if text.text != mine and text.text != "self":
            alike = site.scope.likeness(text.text, kinds) if isinstance(node, ast.Name) else 0.4
            bonus = 1.0 + similar(text.text, mine) + (text.text in site.scope.unread)
            yield site.put(text, alike * bonus)


def _is_readable(site: Site) -> bool:
    node, parent = site.node, site.parent
    if not isinstance(getattr(node, "ctx", None), ast.Load):
        return False
    if isinstance(parent, ast.Call) and node is parent.func:
        return False
    return not (isinstance(parent, ast.FormattedValue) and isinstance(node, ast.Attribute))


def pool(site: Site) -> Iterator[Change]:
    """Another expression of the same function in its place."""
    if not is_value(site) or isinstance(site.parent, ast.Attribute):
        return
    mine = site.text()
    for text in site.scope.pool:
        if text.text != mine:
            yield site.put(text)
    if not isinstance(site.node, ast.Name):
        for text in site.scope.names:
            if text.text != mine:
                yield site.put(text, 0.6)


def extend(site: Site) -> Iterator[Change]:
    """Something more: an operand, a fallback, a bound."""
    node = site.node
    if not is_value(site) or isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda)):
        return
    kinds = site.scope.kinds_of(node)
    left = site.tight(node, 11)
    for text in site.scope.names[:24]:
        alike = site.scope.likeness(text.text, kinds) * text.weight
        if text.text == left or text.text == "self" or alike < 0.1:
            continue
        yield site.instead(f"{left} + {text.text}", 11, alike)
        if kinds & NUMBERS or not kinds:
            yield site.instead(f"{left} - {text.text}", 11, alike)
            yield site.instead(f"{left} * {text.text}", 11, alike * 0.4)
        if kinds & {"list", "str"} or not kinds:
            yield site.instead(f"{text.text} + {left}", 11, alike * 0.6)
            yield site.instead(f"{left} + [{text.text}]", 11, 0.3 * text.weight)
        yield site.instead(f"max({left}, {text.text})", ATOM, alike * 0.4)
        yield site.instead(f"min({left}, {text.text})", ATOM, alike * 0.4)
    for text in site.scope.pool[:24]:
        if isinstance(node, ast.Name) and text.text != left:
            bound = text.text if text.precedence >= 12 else f"({text.text})"
            yield site.instead(f"{left} + {bound}", 11, 0.2 * text.weight)
    if kinds & {"NoneType"} or not kinds:
        for other in ("''", "[]", "{}", "0"):
            yield site.instead(f"{site.tight(node, 4)} or {other}", 3, 0.3)


def alternative(site: Site) -> Iterator[Change]:
    """``x`` only under a condition, else a plain value."""
    node = site.node
    if not isinstance(site.parent, (ast.Return, ast.Assign, ast.keyword, ast.Call)) or not is_value(
        site
    ):
        return
    text = site.tight(node, 3)
    others = [Text("None", weight=0.6), Text("''", weight=0.2), *site.scope.names[:8]]
    for asked in site.scope.conditions[:16]:
        for other in others:
            if other.text != text:
                weight = 0.3 * asked.weight * other.weight
                yield site.instead(f"{text} if {bound_text(asked, 3)} else {other.text}", 2, weight)


def accumulate(site: Site) -> Iterator[Change]:
    """``x = e`` that should not forget what ``x`` was."""
    statement = site.parent
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, text = site.text(statement.targets[0]), site.text()
    kinds = site.scope.kinds_of(statement.targets[0])
    if kinds & NUMBERS or not kinds:
        yield site.instead(f"max({target}, {text})", ATOM, 1.0)
        yield site.instead(f"min({target}, {text})", ATOM, 0.7)
    yield site.instead(f"{target} + {site.tight(site.node, 12)}", 11, 0.6)
    yield site.instead(f"{target} or {site.tight(site.node, 4)}", 3, 0.3)
    yield site.instead(f"{target} and {site.tight(site.node, 5)}", 4, 0.2)
