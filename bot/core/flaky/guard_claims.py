"""
Claims: what a test asserts, where it stands, and what must be true for it to be reached.

A claim is one assertion (a conjunct of an ``assert``, a call of ``assert…``, an expected
exception). It is found through the helpers and fixtures of its own file that a test runs without
condition, so that moving it there changes nothing.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bot.core.flaky.guard_parts import Function, last_name

EXPECTING = frozenset(
    [
        "raises",
        "warns",
        "assertRaises",
        "assertRaisesRegex",
        "assertWarns",
        "assertWarnsRegex",
        "assertLogs",
        "assertNoLogs",
        "deprecated_call",
    ]
)
PLAIN = frozenset(
    {
        "TemporaryDirectory",
        "catch_warnings",
        "chdir",
        "context",
        "dict",
        "freeze_time",
        "open",
        "override_settings",
        "redirect_stderr",
        "redirect_stdout",
        "travel",
    }
)
"""Around an assertion these swallow nothing; of any other nobody knows."""
DEEPEST = 3
Under: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """``under``: the conditions, loops and handlers around it, outermost first."""

    node: ast.expr
    under: Under
    line: int
    size: int = 0  # statements of the block in which an exception is expected
    function: Function | None = None  # in which it is written

    @property
    def text(self) -> str:
        return ast.dump(self.node)


def claims(function: Function, others: Mapping[str, Function], *, depth: int = 0) -> list[Claim]:
    """Of a test, its helpers and fixtures included."""
    found = list(_in(function.body, (), function))
    if depth == DEEPEST:
        return found
    for name, under in helped(function):
        helper = others.get(name) or others.get(name.rpartition("::")[2])
        if helper is not None and helper is not function:
            more = claims(helper, others, depth=depth + 1)
            found += [Claim(c.node, (*under, *c.under), c.line, c.size, c.function) for c in more]
    return found


def _in(body: list[ast.stmt], under: Under, function: Function) -> Iterator[Claim]:
    for node in body:
        for claimed, size in _of_statement(node):
            yield Claim(claimed, under, node.lineno, size, function)
        for part, more in parts(node):
            yield from _in(part, (*under, *more), function)


def _of_statement(node: ast.stmt) -> Iterator[tuple[ast.expr, int]]:
    match node:
        case ast.Assert(test=test):
            yield from ((part, 0) for part in _conjuncts(test))
        case ast.Expr(value=ast.Call() as call) if _asserts(call):
            yield call, 0
        case ast.Raise(exc=exc) if exc is not None and last_name(exc) == "AssertionError":
            yield exc, 0
        case ast.With(items=items) | ast.AsyncWith(items=items):
            size = sum(isinstance(n, ast.stmt) for s in node.body for n in ast.walk(s))
            expected = (item.context_expr for item in items)
            yield from ((one, size) for one in expected if last_name(one) in EXPECTING)
        case _:
            pass


def parts(node: ast.stmt) -> Iterator[tuple[list[ast.stmt], Under]]:
    """The blocks of a statement, each with what must be true for it to run. None of a function's:
    it runs when it is called."""
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield body, (f"if {ast.dump(test)}",)
            yield orelse, (f"if not {ast.dump(test)}",)
        case ast.For() | ast.AsyncFor():
            yield node.body, (f"for {ast.dump(node.target)} in {ast.dump(node.iter)}",)
            yield node.orelse, ("for else",)
        case ast.While(test=test, body=body, orelse=orelse):
            yield body, (f"while {ast.dump(test)}",)
            yield orelse, ("while else",)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            contexts = [item.context_expr for item in items]
            around = [one for one in contexts if last_name(one) not in PLAIN]
            yield body, tuple(f"with {ast.dump(one)}" for one in around)
        case ast.Try() | ast.TryStar():
            yield from _tried(node)
        case ast.Match(subject=subject, cases=cases):
            for case in cases:
                yield case.body, (f"match {ast.dump(subject)} {ast.dump(case.pattern)}",)
        case _:
            pass


def _tried(node: ast.Try | ast.TryStar) -> Iterator[tuple[list[ast.stmt], Under]]:
    caught = tuple(f"except {ast.dump(h.type) if h.type else ''}" for h in node.handlers)
    yield node.body, tuple(f"try {one}" for one in caught)
    for handler, one in zip(node.handlers, caught, strict=True):
        yield handler.body, (one,)
    yield node.orelse, ("try else",) if caught else ()
    yield node.finalbody, ()


def _conjuncts(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conjuncts(value)]
    return [test]


def _asserts(call: ast.Call) -> bool:
    return last_name(call.func).startswith(("assert", "fail"))


def helped(function: Function) -> Iterator[tuple[str, Under]]:
    """Names of what it runs, and under what; and of the fixtures that it asks for."""
    for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
        yield arg.arg, ()

    def visit(body: list[ast.stmt], under: Under) -> Iterator[tuple[str, Under]]:
        for node in body:
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call):
                yield last_name(value.func), under
            for part, more in parts(node):
                yield from visit(part, (*under, *more))

    yield from visit(function.body, ())


def bindings(body: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Name -> the values that are bound to it here, functions within left out."""
    found: dict[str, list[ast.expr]] = {}
    for node in statements(body):
        for target, value in (*_assigned(node), *_walruses(node)):
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found.setdefault(name.id, []).append(value)
    return found


def _assigned(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield target, value
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    yield item.optional_vars, item.context_expr
        case _:
            pass


def _walruses(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Of the statement itself; those of the blocks in it are met there."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            named = (one for one in ast.walk(part) if isinstance(one, ast.NamedExpr))
            yield from ((one.target, one.value) for one in named)


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All of a block and of the blocks in it, not of functions and classes."""
    for node in body:
        yield node
        for part, _ in parts(node):
            yield from statements(part)


def inlined(node: ast.expr, body: list[ast.stmt]) -> ast.expr:
    """With every name that is assigned once, plainly, replaced by what it stands for."""
    once = {name: values[0] for name, values in bindings(body).items() if len(values) == 1}
    plain = {
        target.id: statement.value
        for statement in statements(body)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id in once
    }
    for _ in range(DEEPEST):
        node = _Inline(plain).visit(ast.parse(ast.unparse(node), mode="eval").body)
    return node


class _Inline(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:  # as ast names it
        return self._values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def leaving(body: list[ast.stmt]) -> Counter[str]:
    """Statements that leave a block early, by kind."""
    kinds = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    return Counter(type(n).__name__.lower() for n in statements(body) if isinstance(n, kinds))
