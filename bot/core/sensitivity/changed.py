"""
What a change to a Python file touches: functions, values of names, and the rest of it.

A line that was deleted inside a function belongs to the function of that name, if it still exists.
Blank lines and comments touch nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from bot.core.sensitivity.source import Function, Opaque, Source, lines, parse

Value: TypeAlias = ast.Assign | ast.AnnAssign
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOST_WORK = 20_000_000
"""Lines of one side times lines of the other; beyond, a change is one hunk."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``old[i:j]`` became ``new[k:l]``; counted from 0, ends excluded."""

    i: int
    j: int
    k: int
    l: int  # noqa: E741  # as in i, j, k, l


@dataclass(frozen=True, slots=True)
class Touched:
    functions: tuple[Function, ...] = ()
    values: tuple[Value, ...] = ()  # of modules and of classes
    others: tuple[Hunk, ...] = ()  # in which nothing of both is


def hunks(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[Hunk, ...]:
    head = next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    tail, most = 0, min(len(old), len(new)) - head
    while tail < most and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if not a and not b:
        return ()
    if len(a) * len(b) > MOST_WORK:
        return (Hunk(head, head + len(a), head, head + len(b)),)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return tuple(
        Hunk(head + i, head + j, head + k, head + l)
        for tag, i, j, k, l in matcher.get_opcodes()  # noqa: E741
        if tag != "equal"
    )


def touched(old: bytes, new: Source) -> Touched:
    """``old``: the same file before, or nothing where it is new."""
    before, after = _utf8_lines(old), lines(new.text)
    ground = parse(old)
    was = _owners(functions(ground)) if isinstance(ground, Source) else {}
    now = functions(new)
    owners = _owners(now)
    values = _values(new.tree, owners)
    hit: dict[str, Function] = {}
    assigned: dict[int, Value] = {}
    others = []
    for hunk in hunks(before, after):
        here, there = _lines_in(after, hunk.k, hunk.l), _lines_in(before, hunk.i, hunk.j)
        names = {owners.get(at, "") for at in here} | {was.get(at, "") for at in there}
        found = {name: now[name] for name in names if name in now}
        changed = {id(values[at]): values[at] for at in here if at in values}
        hit |= found
        assigned |= changed
        if not found and not changed and _says_something(hunk, before, after):
            others.append(hunk)
    return Touched(_outermost(hit), tuple(assigned.values()), tuple(others))


def functions(source: Source) -> Mapping[str, Function]:
    """By qualified name, as Python spells it. Of two with one name, the later."""
    return dict(_functions(source.tree))


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, above = todo.pop(0)
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield above + name, child
                    todo.append((child, f"{above}{name}.<locals>."))
                case ast.ClassDef(name=name):
                    todo.append((child, f"{above}{name}."))
                case ast.expr():
                    pass
                case _:
                    todo.append((child, above))


def span(node: ast.stmt) -> range:
    """Its lines, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _owners(known: Mapping[str, Function]) -> Mapping[int, str]:
    """The innermost function of each line that is in one."""
    owners: dict[int, str] = {}
    for name, node in sorted(known.items(), key=lambda item: (span(item[1]).start, item[0])):
        owners.update(dict.fromkeys(span(node), name))
    return owners


def _outermost(hit: Mapping[str, Function]) -> tuple[Function, ...]:
    """Of functions within each other the outer one, which the inner one cannot do without."""
    return tuple(
        node
        for name, node in sorted(hit.items())
        if not any(name.startswith(f"{other}.<locals>.") for other in hit)
    )


def _values(tree: ast.Module, owners: Mapping[int, str]) -> Mapping[int, Value]:
    """The assignment of each line that is in one and in no function."""
    found: dict[int, Value] = {}
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            if node.value is not None and not _is_reserved(node):
                found.update((line, node) for line in span(node) if line not in owners)
        elif isinstance(node, ast.stmt) and not isinstance(node, FUNCTIONS):
            todo.extend(c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.expr))
        elif isinstance(node, (ast.ExceptHandler, ast.match_case)):
            todo.extend(node.body)
    return found


def _is_reserved(node: Value) -> bool:
    """``__all__``, ``__slots__`` …: Python itself reads these."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(t, ast.Name) and t.id.startswith("__") for t in targets)


def _utf8_lines(content: bytes) -> list[bytes]:
    source = parse(content)
    return lines(content if isinstance(source, Opaque) else source.text)


def _lines_in(text: Sequence[bytes], first: int, end: int) -> list[int]:
    """Counted from 1, without blank ones and comments."""
    return [at + 1 for at in range(first, end) if _says(text[at])]


def _says(line: bytes) -> bool:
    bare = line.strip()
    return bool(bare) and not bare.startswith(b"#")


def _says_something(hunk: Hunk, old: Sequence[bytes], new: Sequence[bytes]) -> bool:
    return any(map(_says, [*old[hunk.i : hunk.j], *new[hunk.k : hunk.l]]))
