"""
Whether a test still asks the product what it asked, and compares the answer with what it did.

A test that never calls what it tests is green for ever. Every call of something imported must
still be there, with the constants that it was given where the category does not explain new ones;
what an assertion compares may not be made of what it is compared with.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Mapping

from bot.core.flaky.finding import Category
from bot.core.flaky.guard_claims import DEEPEST, Claim, bindings, helped
from bot.core.flaky.guard_mocks import ENVIRONMENT
from bot.core.flaky.guard_parts import Function, Refusal, Rule, last_name

SHOWN = 80
FREE = frozenset(
    [
        "concurrent",
        "functools",
        "importlib",
        "itertools",
        "mock",
        "multiprocessing",
        "pytest",
        "shutil",
        "subprocess",
        "threading",
        "unittest",
    ]
)
"""Modules with which a test is built, and may be built in another way."""
WAITING = frozenset([Category.CONCURRENCY, Category.TIME, Category.RESOURCE, Category.NETWORK])
REWORDED = WAITING | {Category.RANDOM, Category.PLATFORM}
"""Where other inputs may be the mend: a port, a file, a number of draws."""
CHANGING = frozenset(
    [
        "add",
        "append",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "reverse",
        "setdefault",
        "sort",
        "update",
    ]
)
KNOWN = FREE | ENVIRONMENT | frozenset(dir(builtins))


def reach(
    before: Mapping[str, Function],
    after: Mapping[str, Function],
    *,
    imports: frozenset[str],
    path: str,
    category: Category,
) -> Iterator[Refusal]:
    for name, test in before.items():
        now = after.get(name)
        if now is None or not test.name.startswith("test"):
            continue
        asked, asks = _asked(test, before, imports), _asked(now, after, imports)
        for what in sorted(asked - asks):
            if what[1] and category in REWORDED:
                continue
            line = now.lineno
            given = f" with {what[1]}" if what[1] else ""
            told = f"{now.name} does not call {what[0]}{given} any more"
            yield Refusal(rule=Rule.ASSERTION, path=path, line=line, what=told[: 2 * SHOWN])
        if category not in WAITING and not _slept(test):
            yield from _again(test, now, imports, path)


def _asked(
    function: Function, others: Mapping[str, Function], imports: frozenset[str], depth: int = 0
) -> frozenset[tuple[str, str]]:
    """What it calls of the imports, its helpers and fixtures included; and each constant given."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _root(node.func) in imports:
            called = ast.unparse(node.func)
            found.add((called, ""))
            found |= {(called, constant) for constant in _constants(node)}
    if depth < DEEPEST:
        for name, _ in helped(function):
            helper = others.get(name) or others.get(name.rpartition("::")[2])
            if helper is not None and helper is not function:
                found |= _asked(helper, others, imports, depth + 1)
    return frozenset(found)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _constants(call: ast.Call) -> Iterator[str]:
    for arg in call.args:
        for node in ast.walk(arg):
            if isinstance(node, ast.Constant) and node.value is not None:
                yield repr(node.value)


def product_names(tree: ast.Module) -> frozenset[str]:
    """What a file imports and may be testing."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                source = (module or alias.name).partition(".")[0]
                if source not in FREE | ENVIRONMENT:
                    found.add((alias.asname or alias.name).partition(".")[0])
    return frozenset(found)


def _slept(function: Function) -> bool:
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(last_name(call.func) in {"sleep", "wait"} for call in calls)


def _again(
    before: Function, after: Function, imports: frozenset[str], path: str
) -> Iterator[Refusal]:
    """A loop that asks the product until it is right: a retry without the name."""
    had = Counter(_loops(before, imports))
    for loop, line in _placed_loops(after, imports):
        had[loop] -= 1
        if had[loop] < 0:
            what = f"{after.name} asks again until the answer is right: a retry by another name"
            yield Refusal(rule=Rule.RETRY, path=path, line=line, what=what)


def _loops(function: Function, imports: frozenset[str]) -> Iterator[str]:
    yield from (loop for loop, _ in _placed_loops(function, imports))


def _placed_loops(function: Function, imports: frozenset[str]) -> Iterator[tuple[str, int]]:
    for node in ast.walk(function):
        if isinstance(node, ast.While):
            calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
            if any(_root(call.func) in imports for call in calls):
                yield ast.dump(node), node.lineno


def compared(
    before: Claim, after: Claim, path: str, *, imports: frozenset[str]
) -> Iterator[Refusal]:
    """What an assertion compares may be had in another way, and not be written down instead."""
    if before.function is None or after.function is None:
        return
    was, now = bindings(before.function.body), bindings(after.function.body)
    # What stands in the place of an import is told where imports are.
    outer = _names(before.node) - imports - _parameters(before.function) - was.keys()
    for name in sorted(_names(after.node)):
        known = [ast.dump(value) for value in was.get(name, [])]
        if name in outer and name in _parameters(after.function):
            yield _told(path, after.line, name, "another argument")
        for value in now.get(name, []):
            if ast.dump(value) in known:
                known.remove(ast.dump(value))
            elif name in outer or _is_written(value, name, after.node):
                yield _told(path, value.lineno, name, ast.unparse(value)[:SHOWN])


def _told(path: str, line: int, name: str, now: str) -> Refusal:
    what = f"{name}, which an assertion compares, is now `{now}`"
    return Refusal(rule=Rule.ASSERTION, path=path, line=line, what=what)


def _is_written(value: ast.expr, name: str, claim: ast.expr) -> bool:
    """Down, with nothing of the file called; or out of what it is compared with."""
    if not any(isinstance(one, ast.Call) for one in ast.walk(value)) or _names(value) <= KNOWN:
        return True
    if not isinstance(claim, ast.Compare):
        return False
    sides = [claim.left, *claim.comparators]
    others = {ast.dump(side) for side in sides if name not in _names(side)}
    return any(ast.dump(one) in others for one in ast.walk(value))


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def _parameters(function: Function) -> frozenset[str]:
    return frozenset(one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg))


def expectations(
    before: ast.Module, after: ast.Module, *, path: str, free: frozenset[str]
) -> Iterator[Refusal]:
    """Values beside the tests stay what they are, but for what was measured to leak."""
    held = frozenset(bindings(before.body)) - free
    had = Counter(what for what, _ in _changed(before, held))
    for what, line in _changed(after, held):
        had[what] -= 1
        if had[what] < 0:
            told = f"changes {what}, which tests compare with"
            yield Refusal(rule=Rule.ASSERTION, path=path, line=line, what=told)


def _changed(tree: ast.Module, held: frozenset[str]) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=way)):
                if name in held and way in CHANGING:
                    yield name, node.lineno
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                if name in held:
                    yield name, node.lineno
            case _:
                pass
