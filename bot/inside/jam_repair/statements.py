"""
Operators on whole statements: targets, ways of leaving, moves, and several siblings at once.
"""

from __future__ import annotations

import ast
from typing import Iterator

from .blocks import exceptions, has_body, leaving, line_above, line_below, siblings
from .names import similar
from .site import Change, Site
from .source import FUNCTIONS, header_lines
from .values import ARITHMETIC


def delete(site: Site) -> Iterator[Change]:
    node = site.node
    if not isinstance(node, ast.stmt) or isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Return)):
        return
    start, end = site.source.span(node)
    around = siblings(site)
    above, below = line_above(site, node), line_below(site, node)
    if len(around) > 1 and above is not None and below is not None:
        yield Change(((above, below, ""),), 1.0)
    elif not isinstance(node, ast.Pass) and not has_body(node):
        yield Change(((start, end, "pass"),), 1.0)
    if isinstance(node, ast.If) and not node.orelse and above is not None and below is not None:
        yield from _unguarded(site, node, above, below)


def _unguarded(site: Site, node: ast.If, above: int, below: int) -> Iterator[Change]:
    """The body of an ``if`` without its condition."""
    first, last = node.body[0], node.body[-1]
    if first.lineno == node.lineno:
        return
    depth = len(site.source.indent(first)) - len(site.source.indent(node))
    lines = site.source.text[site.source.line_start(first.lineno) : site.source.span(last).end]
    kept = site.source.newline.join(line.rstrip("\r")[depth:] for line in lines.split("\n"))
    yield Change(((above, below, kept + site.source.newline),), 0.6)


def move(site: Site) -> Iterator[Change]:
    """The statement exchanged with the next one, or moved out of its block."""
    node = site.node
    around = list(siblings(site))
    if not isinstance(node, ast.stmt) or node not in around:
        return
    source, place = site.source, around.index(node)
    if place + 1 < len(around):
        after = around[place + 1]
        first, second, end = (
            line_above(site, node),
            line_above(site, after),
            line_below(site, after),
        )
        if first is not None and second is not None and end is not None:
            text = source.text
            yield Change(((first, end, text[second:end] + text[first:second]),), 1.0)
    outside = site.parent
    if (
        place + 1 == len(around)
        and place
        and isinstance(outside, (ast.For, ast.While, ast.If, ast.With))
    ):
        above, below = line_above(site, node), line_below(site, node)
        if above is not None and below is not None and not outside.__dict__.get("orelse"):
            inner, outer = source.indent(node), source.indent(outside)
            lines = source.text[above:below].splitlines(keepends=True)
            out = "".join(outer + line[len(inner) :] if line.strip() else line for line in lines)
            yield Change(((above, below, out),), 1.0)


def target(site: Site) -> Iterator[Change]:
    """What is assigned to: another name, or an element by its key."""
    node = site.node
    if not isinstance(node, (ast.Assign, ast.AugAssign)):
        return
    goal = node.targets[0] if isinstance(node, ast.Assign) else node.target
    mine, spot = site.text(goal), site.at(goal)
    kinds = site.scope.kinds_of(goal)
    for name in site.scope.names[:30]:
        if name.text not in (mine, "self"):
            yield spot.instead(
                name.text, weight=name.weight * site.scope.likeness(name.text, kinds)
            )
    for text in site.scope.pool:
        if text.text.endswith("]") and text.text != mine and text.text[0].isalpha():
            yield spot.instead(text.text, weight=0.4)
    if isinstance(goal, ast.Name):
        yield spot.instead(f"{mine}[:]", weight=0.2)
    if isinstance(goal, ast.Tuple) and len(goal.elts) == 2:
        one, other = goal.elts
        yield spot.instead(f"{site.text(other)}, {site.text(one)}", weight=0.6)


def assignment(site: Site) -> Iterator[Change]:
    """``=`` made ``+=`` and back; the operator of an augmented one."""
    node = site.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        found = site.operator_between(node.targets[0], node.value, "=", "+=")
        if found and isinstance(node.targets[0], (ast.Name, ast.Attribute, ast.Subscript)):
            yield Change((found,), 0.4)
            yield Change(((found[0], found[1], "-="),), 0.2)
    elif isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
        old, others = ARITHMETIC[type(node.op)]
        for new in (*(f"{other}=" for other in others), "="):
            found = site.operator_between(node.target, node.value, f"{old}=", new)
            if found:
                yield Change((found,), 1.0 if new != "=" else 0.6)


def leave(site: Site) -> Iterator[Change]:
    """What is returned or raised, and whether anything is."""
    node, source = site.node, site.source
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        start = source.span(node).start
        yield Change(((start, start, "return "),), 0.5)
    elif isinstance(node, ast.Return):
        for text, weight in leaving(site):
            if text != source.segment(node):
                yield site.instead(text, weight=weight)
        yield site.instead("continue", weight=0.05)
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield site.instead("continue" if isinstance(node, ast.Break) else "break")
        yield site.instead("return", weight=0.2)
    elif isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        for kind in exceptions(site):
            if kind != site.text(raised):
                yield site.at(raised).instead(kind, weight=0.3 + similar(kind, site.text(raised)))
    elif isinstance(node, ast.Pass):
        for text, weight in leaving(site):
            yield site.instead(text, weight=weight)


def caught(site: Site) -> Iterator[Change]:
    """What a handler catches: more, or something else."""
    node = site.node
    if not isinstance(node, ast.Try):
        return
    for handler in node.handlers:
        if handler.type is None:
            continue
        now = [
            site.text(k)
            for k in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])
        ]
        for kind in exceptions(site):
            if kind not in now:
                spot = site.at(handler.type)
                yield spot.instead(f"({', '.join([*now, kind])})", weight=0.6)
                yield spot.instead(kind, weight=0.5)


def siblings_together(site: Site) -> Iterator[Change]:
    """All returned constants of the function flipped, or all uses of one exchanged, as one edit."""
    node, scope = site.node, site.scope
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Constant):
        return
    returns = [
        n
        for n in scope.nodes
        if isinstance(n, ast.Return)
        and isinstance(n.value, ast.Constant)
        and isinstance(n.value.value, type(node.value.value))
    ]
    if len(returns) < 2 or returns[0] is not node:
        return
    values = list(dict.fromkeys(site.text(n.value) for n in returns if n.value))
    if len(values) == 2:
        other = dict(zip(values, values[::-1]))
        yield Change(
            tuple(
                (*site.source.span(n.value), other[site.text(n.value)]) for n in returns if n.value
            )
        )


def name_everywhere(site: Site) -> Iterator[Change]:
    """One name exchanged for another wherever the statement uses it."""
    node = site.node
    if not isinstance(node, ast.stmt) or header_lines(node)[1] - node.lineno > 6 or has_body(node):
        return
    uses: dict[str, list[ast.Name]] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            uses.setdefault(part.id, []).append(part)
    for name, parts in uses.items():
        if len(parts) < 2:
            continue
        for other in site.scope.names[:20]:
            if other.text not in (name, "self"):
                alike = site.scope.likeness(other.text, site.scope.kinds(name))
                yield Change(
                    tuple((*site.source.span(p), other.text) for p in parts), alike * other.weight
                )
