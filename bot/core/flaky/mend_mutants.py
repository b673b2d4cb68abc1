"""
Small breaks of a product, to see whether a test still notices.

A mutant is known by what it does to which function, not by its line, so that the same break can be
made on both sides of a mend that also changed the product.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SHOWN = 60
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    path: str
    line: int
    key: str  # the same on both sides
    said: str
    text: str  # the whole file

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}: {self.said}"


def mutants(path: str, source: str, lines: frozenset[int] | None = None) -> tuple[Mutant, ...]:
    """Of statements in functions; only on these lines, where they are named."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    text = _Text(source)
    seen: Counter[str] = Counter()
    found = []
    for where, node, new in _breaks(tree):
        old = ast.unparse(node)
        seen[f"{where}|{old}|{new}"] += 1
        key = f"{path}|{where}|{old}|{new}|{seen[f'{where}|{old}|{new}']}"
        if lines is None or node.lineno in lines:
            said = f"`{old[:SHOWN]}` becomes `{new[:SHOWN]}`"
            found.append(
                Mutant(path=path, line=node.lineno, key=key, said=said, text=text.put(node, new))
            )
    return tuple(found)


def spread(found: Sequence[Mutant], most: int) -> tuple[Mutant, ...]:
    """As many, evenly over all of them, so that no function is left out for another's sake."""
    if len(found) <= most:
        return tuple(found)
    return tuple(found[place * len(found) // most] for place in range(most))


def _breaks(tree: ast.Module) -> Iterator[tuple[str, ast.expr, str]]:
    """The function, the expression, and what stands in its place."""

    def visit(node: ast.AST, where: str, *, is_inside: bool) -> Iterator[tuple[str, ast.expr, str]]:
        for child in ast.iter_child_nodes(node):
            name, inside = where, is_inside
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name, inside = f"{where}.{child.name}", not isinstance(child, ast.ClassDef)
            if isinstance(child, ast.JoinedStr | ast.arguments):
                continue  # positions within a text are not to be trusted; defaults are no code
            if is_inside:
                yield from ((where, one, new) for one, new in _of(child))
            yield from visit(child, name, is_inside=inside)

    yield from visit(tree, "", is_inside=False)


def _of(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
            yield node, f"{ast.unparse(left)} {COMPARED[type(op)]} {ast.unparse(right)}"
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in COUNTED:
            yield node, ast.unparse(ast.BinOp(left, COUNTED[type(operator)](), right))
        case ast.BoolOp(op=op_, values=values):
            other = ast.Or() if isinstance(op_, ast.And) else ast.And()
            yield node, ast.unparse(ast.BoolOp(other, values))
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield value, "None"
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.Compare):
            yield test, f"not ({ast.unparse(test)})"
        case ast.Constant(value=bool() | int() as value):
            yield node, str(not value if isinstance(value, bool) else value + 1)
        case _:
            pass


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class _Text:
    """A source whose expressions can be exchanged; positions are counted in bytes, as ast does."""

    def __init__(self, source: str) -> None:
        self._bytes = source.encode()
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def put(self, node: ast.expr, new: str) -> str:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return (self._bytes[:start] + f"({new})".encode() + self._bytes[end:]).decode()
