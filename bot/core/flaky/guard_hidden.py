"""
Ways around the words of a guard: the inside of Python and of pytest, and waits under other names.

What is counted here has no use in a test that says what it means. Only what there is more of than
there was is refused.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from bot.core.flaky.guard_parts import Refusal, Rule, last_name

INSIDE = frozenset(
    [
        "__builtins__",
        "__class__",
        "__closure__",
        "__code__",
        "__defaults__",
        "__dict__",
        "__getattribute__",
        "__globals__",
        "__kwdefaults__",
        "__setattr__",
        "__wrapped__",
    ]
)
MEANING = frozenset(["__bool__", "__contains__", "__eq__", "__exit__", "__len__", "__ne__"])
OF_PYTEST = frozenset(
    [
        "_pyfuncitem",
        "applymarker",
        "config",
        "function",
        "instance",
        "node",
        "raiseerror",
        "session",
    ]
)
FRESH = frozenset(
    [
        "Barrier",
        "Condition",
        "Event",
        "Future",
        "Lock",
        "Queue",
        "Semaphore",
        "SimpleQueue",
        "Timer",
    ]
)
WAITS = frozenset(["acquire", "get", "join", "result", "wait"])
NOTICED = (
    ast.AnnAssign,
    ast.Assert,
    ast.Assign,
    ast.Attribute,
    ast.Await,
    ast.Call,
    ast.Raise,
    ast.Return,
    ast.Subscript,
    ast.Yield,
    ast.YieldFrom,
)
STILL = re.compile(r"\bsleep\b")
PUTTING = frozenset(["__setitem__", "setdefault", "update"])
Seen = tuple[Rule, str]


def hidden(before: ast.Module, after: ast.Module, *, path: str) -> Iterator[Refusal]:
    more = Counter(seen for seen, _ in _counted(after)) - Counter(s for s, _ in _counted(before))
    for (rule, what), line in _counted(after):
        if more[rule, what] > 0:
            more[rule, what] -= 1
            yield Refusal(rule=rule, path=path, line=line, what=what)


def _counted(tree: ast.Module) -> list[tuple[Seen, int]]:
    fresh = _fresh_names(tree)
    return [
        (seen, getattr(node, "lineno", 0))
        for node in ast.walk(tree)
        for seen in (*_reached(node), *_waited(node, fresh))
    ]


def _reached(node: ast.AST) -> Iterator[Seen]:
    match node:
        case ast.Attribute(attr=name) if name in INSIDE:
            yield Rule.HIDDEN, f"reaches for {name}, by which anything can be made to mean anything"
        case ast.Attribute(value=ast.Name(id="request"), attr=name) if name in OF_PYTEST:
            yield Rule.HIDDEN, f"reaches for request.{name}, which is pytest's own"
        case ast.Constant(value=str(name)) if name in MEANING:
            yield Rule.HIDDEN, f"names {name!r} by a text: a comparison may mean something else"
        case ast.Subscript(value=held, ctx=ast.Store() | ast.Del()) if _is_modules(held):
            yield Rule.MOCK, "puts something into sys.modules, in the place of what is tested"
        case ast.Call(func=ast.Attribute(value=held, attr=name)) if name in PUTTING and _is_modules(
            held
        ):
            yield Rule.MOCK, "puts something into sys.modules, in the place of what is tested"
        case _:
            pass


def _is_modules(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "modules"


def _waited(node: ast.AST, fresh: frozenset[str]) -> Iterator[Seen]:
    match node:
        case ast.For() | ast.While() if not _does_something(node):
            yield Rule.SLEEP, "a loop that does nothing: a sleep by another name"
        case ast.Call(func=ast.Attribute(value=held, attr=name)) if name in WAITS:
            is_fresh = isinstance(held, ast.Name) and held.id in fresh
            is_told = name == "wait" and last_name(held) in {"Event", "Condition"}
            is_made = isinstance(held, ast.Call) and last_name(held) in FRESH and not is_told
            if is_fresh or is_made:
                what = f"{name}() on what nobody else knows: a sleep by another name"
                yield Rule.SLEEP, what
        case _:
            pass
    if isinstance(node, ast.Call) and any(
        isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and STILL.search(part.value)
        and part.value != "sleep"  # told by its own rule
        for arg in node.args
        for part in ast.walk(arg)
    ):
        yield Rule.SLEEP, "tells another program to sleep"


def _does_something(loop: ast.For | ast.While) -> bool:
    """Anything that another part of the program could notice."""
    parts: list[ast.AST] = [*loop.body, *loop.orelse]
    parts += [loop.test] if isinstance(loop, ast.While) else []
    return any(isinstance(node, NOTICED) for part in parts for node in ast.walk(part))


def _fresh_names(tree: ast.Module) -> frozenset[str]:
    """What was made here and is used once, by whoever waits for it."""
    used = Counter(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    return frozenset(
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_name(node.value.func) in FRESH
        for target in node.targets
        if isinstance(target, ast.Name) and used[target.id] == 1
    )
