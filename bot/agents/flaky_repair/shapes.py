"""
Changes of a test or a product that mend one kind of flakiness each.

A shape knows what such a fault looks like and what is written in its place. Whether it mends
anything is measured by others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from bot.agents.flaky_repair.sheet import Function, Sheet

DRAWS = 10
WAIT_S = 10
SEEDS = (20_011, 7)
SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference"})


def more_draws(sheet: Sheet, test: Function) -> Iterator[str]:
    """``… for _ in range(10)`` becomes ten times as many."""
    for node in ast.walk(test):
        match node:
            case ast.comprehension(iter=ast.Call(func=ast.Name(id="range"), args=[count])):
                if isinstance(count, ast.Constant) and isinstance(count.value, int):
                    yield sheet.replaced(count, str(count.value * DRAWS))
            case _:
                pass


def seeded(sheet: Sheet, test: Function) -> Iterator[str]:
    """The random source is started the same way each time, in the test that draws."""
    place = test.body[0]
    is_docstring = isinstance(place, ast.Expr) and isinstance(place.value, ast.Constant)
    if is_docstring and len(test.body) > 1:
        place = test.body[1]
    indent = sheet.indent(place)
    for seed in SEEDS:
        line = f"{indent}random.seed({seed})\n"
        lines = list(sheet.lines)
        lines.insert(place.lineno - 1, line)
        yield _imported("".join(lines), "random")


def sorted_results(sheet: Sheet) -> Iterator[str]:
    """A list made of a set is made in order."""
    for node in ast.walk(sheet.tree):
        match node:
            case ast.Call(func=ast.Name(id="list"), args=[value], keywords=[]) if _is_set(value):
                yield sheet.replaced(node, f"sorted({ast.unparse(value)})")
            case ast.Call(func=ast.Name(id="tuple" | "enumerate" | "iter"), args=[value]) if (
                _is_set(value)
            ):
                yield sheet.replaced(value, f"sorted({ast.unparse(value)})")
            case ast.Call(func=ast.Attribute(attr="join"), args=[value]) if _is_set(value):
                yield sheet.replaced(value, f"sorted({ast.unparse(value)})")
            case ast.comprehension(iter=value) if _is_set(value):
                yield sheet.replaced(value, f"sorted({ast.unparse(value)})")
            case _:
                pass


def without_order(sheet: Sheet, test: Function) -> Iterator[str]:
    """Compared as what it is: the same things in any order, as many of each."""
    for node in ast.walk(test):
        match node:
            case ast.Assert(
                test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) as compared
            ):
                new = f"sorted({ast.unparse(left)}) == sorted({ast.unparse(right)})"
                yield sheet.replaced(compared, new)
            case ast.Call(func=ast.Attribute(attr="assertEqual") as method):
                yield sheet.replaced(method, f"{ast.unparse(method.value)}.assertCountEqual")
            case _:
                pass


def waiting(sheet: Sheet, test: Function) -> Iterator[str]:
    """``sleep`` and then a claim: wait until it holds, and give up late."""
    for body in _bodies(test):
        for first, second in pairwise(body):
            if _is_sleep(first) and isinstance(second, ast.Assert):
                assert isinstance(first, ast.Expr)  # noqa: S101  # it is a sleep
                indent, claim = sheet.indent(first), ast.unparse(second.test)
                sleep = ast.unparse(first.value).partition("(")[0]
                new = (
                    f"deadline = time.monotonic() + {WAIT_S}\n"
                    f"{indent}while not ({claim}) and time.monotonic() < deadline:\n"
                    f"{indent}    {sleep}(0.01)"
                )
                yield _imported(sheet.replaced(first, new), "time")


def own_folder(sheet: Sheet) -> str:
    fixture = (
        "@pytest.fixture(autouse=True)\n"
        "def works_in_a_folder_of_its_own(tmp_path, monkeypatch):\n"
        '    """Files that tests of this file write are nobody else\'s."""\n'
        "    monkeypatch.chdir(tmp_path)\n"
    )
    return sheet.with_fixture(fixture, modules=())


def any_port(sheet: Sheet, test: Function) -> Iterator[str]:
    """``bind(("localhost", 8765))`` takes whichever port is free."""
    for node in ast.walk(test):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="bind"), args=[ast.Tuple(elts=[_, ast.Constant() as port])]
            ) if isinstance(port.value, int) and port.value > 0:
                yield sheet.replaced(port, "0")
            case _:
                pass


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in SET_METHODS
        case _:
            return False


def _is_sleep(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name == "sleep"
        case _:
            return False


def _bodies(test: Function) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(test):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            yield body


def _imported(text: str, module: str) -> str:
    sheet = Sheet("", text)
    names = {a.name for n in sheet.tree.body if isinstance(n, ast.Import) for a in n.names}
    if module in names:
        return text
    place = next(
        (
            node.lineno - 1
            for node in sheet.tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            and getattr(node, "module", "") != "__future__"
        ),
        0,
    )
    lines = list(sheet.lines)
    lines.insert(place, f"import {module}\n")
    return "".join(lines)
