"""
Where the text of a test says what it expects, and how each place is disturbed.

Two kinds of copy are made of them. *Hard*: the expectation is another, so that the test must fail
at the first one. *Soft*: the test goes on as ever, but each comparison is first tried with another
expectation, so that one that holds for anything is found wherever it stands.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.core.sensitivity.module import called_name, is_function
from bot.core.sensitivity.runtime import EQUAL
from bot.core.sensitivity.source import Edit, Function, Source

RAISES = frozenset({"raises", "warns"})
UNTOUCHED = frozenset({"assertLogs", "assertNoLogs"})
EQUALS = re.compile(r"#[^\n]*|(==)")
MANY = 8  # of a long collection only so many are others: differences are slow to be told
LITERAL = 4000  # characters; a longer one is disturbed when it runs

Literal = (
    bool | int | float | str | bytes | list[object] | tuple[object, ...] | dict[object, object]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One expectation. ``hard`` and ``soft`` are what is written for it; ``name``: the helpers'."""

    statement: ast.stmt
    hard: tuple[Edit, ...]
    soft: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """Writes disturbances into ``source``, where the runtime is bound to ``name``."""

    source: Source
    name: str

    def sites(self, function: Function, *, place: int, own: frozenset[str]) -> Iterator[Site]:
        """``own``: functions of the module, which are disturbed themselves, not where called."""
        for statement in _statements(function):
            if isinstance(statement, ast.Assert):
                yield self._of_assert(statement, place)
            elif site := self._of_calls(statement, place, own):
                yield site

    def _of_assert(self, node: ast.Assert, place: int) -> Site:
        here = self.source.put_before(node, f"{self.name}.at({place})")
        soft = [edit for equal in _equalities(node.test) for edit in self._tried(equal, place)]
        return Site(statement=node, hard=(here, *self._disturbed(node.test)), soft=tuple(soft))

    def _disturbed(self, test: ast.expr) -> tuple[Edit, ...]:
        if isinstance(test, ast.Compare) and _is_equality(test):
            return self._another(_expected(test.left, test.comparators[0])[0])
        return self._around(test, "not (", ")")

    def _another(self, node: ast.expr) -> tuple[Edit, ...]:
        """What is expected, replaced by something else of its kind."""
        value = another_literal(node)
        start, end = self.source.start(node), self.source.end(node)
        if value is not None:
            return (Edit(start, end, value),)
        return self._around(node, f"{self.name}.other(", ")")

    def _tried(self, node: ast.Compare, place: int) -> tuple[Edit, ...]:
        left, right = node.left, node.comparators[0]
        side = _expected(left, right)[1]
        start, end = self.source.end(left), self.source.start(right)
        between = self.source.text[start:end].decode(errors="replace")
        spots = [m.start(1) for m in EQUALS.finditer(between) if m.group(1)]
        if len(spots) != 1 or not between.isascii():
            return ()
        at = start + spots[0]
        opened, closed = self._around(node, f"{self.name}.same(", f", {side!r}, {place})")
        return (opened, Edit(at, at + 2, ","), closed)

    def _of_calls(self, node: ast.stmt, place: int, own: frozenset[str]) -> Site | None:
        hard: list[Edit] = []
        soft: list[Edit] = []
        for call in _calls(node):
            name = called_name(call)
            if name in own or name in UNTOUCHED:
                continue
            if name in RAISES and call.args and not isinstance(call.args[0], ast.Starred):
                never = "NeverWarning" if name == "warns" else "Never"
                start, end = self.source.start(call.args[0]), self.source.end(call.args[0])
                hard.append(Edit(start, end, f"{self.name}.{never}"))
            elif name in EQUAL and _has_two(call):
                expected, side = _expected(call.args[0], call.args[1])
                hard += self._another(expected)
                soft += self._around(call.func, f"{self.name}.trying(", f", {place}, {side!r})")
            elif name.startswith(("assert", "failUnless")):
                hard += self._around(call.func, f"{self.name}.call(", f", {place})")
        if not hard:
            return None
        here = self.source.put_before(node, f"{self.name}.at({place})")
        return Site(statement=node, hard=(here, *hard), soft=tuple(soft))

    def _around(self, node: ast.expr, before: str, after: str) -> tuple[Edit, Edit]:
        start, end = self.source.start(node), self.source.end(node)
        return Edit(start, start, before), Edit(end, end, after)


def another_literal(node: ast.expr) -> str | None:
    """Text of another value of the same kind; None where only the running program knows."""
    try:
        value = ast.literal_eval(node)
        return ascii(_another(value, 0))[:LITERAL] if len(ascii(value)) < LITERAL // 2 else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _another(value: object, depth: int) -> object:  # noqa: C901  # one case per kind
    if depth > 5:
        raise ValueError("too deep to be told in text")
    match value:
        case bool():
            return not value
        case int():
            return value + 7919
        case float() if math.isfinite(value * 3 + 7919.5):
            return value * 3 + 7919.5
        case str():
            return value + " (disturbed)"
        case bytes():
            return value + b" (disturbed)"
        case list() if value:
            return [_another(one, depth + 1) for one in value[:MANY]] + value[MANY:]
        case tuple() if value:
            return tuple(_another(one, depth + 1) for one in value[:MANY]) + value[MANY:]
        case dict() if value:
            return value | {key: _another(value[key], depth + 1) for key in list(value)[:MANY]}
        case _:
            raise ValueError("another value of its kind is made when it runs")


def _expected(left: ast.expr, right: ast.expr) -> tuple[ast.expr, str]:
    """The side that says what is expected: the one that does less."""
    return (left, "left") if _weight(left) < _weight(right) else (right, "right")


def _weight(node: ast.expr) -> int:
    kinds = {type(inner) for inner in ast.walk(node)}
    if isinstance(node, ast.Call) and called_name(node) == "approx":
        return 0
    if ast.Call in kinds or ast.Await in kinds:
        return 3
    return 2 if kinds & {ast.Name, ast.Attribute} else 1


def _has_two(call: ast.Call) -> bool:
    return len(call.args) > 1 and not any(isinstance(a, ast.Starred) for a in call.args[:2])


def _is_equality(node: ast.Compare) -> bool:
    return len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq)


def _equalities(test: ast.expr) -> Iterator[ast.Compare]:
    """The outermost ones: an edit never lies within another."""
    todo: list[ast.AST] = [test]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Compare) and _is_equality(node):
            yield node
        elif not isinstance(node, ast.JoinedStr):
            todo.extend(ast.iter_child_nodes(node))


def _calls(node: ast.stmt) -> Iterator[ast.Call]:
    """Calls that are a statement of their own, and those that a ``with`` enters."""
    match node:
        case (
            ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call))
        ):
            yield call
        case ast.Assign(value=ast.Call() as call):
            yield call
        case ast.With(items=items):
            yield from (i.context_expr for i in items if isinstance(i.context_expr, ast.Call))
        case _:
            return


def _statements(function: Function) -> Iterator[ast.stmt]:
    """Those of a function and of the functions in it, but for what expects to fail itself."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, (ast.Try, ast.ClassDef)) or _expects_failure(node):
            todo.extend(getattr(node, "finalbody", []))
        elif isinstance(node, ast.stmt) or is_function(node):
            todo.extend(c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.expr))
        elif isinstance(node, (ast.ExceptHandler, ast.match_case)):
            todo.extend(node.body)


def _expects_failure(node: ast.AST) -> bool:
    if not isinstance(node, ast.With):
        return False
    names = {
        called_name(i.context_expr) for i in node.items if isinstance(i.context_expr, ast.Call)
    }
    return any("raises" in name.lower() or name == "suppress" for name in names)
