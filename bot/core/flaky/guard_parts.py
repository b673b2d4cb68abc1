"""
What the guard's parts share: rules, refusals, and a few questions to a syntax tree.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Rule(StrEnum):
    """What a person can allow in a request, each by its word."""

    ASSERTION = "assertion"
    TEST = "test"
    SKIP = "skip"
    RETRY = "retry"
    SLEEP = "sleep"
    TOLERANCE = "tolerance"
    CATCH = "catch"
    MOCK = "mock"
    SEED = "seed"
    PIN = "pin"
    ORDER = "order"
    SETTING = "setting"
    DATA = "data"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    rule: Rule
    path: str
    line: int  # of the file as it is after; 0: the file itself
    what: str

    @property
    def sentence(self) -> str:
        place = f"{self.path}, line {self.line}" if self.line else self.path
        return f"{place}: {self.what}"


def functions(tree: ast.Module) -> dict[str, Function]:
    """By qualified name; a second one of the same name hides the first, as it does in Python."""
    found: dict[str, Function] = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    found[f"{prefix}{node.name}"] = node
                case ast.ClassDef():
                    visit(node.body, f"{prefix}{node.name}::")
                case _:
                    pass

    visit(tree.body, "")
    return found


def last_name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=func):
            return last_name(func)
        case _:
            return ""


def number_of(node: ast.AST) -> float | None:
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(number) | float(number)):
            return float(number)
        case _:
            return None


def is_plain(node: ast.AST) -> bool:
    """A value that is written down: nothing is called, nothing is looked up."""
    return not any(isinstance(n, ast.Call | ast.Name | ast.Attribute) for n in ast.walk(node))
