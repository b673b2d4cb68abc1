"""
Operators on comparisons and conditions: turned, widened, narrowed, negated.
"""

from __future__ import annotations

import ast
from typing import Iterator

from .binding import ATOM, precedence
from .names import path_of
from .places import bound_text, is_condition
from .site import Change, Site

COMPARISONS: dict[type, tuple[str, tuple[tuple[str, float], ...]]] = {
    ast.Lt: ("<", (("<=", 1.0), (">", 0.6), (">=", 0.4), ("!=", 0.3), ("==", 0.2))),
    ast.LtE: ("<=", (("<", 1.0), (">=", 0.6), (">", 0.4), ("==", 0.3))),
    ast.Gt: (">", ((">=", 1.0), ("<", 0.6), ("<=", 0.4), ("!=", 0.3), ("==", 0.2))),
    ast.GtE: (">=", ((">", 1.0), ("<=", 0.6), ("<", 0.4), ("==", 0.3))),
    ast.Eq: (
        "==",
        (("!=", 1.0), ("<=", 0.5), (">=", 0.5), ("is", 0.3), ("in", 0.4), ("<", 0.3), (">", 0.3)),
    ),
    ast.NotEq: ("!=", (("==", 1.0), ("<", 0.4), (">", 0.4), ("is not", 0.3), ("not in", 0.3))),
    ast.Is: ("is", (("is not", 1.0), ("==", 0.6))),
    ast.IsNot: ("is not", (("is", 1.0), ("!=", 0.6))),
    ast.In: ("in", (("not in", 1.0), ("==", 0.5))),
    ast.NotIn: ("not in", (("in", 1.0), ("!=", 0.4))),
}


def comparison(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            old, others = COMPARISONS[type(operator)]
            for new, weight in others:
                found = site.operator_between(operands[place], operands[place + 1], old, new)
                if found:
                    yield Change((found,), weight)


def bound(site: Site) -> Iterator[Change]:
    """Operator and number of a comparison at once: ``x == 0`` that should be ``x <= 1``."""
    node = site.node
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    right = node.comparators[0]
    if not isinstance(right, ast.Constant) or type(right.value) is not int:
        return
    old = COMPARISONS[type(node.ops[0])][0]
    for new in ("<=", ">=", "<", ">", "==", "!="):
        found = site.operator_between(node.left, right, old, new)
        for number in (right.value + 1, right.value - 1):
            if found and new != old:
                yield Change((found, (*site.source.span(right), str(number))), 0.5)


def logic(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        found = [
            site.operator_between(one, other, old, new)
            for one, other in zip(node.values, node.values[1:])
        ]
        for place in found:
            if place:
                yield Change((place,), 0.7)
        for skipped in node.values if len(node.values) > 2 else ():
            kept = [site.text(value) for value in node.values if value is not skipped]
            yield site.instead(f" {old} ".join(kept), precedence(node), 0.8)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield site.instead(site.text(node.operand), precedence(node.operand))
    if is_condition(site):
        yield site.instead(f"not {site.tight(node, 6)}", 5, 0.7)


def condition(site: Site) -> Iterator[Change]:
    """A condition narrowed, widened or exchanged for another that stands in reach."""
    node = site.node
    if not is_condition(site) or isinstance(site.parent, ast.Assert):
        return
    mine = site.text()
    if "\n" in mine:
        return
    for text in site.scope.conditions:
        if text.text == mine:
            continue
        yield site.put(text, 0.4)
        if isinstance(site.parent, ast.BoolOp):
            continue
        loose, tight = bound_text(text, 4), bound_text(text, 5)
        yield site.instead(f"{site.tight(node, 4)} or {loose}", 3, text.weight * 0.6)
        yield site.instead(f"{site.tight(node, 5)} and {tight}", 4, text.weight * 0.7)
        yield site.instead(f"{tight} and {site.tight(node, 5)}", 4, text.weight * 0.3)
        yield site.instead(f"{loose} or {site.tight(node, 4)}", 3, text.weight * 0.3)
        if not text.text.startswith("not "):
            yield site.instead(
                f"{site.tight(node, 5)} and not {bound_text(text, 6)}", 4, text.weight * 0.4
            )
    yield site.instead("True", ATOM, 0.05)
    yield site.instead("False", ATOM, 0.05)


def types_widened(site: Site) -> Iterator[Change]:
    """``isinstance(x, A)`` asked of more types, or of others: the file's and the built in."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 2:
        return
    if node.func.id not in ("isinstance", "issubclass"):
        return
    asked = node.args[1]
    now = [site.text(part) for part in (asked.elts if isinstance(asked, ast.Tuple) else [asked])]
    for kind, weight in _kinds_in(site):
        if kind in now:
            continue
        yield site.at(asked).instead(f"({', '.join([*now, kind])})", ATOM, weight)
        yield site.at(asked).instead(kind, ATOM, weight * 0.5)


def _kinds_in(site: Site) -> Iterator[tuple[str, float]]:
    found: dict[str, float] = {}
    for call in site.source.nodes:
        if (
            isinstance(call, ast.Call)
            and path_of(call.func) == ("isinstance",)
            and len(call.args) == 2
        ):
            second = call.args[1]
            for part in second.elts if isinstance(second, ast.Tuple) else [second]:
                found.setdefault(site.text(part), 1.0)
    for kind in (
        "str",
        "int",
        "float",
        "list",
        "tuple",
        "dict",
        "set",
        "bytes",
        "bool",
        "type(None)",
    ):
        found.setdefault(kind, 0.4)
    yield from found.items()


def both_sides(site: Site) -> Iterator[Change]:
    """The same call around both sides of a comparison."""
    node = site.node
    if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
        return
    sides = (node.left, node.comparators[0])
    for call in ("set({})", "sorted({})", "len({})", "str({})", "list({})", "abs({})"):
        yield Change(tuple((*site.source.span(s), call.format(site.text(s))) for s in sides), 0.5)
    for call in ("{}.lower()", "{}.strip()"):
        yield Change(
            tuple((*site.source.span(s), call.format(site.tight(s, ATOM))) for s in sides), 0.4
        )
