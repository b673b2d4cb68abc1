"""
Which changes of an assertion keep its meaning, given what was measured of the test.

Without order where the category is *unordered collections*, and only with nothing lost: sorted on
both sides, a multiset, or sets with the lengths beside them. More draws where it is *randomness*.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from bot.core.flaky.finding import Category
from bot.core.flaky.guard_parts import last_name, number_of

UNORDERING = frozenset({"sorted", "Counter"})


def same(before: ast.expr, after: ast.expr, category: Category) -> bool:
    """Whether ``after`` claims what ``before`` claimed, as far as this category lets it."""
    if ast.dump(before) == ast.dump(after):
        return True
    if category is Category.UNORDERED:
        return _without_order(before, after)
    if category is Category.RANDOM:
        return _more_draws(before, after)
    return False


def _without_order(before: ast.expr, after: ast.expr) -> bool:
    match before, after:
        case (
            ast.Compare(left=a, ops=[ast.Eq()], comparators=[b]),
            ast.Compare(left=c, ops=[ast.Eq()], comparators=[d]),
        ):
            return _peeled_equal(a, b, c, d)
        case ast.Call(args=[a, b, *_]), ast.Call(args=[c, d, *_]):
            kinds = last_name(before.func), last_name(after.func)
            if kinds == ("assertEqual", "assertCountEqual"):
                return [ast.dump(a), ast.dump(b)] == [ast.dump(c), ast.dump(d)]
            return kinds[0] == kinds[1] in {"assertEqual", "assertListEqual"} and _peeled_equal(
                a, b, c, d
            )
        case _:
            return False


def _peeled_equal(a: ast.expr, b: ast.expr, c: ast.expr, d: ast.expr) -> bool:
    """Both sides without their order, and each is what it was."""
    left, right = _peeled(c), _peeled(d)
    if left is None and right is None:
        return False
    return _is(a, c, left) and _is(b, d, right)


def _is(before: ast.expr, after: ast.expr, peeled: ast.expr | None) -> bool:
    """The same value in any order; a value that was sorted, or a list written down in order."""
    if ast.dump(peeled or after) == ast.dump(before):
        return peeled is not None or _was_sorted(before) or _written(after) is not None
    was, now = _written(before), _written(peeled or after)
    return was is not None and was == now


def _was_sorted(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in UNORDERING


def _written(node: ast.expr) -> Counter[str] | None:
    if isinstance(node, ast.List | ast.Tuple):
        return Counter(ast.dump(one) for one in node.elts)
    return None


def _peeled(node: ast.expr) -> ast.expr | None:
    """What is in ``sorted(…)`` or ``Counter(…)``. A key would compare less than the whole."""
    match node:
        case ast.Call(func=func, args=[value], keywords=[]) if last_name(func) in UNORDERING:
            return value
        case _:
            return None


def sets_with_lengths(before: ast.expr, after: Iterable[ast.expr]) -> bool:
    """``a == b`` became ``set(a) == set(b)`` and, beside it, ``len(a) == len(b)``."""
    if not (isinstance(before, ast.Compare) and isinstance(before.ops[0], ast.Eq)):
        return False
    a, b = ast.unparse(before.left), ast.unparse(before.comparators[0])
    spelled = {ast.unparse(one) for one in after}
    return {f"set({a}) == set({b})", f"len({a}) == len({b})"} <= spelled


def _more_draws(before: ast.expr, after: ast.expr) -> bool:
    """The same but for the ``range(n)`` of drawn values, whose numbers may only grow."""
    was, now = _draws(before), _draws(after)
    grows = was != now and len(was) == len(now)
    return (
        grows
        and all(x <= y for x, y in zip(was, now, strict=True))
        and (_blank(before) == _blank(after))
    )


def _draws(node: ast.expr) -> list[float]:
    return [number for one in ast.walk(node) if (number := _drawn(one)) is not None]


def _drawn(node: ast.AST) -> float | None:
    """How often: the n of ``… draw() … for _ in range(n)``."""
    match node:
        case ast.ListComp(elt=elt, generators=[one]) | ast.SetComp(elt=elt, generators=[one]):
            pass
        case ast.GeneratorExp(elt=elt, generators=[one]):
            pass
        case _:
            return None
    draws = any(isinstance(part, ast.Call) for part in ast.walk(elt))
    match one.iter:
        case ast.Call(func=ast.Name(id="range"), args=[count]) if draws:
            return number_of(count)
        case _:
            return None


def _blank(node: ast.expr) -> str:
    """Spelled with every number of draws alike."""
    copy = ast.parse(ast.unparse(node), mode="eval").body
    for one in ast.walk(copy):
        if _drawn(one) is not None and isinstance(
            one, ast.ListComp | ast.SetComp | ast.GeneratorExp
        ):
            one.generators[0].iter = ast.Name(id="range", ctx=ast.Load())
    return ast.dump(copy)
