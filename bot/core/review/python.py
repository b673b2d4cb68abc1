"""
What is odd in a Python change, by its syntax tree.

What the old text did already is not held against the new one: a module that looks at frames may
go on doing so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from bot.core.review.comparing import COMPARING, lying_classes, lying_table
from bot.core.review.edited import Finding, Fresh
from bot.core.review.names import (
    CALLS,
    FRAMES,
    FRAMEWORKS,
    HIDDEN,
    IMPORTS,
    MARKS,
    MENDED,
    PATCHES,
    RUNNERS,
)
from bot.core.sensitivity.source import Opaque, parse

STANDARD = frozenset(sys.stdlib_module_names)


def findings(before: bytes, after: bytes, fresh: Fresh) -> list[Finding]:
    source = parse(after)
    if isinstance(source, Opaque):
        return [Finding(0, f"was not looked into: {source.why}")]
    earlier = parse(before)
    known = set() if isinstance(earlier, Opaque) else {f.what for f in _all(earlier.tree)}
    return [
        Finding(one.line, one.what, one.blocks and one.what not in known)
        for one in _all(source.tree, fresh)
    ]


def _all(tree: ast.Module, fresh: Fresh | None = None) -> Iterator[Finding]:
    documents = _documents(tree)
    aliases = _aliases(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            if fresh is None or fresh.touches(node):
                yield from lying_classes(node)
        elif not hasattr(node, "lineno") or (fresh is not None and not fresh.touches(node)):
            continue
        elif id(node) not in documents:
            yield from _of_node(node, aliases)


def _documents(tree: ast.Module) -> frozenset[int]:
    """Strings that nobody reads but people."""
    return frozenset(
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _aliases(tree: ast.Module) -> dict[str, str]:
    """What a name of this module stands for: ``import os as o`` gives ``o: os``."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for name in names:
                    found[name.asname or name.name.partition(".")[0]] = (
                        name.name if name.asname else name.name.partition(".")[0]
                    )
            case ast.ImportFrom(module=module, names=names, level=0):
                for name in names:
                    found[name.asname or name.name] = f"{module}.{name.name}"
            case _:
                pass
    return found


def _of_node(  # noqa: C901  # one case per kind of node
    node: ast.AST, aliases: dict[str, str]
) -> Iterator[Finding]:
    line = getattr(node, "lineno", 0)
    match node:
        case ast.Import(names=names):
            for name in names:
                yield from _of_import(name.name, line)
        case ast.ImportFrom(module=module, names=names, level=0):
            yield from _of_import(module or "", line)
            for name in names:
                yield from _of_name(f"{module}.{name.name}", line)
        case ast.Attribute():
            yield from _of_name(dotted(node, aliases), line)
            yield from _of_attribute(node, line)
        case ast.Name(id=name):
            yield from _of_name(aliases.get(name, name), line)
        case ast.Constant(value=str() as text):
            yield from _of_text(text, line)
        case ast.Call():
            yield from _of_call(node, aliases)
            yield from _of_question([*node.args, node.func], line)
        case ast.Compare(left=left, comparators=others):
            yield from _of_question([left, *others], line)
            if any(dotted(other, aliases) == "sys.modules" for other in others):
                yield Finding(line, "asks which modules are loaded")
        case ast.Subscript(slice=key):
            yield from _of_question([key], line)
        case ast.Dict(keys=keys, values=values):
            yield from lying_table(keys, values)
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _of_target(target, aliases)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield from _of_target(target, aliases)
        case ast.ExceptHandler():
            yield from _of_handler(node, aliases)
        case ast.BinOp(op=ast.Add()) | ast.JoinedStr():
            yield from _of_text(spelled(node), line)
        case _:
            pass


def dotted(node: ast.AST, aliases: dict[str, str]) -> str:
    """``a.b.c`` with what ``a`` stands for; '' for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([aliases.get(node.id, node.id), *reversed(parts)])


def spelled(node: ast.AST) -> str:
    """A text that is put together from constants, as far as it is."""
    parts = [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return "".join(parts)[:400]


def _of_import(module: str, line: int) -> Iterator[Finding]:
    top = module.partition(".")[0]
    if top in FRAMEWORKS:
        yield Finding(line, f"product code imports the test framework ({top})", blocks=True)
    elif what := IMPORTS.get(module) or IMPORTS.get(top):
        yield Finding(line, f"{what} ({module})")


def _of_name(name: str, line: int) -> Iterator[Finding]:
    if name in FRAMES:
        yield Finding(line, f"looks at who called it ({name})", blocks=True)
    elif name in CALLS:
        what, blocks = CALLS[name]
        yield Finding(line, f"{what} ({name})", blocks=blocks)
    elif name.rpartition(".")[2] == "SkipTest":
        yield Finding(line, "product code skips tests (SkipTest)", blocks=True)


def _of_attribute(node: ast.Attribute, line: int) -> Iterator[Finding]:
    if node.attr in MARKS:
        yield Finding(line, f"looks at who called it (.{node.attr})", blocks=True)
    elif node.attr in PATCHES and isinstance(node.ctx, ast.Store):
        yield Finding(line, f"exchanges code that is running (.{node.attr})", blocks=True)


def _of_text(text: str, line: int) -> Iterator[Finding]:
    if text in HIDDEN:
        yield Finding(line, f"asks for {text} by its name as text", blocks=True)
    elif any(mark in text for mark in RUNNERS):
        yield Finding(line, "asks whether a test runner is at work", blocks=True)
    elif "test_" in text or text.startswith(("tests", "test/")):
        yield Finding(line, f"names tests or their folder ({text[:40]!r})")


def _of_question(parts: list[ast.expr], line: int) -> Iterator[Finding]:
    """The name of a framework is only odd where something is asked of it."""
    for part in parts:
        text = spelled(part) if isinstance(part, (ast.Constant, ast.BinOp, ast.JoinedStr)) else ""
        if text.partition(".")[0] in FRAMEWORKS:
            yield Finding(line, f"asks for a test framework ({text[:40]})", blocks=True)


def _of_call(node: ast.Call, aliases: dict[str, str]) -> Iterator[Finding]:
    name = dotted(node.func, aliases)
    if name in ("setattr", "delattr", "object.__setattr__", "type.__setattr__") and node.args:
        owner = dotted(node.args[0], aliases)
        attribute = spelled(node.args[1]) if len(node.args) > 1 else ""
        yield from _of_patch(owner, attribute, node.lineno, aliases)


def _of_target(target: ast.expr, aliases: dict[str, str]) -> Iterator[Finding]:
    match target:
        case ast.Attribute(value=owner, attr=attribute):
            yield from _of_patch(dotted(owner, aliases), attribute, target.lineno, aliases)
        case ast.Subscript(value=owner):
            name = dotted(owner, aliases)
            if name in ("sys.modules", "__builtins__", "builtins.__dict__"):
                blocks = name != "sys.modules"
                yield Finding(target.lineno, f"puts something into {name}", blocks=blocks)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                if not isinstance(part, (ast.Tuple, ast.List)):
                    yield from _of_target(part, aliases)
        case _:
            pass


def _of_patch(owner: str, attribute: str, line: int, aliases: dict[str, str]) -> Iterator[Finding]:
    top = owner.partition(".")[0]
    if top in ("builtins", "__builtins__"):
        yield Finding(line, f"changes what is built in ({owner}.{attribute})", blocks=True)
    elif top in FRAMEWORKS:
        yield Finding(line, f"changes the test framework ({owner}.{attribute})", blocks=True)
    elif attribute in PATCHES:
        yield Finding(line, f"exchanges code that is running (.{attribute})", blocks=True)
    elif attribute == "__class__":
        yield Finding(line, "takes on another class (__class__)")
    elif attribute in COMPARING:
        yield Finding(line, f"decides itself what it is equal to ({attribute})")
    elif owner and owner in aliases.values():
        blocks = top in STANDARD - MENDED
        yield Finding(line, f"changes another module from outside ({owner}.{attribute})", blocks)


def _of_handler(node: ast.ExceptHandler, aliases: dict[str, str]) -> Iterator[Finding]:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    broad = {"", "Exception", "BaseException", "builtins.Exception", "builtins.BaseException"}
    names = {dotted(kind, aliases) if kind is not None else "" for kind in kinds}
    if not names & broad or (node.type is not None and names == {""}):
        return
    if not any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
        yield Finding(node.lineno, "catches every exception and goes on")
