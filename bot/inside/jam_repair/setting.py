"""
Puts an edited constant in place of the live one: ``NAME = …`` of a module or of a class in it.

Reaches the module, whoever imported the very object by the same name, and the class. What was made
of the old value at import is not reached; the canary tells, and such an edit goes the slow way.
"""

from __future__ import annotations

import ast
import os
import sys
from typing import Any, Iterable, NamedTuple

from .source import Source, Splice, splice


class Unsettable(Exception):
    """This edit cannot be made on live objects."""


class Setting(NamedTuple):
    owner: Any  # a module's namespace, or a class
    name: str
    old: Any
    new: Any


def is_setting(source: Source, statement: ast.stmt, splices: tuple[Splice, ...]) -> bool:
    """Whether the edit changes only the value of one name, at the level of a module or a class."""
    if _name(statement) is None or not isinstance(_home(source, statement), (ast.Module, str)):
        return False
    value = statement.value  # type: ignore[attr-defined]  # an assignment has one
    if value is None:
        return False
    start, end = source.span(value)
    return all(start <= at and until <= end for at, until, _ in splices)


def settings(
    source: Source, statement: ast.stmt, splices: tuple[Splice, ...], modules: Iterable[Any]
) -> list[Setting]:
    start, end = source.span(statement.value)  # type: ignore[attr-defined]  # see is_setting
    moved = tuple((at - start, until - start, new) for at, until, new in splices)
    text = splice(source.text[start:end], moved)
    try:
        code = compile(f"(\n{text}\n)", source.file, "eval", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as broken:
        raise Unsettable(str(broken)) from broken
    return _found(source, statement, modules, lambda names, inner: eval(code, names, inner))  # noqa: S307  # it is a candidate


def canary(source: Source, statement: ast.stmt, modules: Iterable[Any], sing: Any) -> list[Setting]:
    """Values that call ``sing`` whatever is done with them."""
    bird = _bird(sing)
    return _found(source, statement, modules, lambda _names, _inner: bird)


def _found(
    source: Source, statement: ast.stmt, modules: Iterable[Any], value: Any
) -> list[Setting]:
    name, home = _name(statement), _home(source, statement)
    found: list[Setting] = []
    for module in modules:
        names = vars(module)
        if isinstance(home, str):
            found.extend(_in_class(names.get(home), name, names, value))
        elif name in names:
            new = value(names, None)
            old = names[name]
            found.extend(Setting(of, str(name), old, new) for of in _holders(name, old))
    if not found:
        raise Unsettable("nothing live holds it")
    return found


def _in_class(owner: Any, name: Any, names: Any, value: Any) -> Iterable[Setting]:
    if isinstance(owner, type) and name in vars(owner):
        inside = dict(vars(owner))
        yield Setting(owner, name, inside[name], value(names, inside))


def _holders(name: Any, old: Any) -> Iterable[Any]:
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if isinstance(names, dict) and name in names and names[name] is old:
            yield names


def put(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = value
    else:
        setattr(owner, name, value)


def modules_of(file: str) -> list[Any]:
    real = os.path.realpath(file)
    return [
        module
        for module in list(sys.modules.values())
        if isinstance(getattr(module, "__file__", None), str)
        and os.path.realpath(module.__file__ or "") == real
    ]


def _name(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _home(source: Source, statement: ast.stmt) -> Any:
    """The module, or the name of a class that stands in it; None anywhere else."""
    around = [
        up
        for up in source.ancestors(statement)
        if not isinstance(up, (ast.If, ast.Try, ast.With, ast.ExceptHandler))
    ]
    if len(around) == 1:
        return around[0]
    is_class = len(around) == 2 and isinstance(around[0], ast.ClassDef)
    return around[0].name if is_class else None  # type: ignore[attr-defined]  # a class has one


_UNARY = ("call", "iter", "next", "len", "bool", "hash", "index", "int", "float", "str", "enter")
_BINARY = ("contains", "getitem", "eq", "ne", "lt", "le", "gt", "ge", "add", "radd", "sub", "rsub")
_OTHER = ("mul", "rmul", "mod", "rmod", "and", "or", "xor", "format", "get", "getattribute")
_WAYS = (*_UNARY, *_BINARY, *_OTHER)


def _bird(sing: Any) -> Any:
    def heard(*_: Any, **__: Any) -> Any:
        raise sing()

    return type("Canary", (), {f"__{way}__": heard for way in _WAYS})()
