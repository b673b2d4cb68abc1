"""
A test module as its text shows it: which function an id means, and what that function calls.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.core.sensitivity.changed import FUNCTIONS, functions
from bot.core.sensitivity.ids import TestName
from bot.core.sensitivity.source import Function, Source

WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    source: Source
    functions: Mapping[str, Function]  # by qualified name
    bases: Mapping[str, tuple[str, ...]]  # of classes that the module defines
    imported: frozenset[str]  # names that it took from other modules
    mentions: Counter[str]  # every name, attribute and word that is read

    def find(self, test: TestName) -> str:
        """The qualified name of the function that ``test`` runs; '' where it is elsewhere."""
        *classes, name = test.names
        if not classes:
            return name if name in self.functions else ""
        return self._in_class(".".join(classes), name, frozenset())

    def _in_class(self, kind: str, name: str, seen: frozenset[str]) -> str:
        if f"{kind}.{name}" in self.functions:
            return f"{kind}.{name}"
        if kind in seen:
            return ""
        inherited = (self._in_class(b, name, seen | {kind}) for b in self.bases.get(kind, ()))
        return next(filter(None, inherited), "")

    def with_helpers(self, name: str) -> tuple[str, ...]:
        """A function and, one after the other, those of this module that it calls by name."""
        by_name: dict[str, list[str]] = {}
        for known in self.functions:
            by_name.setdefault(known.rpartition(".")[2], []).append(known)
        found, todo = [name], [name]
        while todo:
            for called in sorted(_called(self.functions[todo.pop()])):
                new = [k for k in by_name.get(called, ()) if k not in found]
                helpers = [k for k in new if not is_test(called) and "<locals>" not in k]
                found += helpers
                todo += helpers
        return tuple(found)


def read_module(source: Source) -> Module:
    bases, mentions = {}, Counter[str]()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            bases[node.name] = tuple(b.id for b in node.bases if isinstance(b, ast.Name))
        mentions.update(_mentioned(node))
    imports = (node for node in source.tree.body if isinstance(node, ast.ImportFrom))
    return Module(
        source=source,
        functions=functions(source),
        bases=bases,
        imported=frozenset(a.asname or a.name for node in imports for a in node.names),
        mentions=mentions,
    )


def is_test(name: str) -> bool:
    return name.startswith("test")


def called_name(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def is_function(node: ast.AST) -> bool:
    return isinstance(node, FUNCTIONS)


def _called(node: Function) -> set[str]:
    return {called_name(call) for call in ast.walk(node) if isinstance(call, ast.Call)}


def _mentioned(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Constant(value=str(text)):
            yield from WORD.findall(text)
        case ast.alias(name=name, asname=other):
            yield from (*name.split("."), other or "")
        case ast.ImportFrom(module=str(name)):
            yield from name.split(".")
        case ast.arg(arg=name):
            yield name
        case _:
            return
