"""
Operators on whole statements: guards, insertions, targets, moves, and several siblings at once.
"""

from __future__ import annotations

import ast
from typing import Iterator, Sequence

from .expressions import ARITHMETIC
from .scope import Text, path_of, similar
from .site import Change, Operator, Site
from .source import FUNCTIONS, header_lines


def _below(site: Site, statement: ast.stmt) -> int | None:
    """The offset of the line after a statement, unless something else stands on its last line."""
    end = site.source.span(statement).end
    stop = site.source.text.find("\n", end)
    rest = site.source.text[end : stop if stop >= 0 else None]
    if rest.strip() and not rest.strip().startswith("#"):
        return None
    return stop + 1 if stop >= 0 else None


def _above(site: Site, statement: ast.stmt) -> int | None:
    start = site.source.line_start(statement.lineno)
    return (
        start if not site.source.text[start : site.source.span(statement).start].strip() else None
    )


def insert_guard(site: Site) -> Iterator[Change]:
    """``if …: return …`` (or continue, break, raise) before the statement."""
    node = site.node
    if not isinstance(node, ast.stmt) or site.scope.function is None:
        return
    at = _above(site, node)
    if at is None or isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return
    space, line = site.source.indent(node), site.source.newline
    first = _is_first(site)
    for leave, weight in _leaving(site):
        for asked in site.scope.conditions[:60]:
            text = f"{space}if {asked.text}:{line}{space}    {leave}{line}"
            yield Change(((at, at, text),), weight * asked.weight * (1.0 if first else 0.5))


def _is_first(site: Site) -> bool:
    body = getattr(site.parent, "body", [])
    return bool(isinstance(body, list) and body and body[0] is site.node)


def _leaving(site: Site) -> Iterator[tuple[str, float]]:
    source, node = site.source, site.node
    for up in source.ancestors(node):
        if isinstance(up, (ast.For, ast.While)):
            yield "continue", 0.7
            yield "break", 0.5
            break
        if isinstance(up, FUNCTIONS):
            break
    returned: dict[str, float] = {}
    raised: dict[str, float] = {}
    for other in site.scope.nodes:
        if isinstance(other, ast.Return):
            returned[source.segment(other)] = 1.0
        elif isinstance(other, ast.Raise):
            text = source.segment(other)
            if "\n" not in text:
                raised[text] = 0.6
    for name in site.scope.names[:5]:
        if name.text not in ("self", "cls"):
            returned.setdefault(f"return {name.text}", 0.3 * name.weight)
    for plain in (
        "return",
        "return None",
        "return []",
        "return False",
        "return True",
        "return ''",
        "return 0",
    ):
        if plain != "return None":
            returned.setdefault(plain, 0.12)
    if site.scope.function is not None and site.scope.function.name.startswith("__"):
        returned.setdefault("return NotImplemented", 1.0)
    for text, weight in [*returned.items(), *raised.items()]:
        if "\n" not in text and len(text) <= 80:
            yield text, weight


def insert_statement(site: Site) -> Iterator[Change]:
    """A statement like one that stands in the function, with a name exchanged, before or after."""
    node = site.node
    if not isinstance(node, ast.stmt) or isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    if site.scope.function is None:
        return
    above, below = _above(site, node), _below(site, node)
    space, line = site.source.indent(node), site.source.newline
    leaves = isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break))
    for text, weight in _statements_like(site):
        said = f"{space}{text}{line}"
        if above is not None:
            yield Change(((above, above, said),), weight)
        if below is not None and not leaves:
            yield Change(((below, below, said),), weight)


def _has_body(node: ast.stmt) -> bool:
    return header_lines(node)[1] != (node.end_lineno or node.lineno) or hasattr(node, "body")


def _statements_like(site: Site) -> list[tuple[str, float]]:
    found: dict[str, float] = {}
    source = site.source
    names = [name for name in site.scope.names[:14] if name.text not in ("self", "cls")]
    for other in site.scope.nodes:
        if not isinstance(other, (ast.Assign, ast.AugAssign, ast.Expr)):
            continue
        text = source.segment(other)
        if (
            "\n" in text
            or len(text) > 80
            or (isinstance(other, ast.Expr) and not isinstance(other.value, ast.Call))
        ):
            continue
        found[text] = max(found.get(text, 0.0), 0.7)
        for changed in _renamed(site, other, text):
            found.setdefault(changed, 0.35)
    for one in names:
        kinds = site.scope.kinds(one.text)
        fill = 3.0 if one.text in site.scope.unfilled else 1.0
        still = 3.0 if one.text in site.scope.unmoved else 1.0
        for other_name in names:
            if one.text == other_name.text:
                continue
            if kinds & {"list", "deque"}:
                _more(found, f"{one.text}.append({other_name.text})", 0.5 * fill)
            if kinds & {"set"}:
                _more(found, f"{one.text}.add({other_name.text})", 0.5 * fill)
            alike = site.scope.likeness(other_name.text, kinds)
            _more(found, f"{one.text} = {other_name.text}", 0.3 * alike * still)
        if kinds & {"int"}:
            found.setdefault(f"{one.text} += 1", 0.4)
            found.setdefault(f"{one.text} -= 1", 0.25)
        if kinds & {"list", "deque"}:
            found.setdefault(f"{one.text}.pop()", 0.3)
            found.setdefault(f"{one.text} = list({one.text})", 0.25)
        if kinds & {"str"}:
            found.setdefault(f"{one.text} = {one.text}.strip()", 0.15)
    return sorted(found.items(), key=lambda item: -item[1])[:160]


def _more(found: dict[str, float], text: str, weight: float) -> None:
    found[text] = max(found.get(text, 0.0), weight)


def _renamed(site: Site, statement: ast.stmt, text: str) -> Iterator[str]:
    start = site.source.span(statement).start
    for part in ast.walk(statement):
        if not isinstance(part, ast.Name):
            continue
        at, end = site.source.span(part)
        for name in site.scope.names[:12]:
            if name.text not in (part.id, "self") and name.weight >= 0.4:
                if site.scope.likeness(name.text, site.scope.kinds(part.id)) >= 0.5:
                    yield text[: at - start] + name.text + text[end - start :]


def delete(site: Site) -> Iterator[Change]:
    node = site.node
    if not isinstance(node, ast.stmt) or isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Return)):
        return
    start, end = site.source.span(node)
    siblings = _siblings(site)
    above, below = _above(site, node), _below(site, node)
    if len(siblings) > 1 and above is not None and below is not None:
        yield Change(((above, below, ""),), 1.0)
    elif not isinstance(node, ast.Pass) and not _has_body(node):
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


def _siblings(site: Site) -> Sequence[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(site.parent, name, None)
        if isinstance(block, list) and site.node in block:
            return block
    return ()


def move(site: Site) -> Iterator[Change]:
    """The statement exchanged with the next one, or moved out of its block."""
    node = site.node
    siblings = list(_siblings(site))
    if not isinstance(node, ast.stmt) or node not in siblings:
        return
    source, place = site.source, siblings.index(node)
    if place + 1 < len(siblings):
        after = siblings[place + 1]
        first, second, end = _above(site, node), _above(site, after), _below(site, after)
        if first is not None and second is not None and end is not None:
            text = source.text
            yield Change(((first, end, text[second:end] + text[first:second]),), 1.0)
    around = site.parent
    if (
        place + 1 == len(siblings)
        and place
        and isinstance(around, (ast.For, ast.While, ast.If, ast.With))
    ):
        above, below = _above(site, node), _below(site, node)
        if above is not None and below is not None and not around.__dict__.get("orelse"):
            inner, outer = source.indent(node), source.indent(around)
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
        for text, weight in _leaving(site):
            if text != source.segment(node):
                yield site.instead(text, weight=weight)
        yield site.instead("continue", weight=0.05)
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield site.instead("continue" if isinstance(node, ast.Break) else "break")
        yield site.instead("return", weight=0.2)
    elif isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        for kind in _exceptions(site):
            if kind != site.text(raised):
                yield site.at(raised).instead(kind, weight=0.3 + similar(kind, site.text(raised)))
    elif isinstance(node, ast.Pass):
        for text, weight in _leaving(site):
            yield site.instead(text, weight=weight)


COMMON = ("ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "LookupError",
          "OSError", "StopIteration", "RuntimeError", "ZeroDivisionError", "UnicodeError",
          "OverflowError", "NotImplementedError", "Exception")  # fmt: skip


def _exceptions(site: Site) -> list[str]:
    mine = [
        node.name
        for node in ast.walk(site.source.tree)
        if isinstance(node, ast.ClassDef) and node.name.endswith(("Error", "Exception"))
    ]
    used = [
        site.text(node)
        for node in ast.walk(site.source.tree)
        if isinstance(node, (ast.Name, ast.Attribute))
        and path_of(node)[-1:]
        and path_of(node)[-1].endswith(("Error", "Exception"))
    ]
    return list(dict.fromkeys([*mine, *used, *COMMON]))[:40]


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
        for kind in _exceptions(site):
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
        n for n in scope.nodes
        if isinstance(n, ast.Return) and isinstance(n.value, ast.Constant) and isinstance(n.value.value, type(node.value.value))
    ]  # fmt: skip
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
    if not isinstance(node, ast.stmt) or header_lines(node)[1] - node.lineno > 6 or _has_body(node):
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


def default(site: Site) -> Iterator[Change]:
    """A parameter's default exchanged for another constant."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    for value in [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]:
        spot, now = site.at(value), site.text(value)
        for text in (*_DEFAULTS, *site.scope.constants[:8]):
            if text.text != now:
                yield spot.put(text, 1.0 if _flips(now, text.text) else 0.3)
        if (
            isinstance(value, ast.Constant)
            and isinstance(value.value, (int, float))
            and not isinstance(value.value, bool)
        ):
            yield spot.instead(str(value.value + 1), weight=0.5)
            yield spot.instead(str(value.value - 1), 13, 0.5)


_DEFAULTS = (
    Text("None"),
    Text("True"),
    Text("False"),
    Text("0"),
    Text("1"),
    Text("''"),
    Text("()"),
)


def _flips(one: str, other: str) -> bool:
    return {one, other} == {"True", "False"}


def decorate(site: Site) -> Iterator[Change]:
    """A decorator taken away, or one of the usual ones put on."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    space, line = site.source.indent(node), site.source.newline
    for decorator in node.decorator_list:
        start = site.source.line_start(decorator.lineno)
        end = site.source.line_start((decorator.end_lineno or decorator.lineno) + 1)
        yield Change(((start, end, ""),), 0.6)
    if isinstance(site.parent, ast.ClassDef) and not node.decorator_list:
        at = site.source.line_start(node.lineno)
        for name in ("property", "staticmethod", "classmethod"):
            yield Change(((at, at, f"{space}@{name}{line}"),), 0.4)


def parameter(site: Site) -> Iterator[Change]:
    """One more parameter, as siblings of the class have it; two exchanged; one left out."""
    node = site.node
    if not isinstance(node, FUNCTIONS):
        return
    plain = node.args.args
    spans = [site.source.span(item) for item in plain]
    if spans:
        at = spans[0].start
        for name in ("self", "cls", "_"):
            if plain[0].arg != name:
                yield Change(((at, at, f"{name}, "),), 0.5)
        for end, start in zip(spans, spans[1:]):
            yield Change(
                (
                    (end.start, end.end, site.source.text[start.start : start.end]),
                    (start.start, start.end, site.source.text[end.start : end.end]),
                ),
                0.4,
            )
        yield Change(
            ((spans[0].start, spans[1].start if len(spans) > 1 else spans[0].end, ""),), 0.2
        )
        if hasattr(node.args, "posonlyargs") and not node.args.posonlyargs and node.args.kwarg:
            yield Change(((spans[-1].end, spans[-1].end, ", /"),), 0.8)
    elif node.args.vararg is not None:
        at = site.source.span(node.args.vararg).start - 1
        for name in ("self", "cls", "_", "_self"):
            yield Change(((at, at, f"{name}, "),), 0.5)


STATEMENTS: tuple[tuple[str, float, Operator], ...] = (
    ("assignment", 0.6, assignment),
    ("leave", 0.4, leave),
    ("caught", 0.5, caught),
    ("siblings together", 0.4, siblings_together),
    ("target", 0.35, target),
    ("insert statement", 0.3, insert_statement),
    ("insert guard", 0.25, insert_guard),
    ("default", 0.5, default),
    ("parameter", 0.3, parameter),
    ("name everywhere", 0.2, name_everywhere),
    ("move", 0.2, move),
    ("decorate", 0.15, decorate),
    ("delete", 0.15, delete),
)
