"""
Whether the tests of a file still are the tests that they were.

Every test must be there, run under the conditions that it ran under, and claim what it claimed. A
change is refused unless it is known to keep that: what cannot be proven here is a person's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.core.flaky.finding import Category
from bot.core.flaky.guard_claims import Claim, bindings, claims, inlined, leaving
from bot.core.flaky.guard_order import same, sets_with_lengths
from bot.core.flaky.guard_parts import Function, Refusal, Rule, functions, is_plain, last_name
from bot.core.flaky.guard_reach import compared, product_names, reach

SHOWN = 80
HARMLESS = frozenset(
    {
        "usefixtures",
        "freeze_time",
        "travel",
        "dict",
        "override_settings",
        "isolated_filesystem",
    }
)
"""Decorators that set something up around a test. ``dict`` is ``mock.patch.dict``'s."""


@dataclass(frozen=True, slots=True)
class File:
    """One test file, as it was or as it is."""

    tree: ast.Module
    functions: Mapping[str, Function]

    @classmethod
    def of(cls, tree: ast.Module) -> File:
        return cls(tree, functions(tree))

    @property
    def tests(self) -> dict[str, Function]:
        return {name: f for name, f in self.functions.items() if f.name.startswith("test")}


def compare(before: File, after: File, *, path: str, category: Category) -> Iterator[Refusal]:
    for name, test in before.tests.items():
        now = after.functions.get(name)
        if now is None:
            what = f"the test {name} is gone or has another name"
            yield Refusal(rule=Rule.TEST, path=path, line=0, what=what)
            continue
        yield from _alike(test, now, path)
        yield from _decorated(test, now, path)
        yield from _claims_kept(before, after, name, path=path, category=category)
    for name, helper in before.functions.items():
        if name not in before.tests and name in after.functions:
            yield from _decorated(helper, after.functions[name], path, but="fixture")
    yield from reach(
        before.functions,
        after.functions,
        imports=product_names(before.tree),
        path=path,
        category=category,
    )
    yield from _module(before.tree, after.tree, path, category)


def _alike(before: Function, after: Function, path: str) -> Iterator[Refusal]:
    def refused(rule: Rule, line: int, what: str) -> Refusal:
        return Refusal(rule=rule, path=path, line=line, what=what)

    if type(before) is not type(after):
        yield refused(Rule.TEST, after.lineno, f"{after.name} is async where it was not, or was")
    had = leaving(before.body)
    for kind, count in leaving(after.body).items():
        if count > had[kind]:
            what = f"{after.name} has a new {kind}, after which nothing is checked"
            yield refused(Rule.ASSERTION, after.lineno, what)
    if _yields(after) and not _yields(before):
        yield refused(Rule.TEST, after.lineno, f"{after.name} yields, so its body is not run")


def _decorated(before: Function, after: Function, path: str, *, but: str = "") -> Iterator[Refusal]:
    """``but``: the name of a decorator that may have other arguments."""
    had = [one for one in before.decorator_list if not but or last_name(one) != but]
    has = [one for one in after.decorator_list if not but or last_name(one) != but]
    was, now = [ast.dump(one) for one in had], [ast.dump(one) for one in has]
    for one in had:
        if ast.dump(one) not in now:
            what = f"{after.name} loses or changes @{ast.unparse(one)[:SHOWN]}"
            yield Refusal(rule=Rule.TEST, path=path, line=after.lineno, what=what)
    for one in has:
        if ast.dump(one) not in was and last_name(one) not in HARMLESS:
            what = f"{after.name} gains @{ast.unparse(one)[:SHOWN]}"
            yield Refusal(rule=Rule.TEST, path=path, line=one.lineno, what=what)


def _yields(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))


def _claims_kept(
    before: File, after: File, name: str, *, path: str, category: Category
) -> Iterator[Refusal]:
    imports = product_names(before.tree)
    left = claims(after.functions[name], after.functions)
    for claim in claims(before.functions[name], before.functions):
        found = next((one for one in left if _keeps(claim, one, category)), None)
        if found is not None:
            left.remove(found)
            yield from compared(claim, found, path, imports=imports)
        elif (
            not sets_with_lengths(claim.node, [c.node for c in left if c.under == claim.under])
            or category is not Category.UNORDERED
        ):
            yield _lost(claim, left, after.functions[name], path)


def _keeps(before: Claim, after: Claim, category: Category) -> bool:
    if before.under != after.under or after.size > before.size:
        return False
    if same(before.node, after.node, category):
        return True
    return same(_whole(before), _whole(after), category)


def _whole(claim: Claim) -> ast.expr:
    return inlined(claim.node, claim.function.body) if claim.function else claim.node


def _lost(claim: Claim, left: list[Claim], now: Function, path: str) -> Refusal:
    spelled = ast.unparse(claim.node)
    same_text = next((one for one in left if one.text == claim.text), None)
    if same_text is not None and same_text.under != claim.under:
        what = f"`{spelled[:SHOWN]}` is checked under other conditions, loops or handlers"
        return Refusal(rule=Rule.ASSERTION, path=path, line=same_text.line, what=what)
    if same_text is not None:
        what = f"more happens where `{spelled[:SHOWN]}` is expected than did"
        return Refusal(rule=Rule.ASSERTION, path=path, line=same_text.line, what=what)
    near = left[0] if left else None
    what = f"the assertion `{spelled[:SHOWN]}` is gone"
    if near is not None:
        what = f"the assertion `{spelled[:SHOWN]}` became `{ast.unparse(near.node)[:SHOWN]}`"
    line = near.line if near else now.lineno
    return Refusal(rule=Rule.ASSERTION, path=path, line=line, what=what)


def _module(
    before: ast.Module, after: ast.Module, path: str, category: Category
) -> Iterator[Refusal]:
    """Values that stand beside the tests, and names that hide them."""
    for where, old, new in _bodies(before, after):
        was, now = bindings(old), bindings(new)
        for name, values in now.items():
            had = {ast.dump(value) for value in was.get(name, [])}
            fresh = [value for value in values if ast.dump(value) not in had]
            for value in fresh:
                if name.startswith("test"):
                    what = f"binds {where}{name} to something that is no test"
                    yield Refusal(rule=Rule.TEST, path=path, line=value.lineno, what=what)
                elif name == "pytestmark":
                    what = "changes pytestmark, which says how every test of the file runs"
                    yield Refusal(rule=Rule.SKIP, path=path, line=value.lineno, what=what)
                elif had and is_plain(value) and category is not Category.RESOURCE:
                    what = f"changes {where}{name}, which tests compare with"
                    yield Refusal(rule=Rule.ASSERTION, path=path, line=value.lineno, what=what)
    yield from _deleted(before, after, path)
    yield from _bases(before, after, path)


def _bodies(
    before: ast.Module, after: ast.Module
) -> Iterator[tuple[str, list[ast.stmt], list[ast.stmt]]]:
    yield "", before.body, after.body
    had = {node.name: node for node in before.body if isinstance(node, ast.ClassDef)}
    for node in after.body:
        if isinstance(node, ast.ClassDef) and node.name in had:
            yield f"{node.name}.", had[node.name].body, node.body


def _deleted(before: ast.Module, after: ast.Module, path: str) -> Iterator[Refusal]:
    had = {ast.dump(node) for node in ast.walk(before) if isinstance(node, ast.Delete)}
    for node in after.body:
        if isinstance(node, ast.Delete) and ast.dump(node) not in had:
            what = f"deletes `{ast.unparse(node)[:SHOWN]}` from the file"
            yield Refusal(rule=Rule.TEST, path=path, line=node.lineno, what=what)


def _bases(before: ast.Module, after: ast.Module, path: str) -> Iterator[Refusal]:
    """What a class of tests is, decides whether and how they run."""
    had = {node.name: node for node in before.body if isinstance(node, ast.ClassDef)}
    for node in after.body:
        old = had.get(node.name) if isinstance(node, ast.ClassDef) else None
        if not isinstance(node, ast.ClassDef) or old is None:
            continue
        was = [ast.dump(one) for one in (*old.bases, *old.keywords, *old.decorator_list)]
        now = [ast.dump(one) for one in (*node.bases, *node.keywords, *node.decorator_list)]
        if was != now:
            what = f"the class {node.name} has other bases or decorators than it had"
            yield Refusal(rule=Rule.TEST, path=path, line=node.lineno, what=what)
