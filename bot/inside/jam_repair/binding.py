"""
How tightly an expression binds, and how tightly it must where it is to stand.

Decides where parentheses are needed; which expressions are worth trying is not known here.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

ATOM = 20

_BINARY = {
    ast.Add: 11, ast.Sub: 11, ast.Mult: 12, ast.Div: 12, ast.FloorDiv: 12, ast.Mod: 12,
    ast.MatMult: 12, ast.Pow: 14, ast.LShift: 10, ast.RShift: 10, ast.BitAnd: 9, ast.BitXor: 8,
    ast.BitOr: 7,
}  # fmt: skip


class Text(NamedTuple):
    """An expression as text, how tightly it binds, and how likely it is what is missing."""

    text: str
    precedence: int = ATOM
    weight: float = 1.0


def precedence(node: ast.AST) -> int:
    if isinstance(node, ast.BinOp):
        return _BINARY.get(type(node.op), 11)
    if isinstance(node, ast.BoolOp):
        return 3 if isinstance(node.op, ast.Or) else 4
    if isinstance(node, ast.UnaryOp):
        return 5 if isinstance(node.op, ast.Not) else 13
    for kind, binds in (
        ((ast.Lambda, ast.Yield, ast.YieldFrom, ast.NamedExpr), 0),
        ((ast.IfExp,), 2),
        ((ast.Compare,), 6),
        ((ast.Await,), 15),
        ((ast.Starred,), 1),
    ):
        if isinstance(node, kind):
            return binds
    return ATOM


def needed(parent: ast.AST | None, node: ast.AST) -> int:
    """How tightly an expression must bind to stand where ``node`` stands, without parentheses."""
    if isinstance(parent, ast.BinOp):
        mine = _BINARY.get(type(parent.op), 11)
        on_the_right = node is parent.right
        return mine + (on_the_right != isinstance(parent.op, ast.Pow))
    if isinstance(parent, ast.BoolOp):
        return precedence(parent) + 1
    if isinstance(parent, ast.Compare):
        return 7
    if isinstance(parent, ast.UnaryOp):
        return precedence(parent)
    if isinstance(parent, ast.IfExp):
        return 2 if node is parent.orelse else 3
    if isinstance(parent, ast.Starred):
        return 7
    if isinstance(parent, ast.Await):
        return ATOM
    if isinstance(parent, (ast.Attribute, ast.Subscript)) and node is parent.value:
        return ATOM
    if isinstance(parent, ast.Call) and node is parent.func:
        return ATOM
    return 3 if isinstance(parent, ast.comprehension) else 1
