"""
What tests share without a measured leak, and what one test needs of another: told by the text.

A guess that only the runs can confirm, and so the last that is tried.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.agents.flaky_repair.sheet import Function, Sheet
from bot.core.flaky.runs import Leaked

ROOTS = ("src/", "lib/")
EMPTY = {ast.Dict: "dict()", ast.List: "list()", ast.Set: "set()"}
CALLED = {
    "dict": "dict()",
    "defaultdict": "dict()",
    "OrderedDict": "dict()",
    "list": "list()",
    "set": "set()",
}
CHANGES = frozenset(["add", "append", "extend", "insert", "setdefault", "update"])
PLACES = (ast.Expr, ast.Assign, ast.AugAssign)


def containers(sheet: Sheet, *, by: str) -> Iterator[Leaked]:
    """Module-level containers that the module itself changes."""
    changed = frozenset(_changed(sheet.tree))
    for node in sheet.tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                kind = _kind(value)
                if kind and name in changed:
                    where = f"{_module(sheet.path)}.{name}"
                    yield Leaked(where=where, before=kind, after=kind, by=by)
            case _:
                pass


def _kind(value: ast.expr) -> str:
    match value:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return CALLED.get(name, "")
        case _:
            return EMPTY.get(type(value), "")


def _changed(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=way)):
                if way in CHANGES:
                    yield name
            case _:
                pass


def _module(path: str) -> str:
    for root in ROOTS:
        path = path.removeprefix(root)
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def own_setup(sheet: Sheet, test: Function, setter: Function) -> Iterator[str]:
    """What the other test does before it claims anything, done by this test itself. Only what
    stands at the top of a test without arguments: anything else may mean something else here."""
    if setter.args.args or isinstance(setter, ast.AsyncFunctionDef):
        return
    done = []
    for node in setter.body:
        if not isinstance(node, PLACES):
            break
        if not isinstance(getattr(node, "value", None), ast.Constant):  # a docstring
            done.append(ast.unparse(node))
    if not done:
        return
    place = test.body[0]
    if isinstance(place, ast.Expr) and isinstance(place.value, ast.Constant) and test.body[1:]:
        place = test.body[1]
    lines, indent = list(sheet.lines), sheet.indent(place)
    new = [f"{indent}{line}\n" for text in done for line in text.splitlines()]
    yield "".join([*lines[: place.lineno - 1], *new, *lines[place.lineno - 1 :]])
