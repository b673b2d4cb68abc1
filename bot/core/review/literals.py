"""
Does the change know what the tests ask? Conditions and tables on values that the targets use.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from bot.core.review.edited import Finding, Fresh
from bot.core.sensitivity.source import Opaque, parse

COMMON: frozenset[object] = frozenset({None, 0, 1, -1, 2, "", b"", "utf-8", "\n"})
"""Values that say nothing of whoever writes them."""
LONGEST = 40
Values: TypeAlias = frozenset[object]


def of_targets(tests: Mapping[str, bytes], targets: Iterable[str]) -> Values:
    """Literals of the functions that the targets name; of the whole file where none is found."""
    wanted = {target.partition("[")[0].replace("::", ".").rpartition(".")[2] for target in targets}
    found: set[object] = set()
    for content in tests.values():
        source = parse(content)
        if isinstance(source, Opaque):
            continue
        named = [node for node in ast.walk(source.tree) if getattr(node, "name", None) in wanted]
        for node in named or [source.tree]:
            found |= _values(node)
    return frozenset(found - COMMON)


def findings(before: bytes, after: bytes, fresh: Fresh, known: Values) -> list[Finding]:
    source = parse(after)
    if isinstance(source, Opaque):
        return []
    earlier = parse(before)
    old = frozenset() if isinstance(earlier, Opaque) else frozenset(_values(earlier.tree))
    return [*_of_tests(source.tree, fresh, known - old), *_of_numbers(source.tree, fresh, old)]


def _of_tests(tree: ast.Module, fresh: Fresh, known: Values) -> Iterator[Finding]:
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for part in _deciding(node):
            shared = {value for value in _values(part) if value in known}
            if shared and fresh.touches(part):
                told = ", ".join(sorted(map(_told, shared))[:5])
                yield Finding(line, f"decides on values that the target tests use: {told}")


def _of_numbers(tree: ast.Module, fresh: Fresh, old: Values) -> Iterator[Finding]:
    """A boundary out of nowhere: the rule, or only what the tests try?"""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or not fresh.touches(node):
            continue
        for value in _numbers(_values(node) - COMMON - old):
            yield Finding(node.lineno, f"compares with a number that is new here: {_told(value)}")


def _told(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 128:
        return "a very long number"
    return repr(value)[:LONGEST]


def _numbers(values: Iterable[object]) -> list[float]:
    return sorted(v for v in values if isinstance(v, (int, float)))


def _deciding(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare():
            yield node
        case ast.Dict(keys=keys):
            yield from (key for key in keys if key is not None)
        case ast.match_case(pattern=pattern):
            yield pattern
        case ast.Subscript(slice=ast.Constant() | ast.Tuple() as key, ctx=ast.Store()):
            yield key
        case _:
            pass


def _values(node: ast.AST) -> set[object]:
    return {
        value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant)
        and isinstance(value := part.value, (int, float, str, bytes))
        and not isinstance(value, bool)
    }
