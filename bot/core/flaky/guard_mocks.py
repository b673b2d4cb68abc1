"""
Whether a mend puts something in the place of what is tested, or fixes chance where it should not.

The environment (clock, random source, process, network, locale) may be replaced, and what a test
had already replaced, and what was measured to leak. Anything else may be the thing under test.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.core.flaky.guard_parts import Refusal, Rule, functions, last_name

ENVIRONMENT = frozenset(
    {
        "time",
        "datetime",
        "date",
        "random",
        "os",
        "environ",
        "sys",
        "path",
        "locale",
        "socket",
        "tempfile",
        "uuid",
        "secrets",
        "calendar",
        "zoneinfo",
        "tz",
        "platform",
        "getpass",
        "cwd",
        "logging",
        "warnings",
        "signal",
    }
)
REPLACING = frozenset({"setattr", "delattr", "setitem", "delitem", "object", "patch", "multiple"})
DOUBLES = frozenset(
    {
        "Mock",
        "MagicMock",
        "AsyncMock",
        "NonCallableMock",
        "PropertyMock",
        "SimpleNamespace",
        "create_autospec",
        "sentinel",
    }
)
SEEDS = frozenset({"seed", "set_seed", "manual_seed", "default_rng", "RandomState", "Random"})


def mocks(
    before: ast.Module, after: ast.Module, *, path: str, free: frozenset[str]
) -> Iterator[Refusal]:
    known = {name for name, _ in _replaced(before)} | {
        ast.unparse(node).rpartition(".")[2] for node in _attributes(before)
    }
    for name, line in _replaced(after):
        if name not in known | free | ENVIRONMENT:
            what = f"puts something in the place of {name}, which the tests may be testing"
            yield Refusal(rule=Rule.MOCK, path=path, line=line, what=what)
    had_set = {ast.unparse(node) for node in _of_environment(before)}
    for node in _of_environment(after):
        if ast.unparse(node) not in had_set:
            what = f"sets {ast.unparse(node)} for every test that follows: use monkeypatch"
            yield Refusal(rule=Rule.MOCK, path=path, line=node.lineno, what=what)
    had = _doubles(before)
    for name, line in _doubles(after).items():
        if name not in had:
            what = f"adds {name}, which answers in the place of what is tested"
            yield Refusal(rule=Rule.MOCK, path=path, line=line, what=what)


def seeds(before: ast.Module, after: ast.Module, *, path: str, may_seed: bool) -> Iterator[Refusal]:
    had = len(list(_seeding(before)))
    for number, (node, is_inside) in enumerate(_seeding(after)):
        if number < had:
            continue
        if not may_seed:
            what = "seeds a random source: only the test that draws may, and only for randomness"
            yield Refusal(rule=Rule.SEED, path=path, line=node.lineno, what=what)
        elif not is_inside:
            what = "seeds a random source for the whole file"
            yield Refusal(rule=Rule.SEED, path=path, line=node.lineno, what=what)


def _replaced(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names that get another value: by monkeypatch, by mock, or by plain assignment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in REPLACING:
            yield from ((name, node.lineno) for name in _target(node))
    yield from ((node.attr, node.lineno) for node in _attributes(tree))


def _target(call: ast.Call) -> Iterator[str]:
    """What ``setattr(thing, "name", …)`` and ``patch("pkg.mod.name")`` name."""
    whole = " ".join(ast.unparse(arg) for arg in call.args[:2])
    if last_name(call.func) in {"setitem", "delitem"}:
        yield last_name(call.args[0]) if call.args else ""
        return
    roots = set(whole.replace("'", " ").replace(".", " ").split())
    if roots & ENVIRONMENT:
        return
    match call.args:
        case [ast.Constant(value=str(text)), *_]:
            yield text.rpartition(".")[2]
        case [_, ast.Constant(value=str(text)), *_]:
            yield text
        case [thing, *_]:
            yield ast.unparse(thing)
        case _:
            pass


def _attributes(tree: ast.Module) -> list[ast.Attribute]:
    """Assigned or deleted attributes of something imported, but for what puts it back."""
    loaded = _imported(tree) | _modules(tree)
    return [node for root, node in _set(tree) if root in loaded and root not in ENVIRONMENT]


def _of_environment(tree: ast.Module) -> list[ast.Attribute]:
    """The same of what stands for the machine: a test may set it, and has to put it back."""
    loaded = _imported(tree)
    return [node for root, node in _set(tree) if root in loaded and root in ENVIRONMENT]


def _set(tree: ast.Module) -> Iterator[tuple[str, ast.Attribute]]:
    """Attributes that are assigned or deleted and by no ``finally`` put back, with their roots."""
    restoring = {
        id(node)
        for one in ast.walk(tree)
        if isinstance(one, ast.Try)
        for last in one.finalbody
        for node in ast.walk(last)
    }
    restored = {
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and id(node) in restoring
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            root = ast.unparse(node).partition(".")[0].partition("[")[0].partition("(")[0]
            is_put_back = root in ENVIRONMENT and ast.unparse(node) in restored
            if id(node) not in restoring and not is_put_back:
                yield root, node


def _imported(tree: ast.Module) -> set[str]:
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def _modules(tree: ast.Module) -> set[str]:
    """Names that ``importlib.import_module`` was bound to."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name) and last_name(node.value.func) == "import_module"
    }


def _doubles(tree: ast.Module) -> dict[str, int]:
    return {
        last_name(node.func): node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and last_name(node.func) in DOUBLES
    }


def _seeding(tree: ast.Module) -> Iterator[tuple[ast.Call, bool]]:
    """Calls that fix chance, and whether they stand in a test."""
    inside = {
        id(node)
        for function in functions(tree).values()
        if function.name.startswith("test")
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in SEEDS and node.args:
            yield node, id(node) in inside
