"""
One source file as text and as a tree at once: where each node lies in the text, what encloses it.

Decides nothing about what is wrong with it. Offsets are characters in the text as it stands on
disk, so that a splice keeps every comment, quote and line ending that it does not replace.
"""

from __future__ import annotations

import ast
import io
import tokenize
from typing import Iterator, NamedTuple, Tuple, Union

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Splice = Tuple[int, int, str]


class Unreadable(Exception):
    """The file is not source that can be edited by position."""


class Span(NamedTuple):
    start: int
    end: int


class Source:
    """``path`` is relative to the checkout, ``file`` is where it lies on this machine."""

    def __init__(self, path: str, file: str, raw: bytes) -> None:
        self.path = path
        self.file = file
        self.text = _decode(raw)
        self.newline = "\r\n" if "\r\n" in self.text else "\n"
        try:
            self.tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError) as broken:
            raise Unreadable(str(broken)) from broken
        self._lines = self.text.split("\n")
        self._offsets = [0]
        for line in self._lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes = list(ast.walk(self.tree))
        for node in self.nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def line(self, number: int) -> str:
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else ""

    def line_start(self, number: int) -> int:
        return self._offsets[min(number, len(self._offsets)) - 1]

    def offset(self, line: int, byte_column: int) -> int:
        text = self._lines[line - 1]
        if text.isascii():
            return self._offsets[line - 1] + byte_column
        return self._offsets[line - 1] + len(text.encode()[:byte_column].decode(errors="replace"))

    def span(self, node: ast.AST) -> Span:
        return Span(
            self.offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]  # expr, stmt
            self.offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def segment(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def indent(self, statement: ast.stmt) -> str:
        text = self.line(statement.lineno)
        return text[: len(text) - len(text.lstrip())]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        above = self.parents.get(node)
        while above is not None:
            yield above
            above = self.parents.get(above)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        if isinstance(node, ast.stmt):
            return node
        return next((up for up in self.ancestors(node) if isinstance(up, ast.stmt)), None)

    def function(self, node: ast.AST) -> FunctionNode | None:
        """The innermost function around ``node``."""
        return next((up for up in self.ancestors(node) if isinstance(up, FUNCTIONS)), None)

    def unit(self, node: ast.AST) -> FunctionNode | None:
        """The outermost function around ``node`` (or itself): what can be swapped as a whole."""
        around = [up for up in (node, *self.ancestors(node)) if isinstance(up, FUNCTIONS)]
        return around[-1] if around else None

    def statements(self) -> Iterator[ast.stmt]:
        for node in self.nodes:
            if isinstance(node, ast.stmt):
                yield node


def _decode(raw: bytes) -> str:
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
        text = raw.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as broken:
        raise Unreadable(str(broken)) from broken
    if encoding not in ("utf-8", "ascii"):
        raise Unreadable("not UTF-8")  # ast counts columns in UTF-8 bytes of the decoded text
    if "\r" in text.replace("\r\n", "") or "\x0c" in text:
        raise Unreadable("line ends that ast and the text count differently")
    return text


def splice(text: str, splices: tuple[Splice, ...]) -> str:
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def header_lines(statement: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement without the statements inside it."""
    inner: list[ast.stmt] = []
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        inner.extend(getattr(statement, name, []))
    if not inner:
        return statement.lineno, statement.end_lineno or statement.lineno
    first = inner[0]
    line = getattr(first, "lineno", None) or statement.lineno + 1
    decorators = getattr(first, "decorator_list", None)
    if decorators:
        line = min(line, decorators[0].lineno)
    return statement.lineno, max(statement.lineno, line - 1)


def first_line(function: FunctionNode) -> int:
    """What ``co_firstlineno`` says: the first decorator's line where there is one."""
    return min([function.lineno, *(item.lineno for item in function.decorator_list)])
