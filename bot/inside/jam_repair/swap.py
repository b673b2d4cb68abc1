"""
Puts an edited function in place of the live one, without importing anything again.

Works on code objects: every function object that runs the old code (the method, the one under a
decorator, the one imported elsewhere by name, each closure) gets the new. What cannot be reached
this way (defaults, decorators, class bodies, module level) is refused, never half done.
"""

from __future__ import annotations
import __future__

import ast
import functools
import gc
import os
import types
from typing import Any, Iterable, Iterator, NamedTuple, Tuple

from . import setting
from .source import FUNCTIONS, FunctionNode, Source, Splice, first_line, splice

FUTURE = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
Key = Tuple[str, str, int]  # file, name, first line


class Unswappable(Exception):
    """This edit cannot be made on live objects."""


class Swap(NamedTuple):
    holder: types.FunctionType | setting.Setting
    old: Any
    new: Any


class Live:
    """The functions of the repository that exist in this process."""

    def __init__(self, files: Iterable[str]) -> None:
        wanted = {os.path.realpath(file) for file in files}
        real: dict[str, str] = {}
        self._found: dict[Key, list[types.FunctionType]] = {}
        self._caches: list[Any] = []
        self.compiled: dict[tuple[str, int], types.CodeType] = {}  # functions as they are
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType:
                code = thing.__code__
                file = real.get(code.co_filename)
                if file is None:
                    file = real[code.co_filename] = os.path.realpath(code.co_filename)
                if file in wanted:
                    key = (file, code.co_name, code.co_firstlineno)
                    self._found.setdefault(key, []).append(thing)
            elif type(thing) is functools._lru_cache_wrapper:
                self._caches.append(thing)

    def running(self, file: str, name: str, line: int) -> list[types.FunctionType]:
        return self._found.get((os.path.realpath(file), name, line), [])

    def forget_caches(self) -> None:
        """A cached answer of one candidate must not be taken for the next one's."""
        for cache in self._caches:
            cache.cache_clear()


def is_inside_body(source: Source, function: FunctionNode, splices: tuple[Splice, ...]) -> bool:
    start = source.line_start(function.body[0].lineno)
    if function.body[0].lineno == function.lineno:
        start = source.span(function.body[0]).start
    end = source.span(function).end
    return all(start <= at and until <= end for at, until, _ in splices)


def swaps(source: Source, unit: ast.stmt, splices: tuple[Splice, ...], live: Live) -> list[Swap]:
    """What to exchange so that ``unit`` (an outermost function, or a constant) is as edited."""
    if isinstance(unit, FUNCTIONS):
        return _code_swaps(source, unit, splices, live)
    try:
        found = setting.settings(source, unit, splices, setting.modules_of(source.file))
    except Exception as refused:  # evaluating a candidate may raise anything
        raise Unswappable(repr(refused)) from refused
    return [Swap(one, one.old, one.new) for one in found]


def canary(source: Source, unit: ast.stmt, live: Live) -> list[Swap]:
    """Swaps after which whoever uses ``unit`` must hear ``Sung``."""
    if not isinstance(unit, FUNCTIONS):
        found = setting.canary(source, unit, setting.modules_of(source.file), Sung)
        return [Swap(one, one.old, one.new) for one in found]
    edit = _canary(source, unit)
    return _code_swaps(source, unit, edit, live) if edit else []


def _code_swaps(
    source: Source, function: FunctionNode, splices: tuple[Splice, ...], live: Live
) -> list[Swap]:
    new = _compiled(source, function, splices)
    key = (source.path, function.lineno)
    old = live.compiled.get(key) or _compiled(source, function, ())
    live.compiled[key] = old
    file = os.path.realpath(source.file)
    lines = {old: first_line(function)}
    found: list[Swap] = []
    for was, now in _pairs(old, new):
        if was == now:
            continue
        for runs in live.running(file, was.co_name, lines.get(was, was.co_firstlineno)):
            if runs.__code__.co_freevars != now.co_freevars:
                raise Unswappable("its free variables change")
            found.append(Swap(runs, runs.__code__, now))
    if not found:
        raise Unswappable("no live function runs it")
    return found


def apply(found: list[Swap]) -> None:
    for holder, _, new in found:
        _put(holder, new)


def revert(found: list[Swap]) -> None:
    for holder, old, _ in found:
        _put(holder, old)


def _put(holder: types.FunctionType | setting.Setting, value: Any) -> None:
    if isinstance(holder, setting.Setting):
        setting.put(holder.owner, holder.name, value)
    else:
        holder.__code__ = value


def _flags(source: Source) -> int:
    flags = 0
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return int(flags & FUTURE)


def _compiled(
    source: Source, function: FunctionNode, splices: tuple[Splice, ...]
) -> types.CodeType:
    """The function's code, compiled alone but on its own lines and inside its own classes."""
    start, end = source.line_start(function.lineno), source.span(function).end
    text = splice(source.text, splices)[start : end + _growth(splices)]
    headers = list(_headers(source, function))
    above = function.lineno - 1 - len(headers)
    if above < 0:
        raise Unswappable("its class starts on its own line")
    whole = "\n" * above + "".join(header + "\n" for header, _ in headers) + text + "\n"
    try:
        code: types.CodeType = compile(whole, source.file, "exec", _flags(source), True)
    except (SyntaxError, ValueError, RecursionError, OverflowError, MemoryError) as broken:
        raise Unswappable(str(broken)) from broken
    for name in [*(name for _, name in headers if name), function.name]:
        code = _inner(code, name)
    return code


def _growth(splices: tuple[Splice, ...]) -> int:
    return sum(len(new) - (until - at) for at, until, new in splices)


def _headers(source: Source, function: FunctionNode) -> Iterator[tuple[str, str]]:
    for up in reversed(list(source.ancestors(function))):
        if isinstance(up, FUNCTIONS):
            raise Unswappable("not an outermost function")
        if isinstance(up, ast.stmt):
            space = source.indent(up)
            name = up.name if isinstance(up, ast.ClassDef) else ""
            yield (f"{space}class {name}:" if name else f"{space}if 1:"), name


def _inner(code: types.CodeType, name: str) -> types.CodeType:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == name:
            return constant
    raise Unswappable(f"{name} is not where it was")


def _pairs(
    old: types.CodeType, new: types.CodeType
) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    yield old, new
    olds, news = (
        [c for c in code.co_consts if isinstance(c, types.CodeType)] for code in (old, new)
    )
    if [c.co_name for c in olds] == [c.co_name for c in news]:
        for was, now in zip(olds, news):
            yield from _pairs(was, now)


def _canary(source: Source, function: FunctionNode) -> tuple[Splice, ...] | None:
    """An edit that makes the function raise ``Sung``: whoever runs it must notice."""
    first = function.body[0]
    if first.lineno == function.lineno:
        return None
    at = source.line_start(first.lineno)
    if isinstance(first, ast.Expr) and len(function.body) > 1 and _is_text(first.value):
        at = source.line_start(function.body[1].lineno)
    return (
        (
            at,
            at,
            f"{source.indent(first)}raise __import__({__name__!r}, None, None, ['Sung']).Sung\n",
        ),
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


class Sung(BaseException):
    """The canary was heard."""

    heard = 0

    def __init__(self) -> None:
        super().__init__()
        Sung.heard += 1
