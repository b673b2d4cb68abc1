"""
Whether the names of a test file still mean what they meant: nothing stands in an import's place.
"""

from __future__ import annotations

import ast
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
    known = Counter(name for name, _ in _bound(before))
    for name, line in _bound(after):
        known[name] -= 1
        if name in imports and known[name] < 0:
            what = f"puts something in the place of {name}, which the file imports"
            yield Refusal(rule=Rule.MOCK, path=path, line=line, what=what)


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


def _bound(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names of parameters, functions, classes and variables."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.Name(id=name, ctx=ast.Store()):
                yield name, node.lineno
            case _:
                pass
