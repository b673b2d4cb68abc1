"""
Python text that can be edited in place: where a node stands, and how text is put there.

Only what is edited changes; everything else keeps its bytes, its newlines and its encoding. Text
that this interpreter cannot parse is ``Opaque``, with the reason, and never an exception: it was
written by others, and may be as hostile as it likes.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from tokenize import detect_encoding
from typing import TypeAlias

LARGEST = 2 << 20
"""Bytes. No one reads a longer module, and parsing it would take long."""
NEWLINE = re.compile(rb"\r\n|\r|\n")

Node: TypeAlias = ast.stmt | ast.expr
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Opaque:
    """Text that cannot be edited here."""

    why: str


@dataclass(frozen=True, slots=True)
class Edit:
    """The bytes from ``start`` to ``end`` become ``text``. In one place, first come first."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    text: bytes  # as UTF-8, without a byte order mark
    tree: ast.Module
    encoding: str
    starts: tuple[int, ...] = field(repr=False)  # of each line

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def start(self, node: Node) -> int:
        return self.at(node.lineno, node.col_offset)

    def end(self, node: Node) -> int:
        return self.at(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def line_start(self, offset: int) -> int:
        return self.starts[bisect_right(self.starts, offset) - 1]

    def before(self, offset: int) -> str:
        """What stands before it on its line."""
        return self.text[self.line_start(offset) : offset].decode(errors="replace")

    def slice(self, node: Node) -> str:
        return self.text[self.start(node) : self.end(node)].decode(errors="replace")

    def statement_start(self, node: ast.stmt) -> int:
        """Where it begins, its decorators and their ``@`` included."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        if not decorators:
            return self.start(node)
        first = self.start(decorators[0])
        return self.text.rindex(b"@", 0, first)

    def put_before(self, node: ast.stmt, statement: str) -> Edit:
        """A simple statement ahead of this one, in the same block."""
        at = self.statement_start(node)
        indent = self.before(at)
        text = f"{statement}; " if indent.strip() else f"{statement}\n{indent}"
        return Edit(at, at, text)

    def put_first(self, statement: str) -> Edit:
        """A simple statement at the top of the module, where its docstring and futures allow."""
        body = self.tree.body
        head = list(takewhile(_stays_first, body))
        if head:
            at = self.end(head[-1])
            return Edit(at, at, f"; {statement}")
        return self.put_before(body[0], statement) if body else Edit(0, 0, f"{statement}\n")

    def edited(self, edits: Iterable[Edit]) -> bytes | Opaque:
        """The whole text again, in its own encoding. It must still be Python."""
        parts, done = [], 0
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            if edit.start < done:
                return Opaque("two edits meet in one place")
            parts += [self.text[done : edit.start], edit.text.encode()]
            done = edit.end
        text = b"".join([*parts, self.text[done:]])
        try:
            content = text.decode().encode(self.encoding)
        except (UnicodeError, LookupError):
            return Opaque("its encoding cannot hold the edited text")
        again = parse(content)
        return again if isinstance(again, Opaque) else content


def parse(content: bytes) -> Source | Opaque:
    if len(content) > LARGEST:
        return Opaque(f"it is longer than {LARGEST} bytes")
    try:
        encoding, _ = detect_encoding(_lines_of(content).__next__)
        text = content.decode(encoding).encode()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.decode())
    except SyntaxError as error:
        return Opaque(f"this Python cannot parse it (line {error.lineno or 1})")
    except (UnicodeError, LookupError, ValueError):
        return Opaque("it cannot be decoded")
    except (RecursionError, MemoryError):
        return Opaque("it nests too deeply")
    text = text.removeprefix(BOM_UTF8)
    starts = (0, *(found.end() for found in NEWLINE.finditer(text)))
    return Source(text=text, tree=tree, encoding=encoding, starts=starts)


def lines(content: bytes) -> list[bytes]:
    """As Python counts them: a form feed or a line separator ends none."""
    ends = [found.end() for found in NEWLINE.finditer(content)]
    cuts = [0, *ends] if not ends or ends[-1] < len(content) else [0, *ends[:-1]]
    return [content[a:b] for a, b in zip(cuts, [*cuts[1:], len(content)], strict=True)]


def _lines_of(content: bytes) -> Iterator[bytes]:
    yield from lines(content[:4096])
    while True:
        yield b""


def _stays_first(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.ImportFrom(module="__future__"):
            return True
        case _:
            return False
