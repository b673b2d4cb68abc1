"""
A changed Python file with what was changed made to raise.

The exception is no ``Exception``, so that what catches everything usual lets it through, and is
known by its name. Three depths, each taken when the one before has nothing to act on or is not
noticed: functions, then the values of names too, then all the rest turned back.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from bot.core.sensitivity.changed import Hunk, Touched, touched
from bot.core.sensitivity.source import Edit, Function, Opaque, Source, lines, parse


class Depth(IntEnum):
    FUNCTIONS = 1
    VALUES = 2
    ALL = 3


@dataclass(frozen=True, slots=True)
class Sabotaged:
    content: bytes
    what: tuple[str, ...]  # that raises now
    turned: int = 0  # hunks turned back


Result: TypeAlias = Sabotaged | Opaque

PROTOCOL = """
    call iter getitem contains len bool getattr add radd eq ne lt gt le ge hash str int float
    index enter exit mod rmod mul rmul or ror and rand sub rsub truediv rtruediv neg pos invert
    get reversed next mro_entries instancecheck subclasscheck format bytes fspath iadd ior
    await aiter aenter setitem delitem class_getitem
"""
"""Whatever is done to a poisoned value raises."""


def sabotage(old: bytes, new: bytes, *, marker: str, depth: Depth) -> Result:
    """``old``: the file on the ground, or nothing. ``marker``: the exception's name."""
    source = parse(new)
    if isinstance(source, Opaque):
        return source
    what = touched(old, source)
    turned = 0
    if depth is Depth.ALL and what.others:
        reverted = _turned_back(old, source, what.others)
        again = parse(reverted)
        if isinstance(again, Source):
            turned, source, what = len(what.others), again, touched(old, again)
    return _spliced(source, what, marker, depth, turned)


def _spliced(source: Source, what: Touched, marker: str, depth: Depth, turned: int) -> Result:
    edits = [_raising(source, node, marker) for node in what.functions]
    named = [f"{node.name}()" for node in what.functions]
    if depth >= Depth.VALUES and what.values:
        inside = [range(source.start(f), source.end(f)) for f in what.functions]
        values = [v for v in what.values if not any(source.start(v) in held for held in inside)]
        edits += [_poisoned(source, node, marker) for node in values]
        edits.append(source.put_first(poison(marker)))
        named += [_target(source, node) for node in values]
    if not named and not turned:
        return Opaque("the change has no function that could be made to raise")
    content = source.edited(edits)
    return content if isinstance(content, Opaque) else Sabotaged(content, tuple(named), turned)


def raising(marker: str) -> str:
    """Says nothing that a module or its parameters may have given another meaning."""
    return f"raise ().__class__.__class__('{marker}', (BaseException,), {{}})('made to raise')"


def poison(marker: str) -> str:
    """A class in one line: any use of its instances raises."""
    body = [f"class {marker}_:", " def _(self, *a, **k):", f"  {raising(marker)}"]
    body += [f" __{name}__ = _" for name in PROTOCOL.split()]
    return f"exec({chr(10).join(body)!r})"


def _raising(source: Source, node: Function, marker: str) -> Edit:
    doc = ast.get_docstring(node, clean=False) is not None
    if not doc:
        return source.put_before(node.body[0], raising(marker))
    if len(node.body) > 1:
        return source.put_before(node.body[1], raising(marker))
    at = source.end(node.body[0])
    return Edit(at, at, f"; {raising(marker)}")


def _poisoned(source: Source, node: ast.Assign | ast.AnnAssign, marker: str) -> Edit:
    assert node.value is not None, "only assignments with a value are listed"  # noqa: S101
    start, end = source.start(node.value), source.end(node.value)
    return Edit(start, end, f"{marker}_()")


def _target(source: Source, node: ast.Assign | ast.AnnAssign) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return source.slice(target).partition("\n")[0][:60]


def _turned_back(old: bytes, new: Source, others: tuple[Hunk, ...]) -> bytes:
    ground = parse(old)
    before = lines(old if isinstance(ground, Opaque) else ground.text)
    after = lines(new.text)
    for hunk in reversed(others):
        after[hunk.k : hunk.l] = before[hunk.i : hunk.j]
    return b"".join(after).decode(errors="replace").encode(new.encoding, errors="replace")
