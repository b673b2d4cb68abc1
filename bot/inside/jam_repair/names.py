"""
Names as they stand in a tree: dotted paths, likeness, and those that somebody forgot.
"""

from __future__ import annotations

import ast

_FILLING = {"append", "add", "extend", "update", "insert", "appendleft", "setdefault", "push"}
_EMPTY = {"list", "set", "dict", "deque", "defaultdict", "OrderedDict", "Counter"}


def neglected(nodes: list[ast.AST], bound: set[str]) -> tuple[set[str], set[str], set[str]]:
    """Names never read, collections begun empty and never filled, and names given one plain value
    that are read in or after a loop and never change: what a forgotten statement leaves behind."""
    read: set[str] = set()
    filled: set[str] = set()
    begun: set[str] = set()
    plain: set[str] = set()
    often: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in _FILLING:
                filled.add(node.value.id)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if isinstance(node.ctx, ast.Store):
                filled.add(node.value.id)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            often.append(node.id)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            (begun if _is_empty(node.value) else plain).add(node.targets[0].id)
    loops = any(isinstance(node, (ast.For, ast.While)) for node in nodes)
    once = {name for name in often if often.count(name) == 1}
    still = {n for n in plain & once & read if loops and n not in filled}
    return bound - read - {"self", "cls", "_"}, (begun & once & read) - filled, still


def _is_empty(node: ast.expr) -> bool:
    if isinstance(node, (ast.List, ast.Tuple)):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    called = isinstance(node, ast.Call) and not node.args and path_of(node.func)[-1:]
    return bool(called) and path_of(node.func)[-1] in _EMPTY  # type: ignore[attr-defined]  # a Call


def path_of(node: ast.AST) -> tuple[str, ...]:
    """('self', 'a', 'b') of ``self.a.b``; empty for anything else."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        above = path_of(node.value)
        return (*above, node.attr) if above else ()
    return ()


def similar(one: str, other: str) -> float:
    """0..1: how much two names look alike, by the pairs of letters that they share."""
    pairs_one = {one[i : i + 2].lower() for i in range(len(one) - 1)} or {one}
    pairs_other = {other[i : i + 2].lower() for i in range(len(other) - 1)} or {other}
    return 2 * len(pairs_one & pairs_other) / (len(pairs_one) + len(pairs_other))
