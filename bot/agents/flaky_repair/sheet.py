"""
A Python file that is written into: where imports end, what a test is, what stands where.

Everything else stays as it was, byte for byte.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Sheet:
    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    def test(self, name: str) -> Function | None:
        """By the name in its id: ``Class::test[parameter]``."""
        wanted = name.partition("[")[0].rpartition("::")[2]
        group = name.partition("[")[0].rpartition("::")[0].rpartition("::")[2]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node.name == group:
                return _function(node.body, wanted)
        return _function(self.tree.body, wanted)

    def with_fixture(self, fixture: str, *, modules: tuple[str, ...]) -> str:
        """``fixture`` after the imports, and what it needs imported."""
        end = self._imports_end()
        have = {
            alias.asname or alias.name
            for node in self.tree.body
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        needed = "".join(f"import {name}\n" for name in sorted({*modules, "pytest"} - have))
        before, after = "".join(self.lines[:end]), "".join(self.lines[end:])
        if before and not before.endswith("\n"):
            before += "\n"
        gap = "" if after.startswith("\n") else "\n\n"
        return f"{before}{needed}\n\n{fixture}{gap}{after}"

    def replaced(self, node: ast.expr | ast.stmt, new: str) -> str:
        data = self.text.encode()
        start = self._place(node.lineno, node.col_offset)
        end = self._place(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return (data[:start] + new.encode() + data[end:]).decode()

    def indent(self, node: ast.stmt) -> str:
        line = self.lines[node.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def _place(self, line: int, column: int) -> int:
        return len("".join(self.lines[: line - 1]).encode()) + column

    def _imports_end(self) -> int:
        """The line after the last import, or after the docstring, or the top."""
        end = 0
        for number, node in enumerate(self.tree.body):
            is_docstring = number == 0 and isinstance(node, ast.Expr)
            if is_docstring or isinstance(node, ast.Import | ast.ImportFrom):
                end = node.end_lineno or end
        return end


def _function(body: list[ast.stmt], name: str) -> Function | None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return next((n for n in body if isinstance(n, kinds) and n.name == name), None)
