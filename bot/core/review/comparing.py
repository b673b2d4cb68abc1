"""
Classes that say of themselves that they are equal to anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.core.review.edited import Finding

COMPARING = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
POSING = frozenset({"__class__", "__instancecheck__", "__subclasscheck__"})
BUILT_IN = frozenset(
    {"int", "float", "complex", "bool", "str", "bytes", "list", "tuple", "dict", "set", "frozenset"}
)


def lying_classes(node: ast.ClassDef) -> Iterator[Finding]:
    for inner in node.body:
        match inner:
            case ast.FunctionDef(name=name) if name in COMPARING:
                yield from _of_comparison(inner, node)
            case ast.FunctionDef(name=name) if name in POSING:
                yield _posing(name, inner.lineno)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in POSING | COMPARING:
                yield from _of_assignment(name, value, inner.lineno)


def lying_table(keys: list[ast.expr | None], values: list[ast.expr]) -> Iterator[Finding]:
    """The body of a class that is made by a call of ``type``."""
    for key, value in zip(keys, values, strict=False):
        match key:
            case ast.Constant(value=str(name)) if name in POSING | COMPARING:
                yield from _of_assignment(name, value, key.lineno)


def _of_comparison(method: ast.FunctionDef, owner: ast.ClassDef) -> Iterator[Finding]:
    if not _is_blind(method, built_in=_is_built_in(owner)):
        yield Finding(method.lineno, f"decides itself what it is equal to ({method.name})")
    else:
        what = f"is equal to whatever it is compared with ({owner.name}.{method.name})"
        yield Finding(method.lineno, what, blocks=True)


def _of_assignment(name: str, value: ast.expr, line: int) -> Iterator[Finding]:
    if name in POSING:
        yield _posing(name, line)
    elif isinstance(value, ast.Lambda) and _always(value.body):
        yield Finding(line, f"is equal to whatever it is compared with ({name})", blocks=True)


def _posing(name: str, line: int) -> Finding:
    return Finding(line, f"says that it is of another class ({name})", blocks=name == "__class__")


def _is_blind(method: ast.FunctionDef, *, built_in: bool) -> bool:
    """Answers without a look at itself: by a constant, or by what the other one is."""
    returned = [node.value for node in ast.walk(method) if isinstance(node, ast.Return)]
    answers = [value for value in returned if value is not None]
    if not answers:
        return False
    if all(_always(answer) for answer in answers):
        # Refusing all comparison (``return False``, ``NotImplemented``) is common and honest.
        return any(_is_true(answer) == (method.name != "__ne__") for answer in answers)
    first = method.args.args[0].arg if method.args.args else ""
    looks = any(isinstance(node, ast.Name) and node.id == first for node in ast.walk(method))
    return built_in and not looks


def _always(answer: ast.expr) -> bool:
    return isinstance(answer, ast.Constant) or (
        isinstance(answer, ast.UnaryOp) and isinstance(answer.operand, ast.Constant)
    )


def _is_true(answer: ast.expr) -> bool:
    match answer:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            return not value
        case ast.UnaryOp(operand=ast.Constant(value=value)):
            return bool(value)
        case _:
            return False


def _is_built_in(owner: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id in BUILT_IN for base in owner.bases)
