"""
One place where something may be changed, and the words in which operators say how.
"""

from __future__ import annotations

import ast
import re
from typing import Callable, Iterator, NamedTuple

from .binding import ATOM, Text, needed, precedence
from .scope import Scope
from .source import Source, Splice


class Change(NamedTuple):
    splices: tuple[Splice, ...]
    weight: float = 1.0


Operator = Callable[["Site"], Iterator[Change]]


class Site:
    """``node`` in its file, with what is in reach there."""

    def __init__(self, source: Source, scope: Scope, node: ast.AST) -> None:
        self.source, self.scope, self.node = source, scope, node
        self.parent: ast.AST | None = source.parents.get(node)

    def at(self, node: ast.AST) -> Site:
        return Site(self.source, self.scope, node)

    def text(self, node: ast.AST | None = None) -> str:
        return self.source.segment(node or self.node)

    def tight(self, node: ast.AST, binds: int) -> str:
        """The text of ``node``, in parentheses where it binds less than ``binds``."""
        text = self.text(node)
        return f"({text})" if precedence(node) < binds or "\n" in text else text

    def instead(self, text: str, binds: int = ATOM, weight: float = 1.0) -> Change:
        """``text`` in the place of the node, in parentheses only where they are needed."""
        start, end = self.source.span(self.node)
        if binds < needed(self.parent, self.node) and not self._is_enclosed(start, end):
            text = f"({text})"
        before = self.source.text[start - 1 : start]
        if text[:1].isidentifier() and (before.isalnum() or before == "_"):
            text = " " + text
        return Change(((start, end, text),), weight)

    def put(self, text: Text, factor: float = 1.0) -> Change:
        return self.instead(text.text, text.precedence, text.weight * factor)

    def operator_between(self, left: ast.AST, right: ast.AST, old: str, new: str) -> Splice | None:
        """The splice that exchanges the operator between two operands, comments untouched."""
        start, end = self.source.span(left).end, self.source.span(right).start
        gap = self.source.text[start:end]
        words = r"\s+".join(map(re.escape, old.split()))
        if old[0].isalpha():
            words = rf"\b{words}\b"
        found = re.search(words, re.sub(r"#[^\n]*", lambda m: " " * len(m.group()), gap))
        return (start + found.start(), start + found.end(), new) if found else None

    def _is_enclosed(self, start: int, end: int) -> bool:
        text = self.source.text
        if text[start - 1 : start] != "(" or text[end : end + 1] != ")":
            return False
        called = text[start - 2 : start - 1]
        return not (called.isalnum() or called in ("_", ")", "]"))
