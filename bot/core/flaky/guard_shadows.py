"""
Whether the names of a test file still mean what they meant: nothing stands in an import's place.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator

from bot.core.flaky.guard_parts import Refusal, Rule


def shadows(before: ast.Module, after: ast.Module, *, path: str) -> Iterator[Refusal]:
    imports = {name: source for name, source, _ in _imported(before)}
    had = {(name, source) for name, source, _ in _imported(before)}
    for name, source, line in _imported(after):
        if name in imports and (name, source) not in had:
            what = f"imports {source} under the name {name}, which was {imports[name]}"
            yield Refusal(rule=Rule.MOCK, path=path, line=line, what=what)
    known = Counter(_bound(before))
    lines = _lines(after)
    for (name, kind), count in (Counter(_bound(after)) - known).items():
        what = f"puts something in the place of {name}, which the file "
        if name in imports:
            what += "imports"
        elif name in _used_builtins(before):
            what += "uses as Python means it"
        elif name in _own(before) and kind is not ast.arg:  # as one, it is a fixture asked for
            what += "defines"
        else:
            continue
        for line in lines[name, kind][-count:]:
            yield Refusal(rule=Rule.MOCK, path=path, line=line, what=what)


def _used_builtins(tree: ast.Module) -> frozenset[str]:
    used = (n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return frozenset(used) & frozenset(dir(builtins))


def _own(tree: ast.Module) -> frozenset[str]:
    """Helpers and classes; of tests it is told where they are compared."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = (node.name for node in tree.body if isinstance(node, kinds))
    return frozenset(name for name in names if not name.startswith("test"))


def _imported(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Name here, what it is there, and the line."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    name = alias.asname or alias.name.partition(".")[0]
                    yield name, alias.name if alias.asname else name, node.lineno
            case ast.ImportFrom(module=module, names=aliases, level=level):
                for alias in aliases:
                    source = f"{'.' * level}{module or ''}.{alias.name}"
                    yield alias.asname or alias.name, source, node.lineno
            case _:
                pass


def _bound(tree: ast.Module) -> Iterator[tuple[str, type]]:
    yield from ((name, kind) for name, kind, _ in _placed(tree))


def _lines(tree: ast.Module) -> dict[tuple[str, type], list[int]]:
    found: dict[tuple[str, type], list[int]] = {}
    for name, kind, line in _placed(tree):
        found.setdefault((name, kind), []).append(line)
    return found


def _placed(tree: ast.Module) -> Iterator[tuple[str, type, int]]:
    """Names of parameters, functions, classes and variables, each with its kind and line."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name):
                yield name, ast.arg, node.lineno
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, type(node), node.lineno
            case ast.Name(id=name, ctx=ast.Store()):
                yield name, ast.Name, node.lineno
            case _:
                pass
