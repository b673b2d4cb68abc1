"""
Operators on one expression: each takes a site and says what could stand there instead.

``EXPRESSIONS`` is the table: name, prior, function. The priors come from how often each kind of
edit was the human one on bugs seen by the laboratory; order inside a kind is by weight.
"""

from __future__ import annotations

import ast
import re
from typing import Iterator

from .scope import ATOM, NUMBERS, Text, path_of, precedence, similar
from .site import Change, Operator, Site

COMPARISONS: dict[type, tuple[str, tuple[tuple[str, float], ...]]] = {
    ast.Lt: ("<", (("<=", 1.0), (">", 0.6), (">=", 0.4), ("!=", 0.3), ("==", 0.2))),
    ast.LtE: ("<=", (("<", 1.0), (">=", 0.6), (">", 0.4), ("==", 0.3))),
    ast.Gt: (">", ((">=", 1.0), ("<", 0.6), ("<=", 0.4), ("!=", 0.3), ("==", 0.2))),
    ast.GtE: (">=", ((">", 1.0), ("<=", 0.6), ("<", 0.4), ("==", 0.3))),
    ast.Eq: ("==", (("!=", 1.0), ("<=", 0.5), (">=", 0.5), ("is", 0.3), ("in", 0.4), ("<", 0.3), (">", 0.3))),
    ast.NotEq: ("!=", (("==", 1.0), ("<", 0.4), (">", 0.4), ("is not", 0.3), ("not in", 0.3))),
    ast.Is: ("is", (("is not", 1.0), ("==", 0.6))),
    ast.IsNot: ("is not", (("is", 1.0), ("!=", 0.6))),
    ast.In: ("in", (("not in", 1.0), ("==", 0.5))),
    ast.NotIn: ("not in", (("in", 1.0), ("!=", 0.4))),
}  # fmt: skip
ARITHMETIC: dict[type, tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-", "*", "|")),
    ast.Sub: ("-", ("+", "*")),
    ast.Mult: ("*", ("/", "+", "**", "//")),
    ast.Div: ("/", ("//", "*", "%")),
    ast.FloorDiv: ("//", ("/", "%", "*")),
    ast.Mod: ("%", ("//", "/", "*")),
    ast.Pow: ("**", ("*", "//")),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|", "^")),
    ast.BitOr: ("|", ("&", "^")),
    ast.BitXor: ("^", ("&", "|")),
}
SIBLINGS: tuple[tuple[str, ...], ...] = (
    ("min", "max"), ("any", "all"), ("sorted", "reversed", "list"), ("int", "float", "round"),
    ("list", "tuple", "set", "frozenset"), ("str", "repr"), ("ceil", "floor", "trunc"),
    ("isinstance", "issubclass"), ("sum", "len", "max"), ("range", "reversed"), ("deepcopy", "copy"),
    ("append", "extend", "insert", "appendleft", "add"), ("pop", "popleft", "remove", "discard"),
    ("lower", "upper", "casefold", "title", "capitalize"), ("strip", "lstrip", "rstrip"),
    ("startswith", "endswith"), ("find", "rfind", "index", "rindex"), ("split", "rsplit", "splitlines"),
    ("partition", "rpartition"), ("keys", "values", "items"), ("get", "pop", "setdefault"),
    ("update", "add", "setdefault"), ("match", "search", "fullmatch"), ("ljust", "rjust", "center"),
    ("isdigit", "isnumeric", "isdecimal", "isalnum", "isalpha"), ("encode", "decode"),
    ("union", "intersection", "difference", "symmetric_difference"), ("islower", "isupper"),
    ("removeprefix", "lstrip", "strip"), ("removesuffix", "rstrip", "strip"), ("first", "last"),
    ("getattr", "hasattr"), ("filter", "map"), ("iter", "list"), ("now", "utcnow"),
)  # fmt: skip


def comparison(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            old, others = COMPARISONS[type(operator)]
            for new, weight in others:
                found = site.operator_between(operands[place], operands[place + 1], old, new)
                if found:
                    yield Change((found,), weight)


def bound(site: Site) -> Iterator[Change]:
    """Operator and number of a comparison at once: ``x == 0`` that should be ``x <= 1``."""
    node = site.node
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return
    right = node.comparators[0]
    if not isinstance(right, ast.Constant) or type(right.value) is not int:
        return
    old = COMPARISONS[type(node.ops[0])][0]
    for new in ("<=", ">=", "<", ">", "==", "!="):
        found = site.operator_between(node.left, right, old, new)
        for number in (right.value + 1, right.value - 1):
            if found and new != old:
                yield Change((found, (*site.source.span(right), str(number))), 0.5)


def arithmetic(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        old, others = ARITHMETIC[type(node.op)]
        for place, new in enumerate(others):
            found = site.operator_between(node.left, node.right, old, new)
            if found:
                yield Change((found,), 1.0 / (1 + place))
        yield site.instead(
            f"{site.tight(node.right, 13)} {old} {site.tight(node.left, 13)}", precedence(node), 0.3
        )


def logic(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        found = [
            site.operator_between(one, other, old, new)
            for one, other in zip(node.values, node.values[1:])
        ]
        for place in found:
            if place:
                yield Change((place,), 0.7)
        for skipped in node.values if len(node.values) > 2 else ():
            kept = [site.text(value) for value in node.values if value is not skipped]
            yield site.instead(f" {old} ".join(kept), precedence(node), 0.8)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield site.instead(site.text(node.operand), precedence(node.operand))
    if _is_condition(site):
        yield site.instead(f"not {site.tight(node, 6)}", 5, 0.7)


def _is_condition(site: Site) -> bool:
    if isinstance(site.parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return site.node is site.parent.test
    if isinstance(site.parent, ast.comprehension):
        return site.node in site.parent.ifs
    return isinstance(site.parent, ast.BoolOp)


def off_by_one(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.Constant) or not _is_value(site) or not site.scope.may_be_number(node):
        return
    if isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda, ast.JoinedStr, *_CONTAINERS)):
        return
    known = bool(site.scope.kinds_of(node) & NUMBERS)
    weight = 1.0 if known or isinstance(node, ast.BinOp) else 0.3
    if isinstance(site.parent, (ast.Compare, ast.Slice, ast.Subscript)) or _in_range(site):
        weight *= 2
    text = site.tight(node, 11)
    yield site.instead(f"{text} + 1", 11, weight)
    yield site.instead(f"{text} - 1", 11, weight)


_CONTAINERS = (
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def _in_range(site: Site) -> bool:
    return (
        isinstance(site.parent, ast.Call)
        and isinstance(site.parent.func, ast.Name)
        and site.parent.func.id == "range"
    )


def _is_value(site: Site) -> bool:
    """Whether the site is read for its value (not a target, a callee or a keyword's name)."""
    node, parent = site.node, site.parent
    if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return False
    if isinstance(node, (ast.Starred, ast.Slice)) or isinstance(
        parent, (ast.JoinedStr, ast.FormattedValue)
    ):
        return False
    if isinstance(parent, ast.Call) and node is parent.func:
        return False
    return not (isinstance(parent, ast.Attribute) or isinstance(parent, ast.Expr)) or (
        isinstance(parent, ast.Attribute) and not isinstance(node, ast.Name)
    )


def constant(site: Site) -> Iterator[Change]:
    node = site.node
    if not isinstance(node, ast.Constant) or isinstance(site.parent, (ast.Expr, ast.JoinedStr)):
        return
    value = node.value
    if isinstance(value, bool):
        yield site.instead(str(not value))
        yield site.instead("None", weight=0.3)
    elif isinstance(value, int):
        yield from _numbers(site, value)
    elif isinstance(value, float):
        for other in (str(int(value)) if value == int(value) else "", f"-{value}", "0.0", "1.0"):
            if other and other != site.text():
                yield site.instead(other, 13, 0.5)
    elif value is None:
        for other, weight in (
            ("0", 0.5),
            ("''", 0.5),
            ("[]", 0.5),
            ("{}", 0.4),
            ("False", 0.6),
            ("True", 0.4),
            ("()", 0.3),
        ):
            yield site.instead(other, weight=weight)
    elif isinstance(value, str):
        yield site.instead("None", weight=0.15)
    for text in site.scope.constants:
        if text.text != site.text():
            same = _kind_of_literal(text.text) == type(value).__name__
            yield site.put(text, 0.6 if same else 0.05)


def _numbers(site: Site, value: int) -> Iterator[Change]:
    likely = [value + 1, value - 1, -value, 0, 1, 2, value * 2, value // 2, value * 10, value // 10]
    for place, other in enumerate(dict.fromkeys(likely)):
        if other != value:
            text = str(other)
            if isinstance(site.parent, ast.UnaryOp) and other < 0:
                continue
            yield site.instead(text, 13 if other < 0 else ATOM, 1.0 / (1 + place / 2))
    if value in (0, 1):
        yield site.instead("False" if value == 0 else "True", weight=0.2)
        yield site.instead("None", weight=0.2)


def _kind_of_literal(text: str) -> str:
    try:
        return type(ast.literal_eval(text)).__name__
    except (ValueError, SyntaxError):
        return ""


def name(site: Site) -> Iterator[Change]:
    """Another variable in its place."""
    node = site.node
    if not isinstance(node, (ast.Name, ast.Attribute)) or not _is_readable(site):
        return
    mine = site.text()
    kinds = site.scope.kinds_of(node)
    for text in site.scope.names:
        if text.text != mine and text.text != "self":
            alike = site.scope.likeness(text.text, kinds) if isinstance(node, ast.Name) else 0.4
            bonus = 1.0 + similar(text.text, mine) + (text.text in site.scope.unread)
            yield site.put(text, alike * bonus)


def _is_readable(site: Site) -> bool:
    node, parent = site.node, site.parent
    if not isinstance(getattr(node, "ctx", None), ast.Load):
        return False
    if isinstance(parent, ast.Call) and node is parent.func:
        return False
    return not (isinstance(parent, ast.FormattedValue) and isinstance(node, ast.Attribute))


def function(site: Site) -> Iterator[Change]:
    """A sibling function or method in the place of the one called or passed on."""
    node = site.node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for group in SIBLINGS:
            if node.id in group:
                for other in group:
                    if other != node.id:
                        yield site.instead(other, weight=1.0)
    elif isinstance(node, ast.Attribute):
        end = site.source.span(node).end
        start = end - len(node.attr)
        called = isinstance(site.parent, ast.Call) and node is site.parent.func
        for group in SIBLINGS:
            if called and node.attr in group:
                for other in group:
                    if other != node.attr:
                        yield Change(((start, end, other),), 1.0)
        if path_of(node)[:1] in (("self",), ("cls",)) or not called:
            for other in site.scope.attributes:
                if other != node.attr:
                    yield Change(((start, end, other),), 0.1 + similar(other, node.attr))


def arguments(site: Site) -> Iterator[Change]:
    """Two arguments exchanged, one left out, one more passed on."""
    node = site.node
    if not isinstance(node, ast.Call):
        return
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    spans = [site.source.span(argument) for argument in given]
    for left in range(len(node.args)):
        for right in range(left + 1, len(node.args)):
            one, other = spans[left], spans[right]
            yield Change(
                (
                    (one.start, one.end, site.text(given[right])),
                    (other.start, other.end, site.text(given[left])),
                ),
                1.0 / (right - left),
            )
    yield from _fewer_arguments(site, node)
    yield from _more_arguments(site, node)


def _fewer_arguments(site: Site, node: ast.Call) -> Iterator[Change]:
    starts = _argument_spans(site, node)
    for place, (start, end) in enumerate(starts):
        if place + 1 < len(starts):
            yield Change(((start, starts[place + 1][0], ""),), 0.5)
        else:
            yield Change(((starts[place - 1][1] if place else start, end, ""),), 0.5)


def _argument_spans(site: Site, node: ast.Call) -> list[tuple[int, int]]:
    spans = [tuple(site.source.span(argument)) for argument in node.args]
    for keyword in node.keywords:
        start, end = site.source.span(keyword.value)
        name_at = site.source.text.rfind(keyword.arg or "**", 0, start)
        spans.append((name_at, end))
    return sorted((span[0], span[1]) for span in spans)


def _more_arguments(site: Site, node: ast.Call) -> Iterator[Change]:
    """Any name in reach, by position or as a keyword of its own name."""
    spans = _argument_spans(site, node)
    end = spans[-1][1] if spans else site.source.span(node).end - 1
    given = {keyword.arg for keyword in node.keywords}
    comma = ", " if spans else ""
    for text in site.scope.names:
        if text.text == "self":
            continue
        yield Change(((end, end, f"{comma}{text.text}"),), 0.3 * text.weight)
        last = text.text.rsplit(".", 1)[-1].lstrip("_")
        if last not in given and last.isidentifier():
            yield Change(((end, end, f"{comma}{last}={text.text}"),), 0.3 * text.weight)
    for text in site.scope.constants[:8]:
        yield Change(((end, end, f"{comma}{text.text}"),), 0.15)
    for other in _calls_alike(site, node):
        for keyword in other.keywords:
            if keyword.arg and keyword.arg not in given:
                said = f"{comma}{keyword.arg}={site.text(keyword.value)}"
                yield Change(((end, end, said),), 0.6)


def _calls_alike(site: Site, node: ast.Call) -> Iterator[ast.Call]:
    called = path_of(node.func)[-1:]
    for other in ast.walk(site.source.tree):
        if isinstance(other, ast.Call) and other is not node and path_of(other.func)[-1:] == called:
            yield other


def unwrap(site: Site) -> Iterator[Change]:
    """A part in the place of the whole."""
    node = site.node
    for part, weight in _parts(node):
        # Leaving out a call, or a guard, is how weak tests are satisfied: it waits a little.
        yield site.instead(site.text(part), precedence(part), weight)


def _parts(node: ast.AST) -> Iterator[tuple[ast.expr, float]]:
    if isinstance(node, ast.BinOp):
        yield node.left, 0.7
        yield node.right, 0.7
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        yield node.values[0], 0.8
        yield node.values[1], 0.8
    elif isinstance(node, ast.Call):
        for argument in node.args[:3]:
            if not isinstance(argument, ast.Starred):
                yield argument, 0.7
        if isinstance(node.func, ast.Attribute):
            yield node.func.value, 0.7
    elif isinstance(node, ast.IfExp):
        yield node.body, 0.5
        yield node.orelse, 0.5
    elif isinstance(node, (ast.Subscript, ast.Attribute)):
        yield node.value, 0.4
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        yield node.operand, 0.8
    elif isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == 1:
        yield node.elts[0], 0.4


def wrap(site: Site) -> Iterator[Change]:
    """A call around the expression: the conversions and bounds that people forget."""
    node = site.node
    if not _is_value(site) or isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda)):
        return
    if isinstance(node, ast.Constant):
        return
    kinds = site.scope.kinds_of(node)
    text = site.text()
    for call, wants, weight in _WRAPS:
        if not kinds or not wants or kinds & wants:
            yield site.instead(call.format(text), ATOM, weight * (1.0 if kinds & wants else 0.4))
    tight = site.tight(node, ATOM)
    for call, wants, weight in _METHODS:
        if kinds & wants or not kinds:
            yield site.instead(call.format(tight), ATOM, weight * (1.0 if kinds & wants else 0.3))
    if kinds & NUMBERS or not kinds:
        for other in ("0", "1"):
            yield site.instead(f"max({other}, {text})", ATOM, 0.4)
        yield site.instead(f"-{site.tight(node, 14)}", 13, 0.6)


_ANY_LIST = {"list", "tuple", "set", "dict", "generator", "dict_keys", "map", "filter", "zip"}
_WRAPS: tuple[tuple[str, set, float], ...] = (  # type: ignore[type-arg]  # sets of type names
    ("str({})", set(), 0.6), ("int({})", {"float", "str", "bool"}, 0.7), ("abs({})", NUMBERS, 0.6),
    ("len({})", {"str", *_ANY_LIST}, 0.7), ("list({})", _ANY_LIST, 0.8), ("sorted({})", _ANY_LIST, 0.6),
    ("set({})", {"list", "tuple"}, 0.6), ("tuple({})", _ANY_LIST, 0.5), ("float({})", {"int", "str"}, 0.4),
    ("bool({})", set(), 0.3), ("round({})", {"float"}, 0.5), ("reversed({})", {"list", "tuple", "str"}, 0.5),
    ("dict({})", {"dict"}, 0.5), ("sum({})", {"list"}, 0.3), ("sorted(set({}))", {"list", "tuple"}, 0.2),
    ("repr({})", set(), 0.2), ("[{}]", set(), 0.4), ("({},)", set(), 0.3), ("iter({})", {"list"}, 0.2),
    ("any({})", {"list"}, 0.2), ("all({})", {"list"}, 0.2),
)  # fmt: skip
_METHODS: tuple[tuple[str, set, float], ...] = (  # type: ignore[type-arg]  # sets of type names
    ("{}.copy()", {"list", "dict", "set"}, 0.7), ("{}.strip()", {"str", "bytes"}, 0.5), ("{}.lower()", {"str"}, 0.6),
    ("{}.upper()", {"str"}, 0.3), ("{}.split()", {"str"}, 0.3), ("{}.items()", {"dict"}, 0.6),
    ("{}.keys()", {"dict"}, 0.3), ("{}.values()", {"dict"}, 0.5), ("{}.rstrip()", {"str"}, 0.3),
    ("{}.lstrip()", {"str"}, 0.3), ("{}.decode()", {"bytes"}, 0.4), ("{}.encode()", {"str"}, 0.3),
)  # fmt: skip


def wrap_own(site: Site) -> Iterator[Change]:
    """A function that the file calls anyway around the expression."""
    node = site.node
    if not _is_value(site) or isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda, ast.Constant)):
        return
    text = site.text()
    for name_ in site.scope.callables:
        if not text.startswith(f"{name_}("):
            yield site.instead(f"{name_}({text})", ATOM, 1.0 if "copy" in name_ else 0.4)


def pool(site: Site) -> Iterator[Change]:
    """Another expression of the same function in its place."""
    if not _is_value(site) or isinstance(site.parent, ast.Attribute):
        return
    mine = site.text()
    for text in site.scope.pool:
        if text.text != mine:
            yield site.put(text)
    if not isinstance(site.node, ast.Name):
        for text in site.scope.names:
            if text.text != mine:
                yield site.put(text, 0.6)


def extend(site: Site) -> Iterator[Change]:
    """Something more: an operand, a fallback, a bound."""
    node = site.node
    if not _is_value(site) or isinstance(node, (ast.Compare, ast.BoolOp, ast.Lambda)):
        return
    kinds = site.scope.kinds_of(node)
    left = site.tight(node, 11)
    for text in site.scope.names[:24]:
        alike = site.scope.likeness(text.text, kinds) * text.weight
        if text.text == left or text.text == "self" or alike < 0.1:
            continue
        yield site.instead(f"{left} + {text.text}", 11, alike)
        if kinds & NUMBERS or not kinds:
            yield site.instead(f"{left} - {text.text}", 11, alike)
            yield site.instead(f"{left} * {text.text}", 11, alike * 0.4)
        if kinds & {"list", "str"} or not kinds:
            yield site.instead(f"{text.text} + {left}", 11, alike * 0.6)
            yield site.instead(f"{left} + [{text.text}]", 11, 0.3 * text.weight)
        yield site.instead(f"max({left}, {text.text})", ATOM, alike * 0.4)
        yield site.instead(f"min({left}, {text.text})", ATOM, alike * 0.4)
    for text in site.scope.pool[:24]:
        if isinstance(node, ast.Name) and text.text != left:
            bound = text.text if text.precedence >= 12 else f"({text.text})"
            yield site.instead(f"{left} + {bound}", 11, 0.2 * text.weight)
    if kinds & {"NoneType"} or not kinds:
        for other in ("''", "[]", "{}", "0"):
            yield site.instead(f"{site.tight(node, 4)} or {other}", 3, 0.3)


def subscript(site: Site) -> Iterator[Change]:
    """Slices begun, ended or taken; a look-up that may fail made one that may not."""
    node = site.node
    if isinstance(node, ast.Subscript):
        yield from _indexed(site, node)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
    ):
        if len(node.args) >= 1:
            owner = site.text(node.func.value)
            yield site.instead(f"{owner}[{site.text(node.args[0])}]", ATOM, 0.6)
    if _is_value(site) and isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        kinds = site.scope.kinds_of(node)
        if not kinds or kinds & {"str", "list", "tuple", "bytes", "deque"}:
            factor = 1.0 if kinds else 0.4
            text = site.text()
            for part, weight in _SLICES:
                yield site.instead(f"{text}{part}", ATOM, weight * factor)
            for text_ in site.scope.names[:16]:
                if site.scope.kinds(text_.text) & {"int"}:
                    yield site.instead(f"{text}[{text_.text}:]", ATOM, 0.4 * factor)
                    yield site.instead(f"{text}[:{text_.text}]", ATOM, 0.4 * factor)
                    yield site.instead(f"{text}[{text_.text}]", ATOM, 0.3 * factor)


_SLICES = (
    ("[1:]", 0.8),
    ("[:-1]", 0.8),
    ("[:]", 0.7),
    ("[::-1]", 0.6),
    ("[0]", 0.5),
    ("[-1]", 0.5),
    ("[1]", 0.2),
)


def _indexed(site: Site, node: ast.Subscript) -> Iterator[Change]:
    inner = _index(node)
    owner = site.tight(node.value, ATOM)
    if isinstance(inner, ast.Slice):
        yield from _sliced(site, inner, owner)
    elif isinstance(inner, ast.Tuple):
        parts = [site.text(element) for element in inner.elts]
        if len(parts) == 2:
            yield site.instead(f"{owner}[{parts[1]}, {parts[0]}]", ATOM, 1.0)
    elif isinstance(node.ctx, ast.Load) and inner is not None:
        text = site.text(inner)
        yield site.instead(f"{owner}.get({text})", ATOM, 0.5)
        yield site.instead(f"{owner}.get({text}, 0)", ATOM, 0.3)
        yield site.instead(f"{owner}[{text}:]", ATOM, 0.3)
        yield site.instead(f"{owner}[:{text}]", ATOM, 0.3)
        yield site.instead(f"{owner}[-{site.tight(inner, 13)}]", ATOM, 0.3)


def _index(node: ast.Subscript) -> ast.AST | None:
    inner: ast.AST = node.slice
    return inner.value if type(inner).__name__ == "Index" else inner  # type: ignore[attr-defined]  # 3.8


def _sliced(site: Site, inner: ast.Slice, owner: str) -> Iterator[Change]:
    low, high, step = (site.text(p) if p else "" for p in (inner.lower, inner.upper, inner.step))
    tail = f":{step}" if step else ""
    options: list[tuple[str, str, float]] = []
    if low:
        options += [
            (low + " + 1", high, 0.8),
            (low + " - 1", high, 0.6),
            ("", high, 0.6),
            (f"-{low}", high, 0.2),
        ]
    else:
        options += [("1", high, 0.6)]
    if high:
        options += [
            (low, high + " + 1", 0.8),
            (low, high + " - 1", 0.6),
            (low, "", 0.6),
            (low, f"-{high}", 0.2),
        ]
    else:
        options += [(low, "-1", 0.5)]
    if low and high:
        options.append((high, low, 0.3))
    for text in site.scope.names[:20]:
        if site.scope.kinds(text.text) & {"int"} or not site.scope.types:
            options += (
                [(text.text, high, 0.4), (low, text.text, 0.4)]
                if text.text not in (low, high)
                else []
            )
    for one, other, weight in options:
        yield site.instead(f"{owner}[{one}:{other}{tail}]", ATOM, weight)
    if not step:
        yield site.instead(f"{owner}[{low}:{high}:-1]", ATOM, 0.2)


def sequence(site: Site) -> Iterator[Change]:
    """Elements of a display left out, added, exchanged; an empty one given its first element."""
    node = site.node
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)) or not _is_value(site):
        return
    spans = [site.source.span(element) for element in node.elts]
    if isinstance(node, ast.List) and not node.elts:
        yield site.instead("[[]]", ATOM, 1.0)
        yield site.instead("['']", ATOM, 0.3)
        for text in site.scope.names[:20]:
            yield site.instead(f"[{text.text}]", ATOM, 0.8 * text.weight)
        return
    if len(spans) > 40:
        return
    for place, (start, end) in enumerate(spans[: 40 if len(spans) > 1 else 0]):
        cut = (
            (start, spans[place + 1].start, "")
            if place + 1 < len(spans)
            else (spans[place - 1].end, end, "")
        )
        yield Change((cut,), 0.5)
    for place in range(len(spans) - 1):
        one, other = spans[place], spans[place + 1]
        yield Change(
            (
                (one.start, one.end, site.text(node.elts[place + 1])),
                (other.start, other.end, site.text(node.elts[place])),
            ),
            0.5,
        )
    if spans:
        for text in site.scope.names[:20]:
            yield Change(((spans[-1].end, spans[-1].end, f", {text.text}"),), 0.3 * text.weight)
            yield Change(((spans[0].start, spans[0].start, f"{text.text}, "),), 0.15 * text.weight)


def condition(site: Site) -> Iterator[Change]:
    """A condition narrowed, widened or exchanged for another that stands in reach."""
    node = site.node
    if not _is_condition(site) or isinstance(site.parent, ast.Assert):
        return
    mine = site.text()
    if "\n" in mine:
        return
    for text in site.scope.conditions:
        if text.text == mine:
            continue
        yield site.put(text, 0.4)
        if isinstance(site.parent, ast.BoolOp):
            continue
        loose, tight = _bound(text, 4), _bound(text, 5)
        yield site.instead(f"{site.tight(node, 4)} or {loose}", 3, text.weight * 0.6)
        yield site.instead(f"{site.tight(node, 5)} and {tight}", 4, text.weight * 0.7)
        yield site.instead(f"{tight} and {site.tight(node, 5)}", 4, text.weight * 0.3)
        yield site.instead(f"{loose} or {site.tight(node, 4)}", 3, text.weight * 0.3)
        if not text.text.startswith("not "):
            yield site.instead(
                f"{site.tight(node, 5)} and not {_bound(text, 6)}", 4, text.weight * 0.4
            )
    yield site.instead("True", ATOM, 0.05)
    yield site.instead("False", ATOM, 0.05)


def _bound(text: Text, binds: int) -> str:
    return f"({text.text})" if text.precedence < binds else text.text


def types_widened(site: Site) -> Iterator[Change]:
    """``isinstance(x, A)`` asked of more types, or of others: those of the file, and the built in."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 2:
        return
    if node.func.id not in ("isinstance", "issubclass"):
        return
    asked = node.args[1]
    now = [site.text(part) for part in (asked.elts if isinstance(asked, ast.Tuple) else [asked])]
    for kind, weight in _kinds_in(site):
        if kind in now:
            continue
        yield site.at(asked).instead(f"({', '.join([*now, kind])})", ATOM, weight)
        yield site.at(asked).instead(kind, ATOM, weight * 0.5)


def _kinds_in(site: Site) -> Iterator[tuple[str, float]]:
    found: dict[str, float] = {}
    for call in ast.walk(site.source.tree):
        if (
            isinstance(call, ast.Call)
            and path_of(call.func) == ("isinstance",)
            and len(call.args) == 2
        ):
            second = call.args[1]
            for part in second.elts if isinstance(second, ast.Tuple) else [second]:
                found.setdefault(site.text(part), 1.0)
    for kind in (
        "str",
        "int",
        "float",
        "list",
        "tuple",
        "dict",
        "set",
        "bytes",
        "bool",
        "type(None)",
    ):
        found.setdefault(kind, 0.4)
    yield from found.items()


def alternative(site: Site) -> Iterator[Change]:
    """``x`` only under a condition, else a plain value."""
    node = site.node
    if not isinstance(
        site.parent, (ast.Return, ast.Assign, ast.keyword, ast.Call)
    ) or not _is_value(site):
        return
    text = site.tight(node, 3)
    others = [Text("None", weight=0.6), Text("''", weight=0.2), *site.scope.names[:8]]
    for asked in site.scope.conditions[:16]:
        for other in others:
            if other.text != text:
                weight = 0.3 * asked.weight * other.weight
                yield site.instead(f"{text} if {_bound(asked, 3)} else {other.text}", 2, weight)


def accumulate(site: Site) -> Iterator[Change]:
    """``x = e`` that should not forget what ``x`` was."""
    statement = site.parent
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, text = site.text(statement.targets[0]), site.text()
    kinds = site.scope.kinds_of(statement.targets[0])
    if kinds & NUMBERS or not kinds:
        yield site.instead(f"max({target}, {text})", ATOM, 1.0)
        yield site.instead(f"min({target}, {text})", ATOM, 0.7)
    yield site.instead(f"{target} + {site.tight(site.node, 12)}", 11, 0.6)
    yield site.instead(f"{target} or {site.tight(site.node, 4)}", 3, 0.3)
    yield site.instead(f"{target} and {site.tight(site.node, 5)}", 4, 0.2)


def both_sides(site: Site) -> Iterator[Change]:
    """The same call around both sides of a comparison."""
    node = site.node
    if not isinstance(node, ast.Compare) or len(node.comparators) != 1:
        return
    sides = (node.left, node.comparators[0])
    for call in ("set({})", "sorted({})", "len({})", "str({})", "list({})", "abs({})"):
        yield Change(tuple((*site.source.span(s), call.format(site.text(s))) for s in sides), 0.5)
    for call in ("{}.lower()", "{}.strip()"):
        yield Change(
            tuple((*site.source.span(s), call.format(site.tight(s, ATOM))) for s in sides), 0.4
        )


WORD = re.compile(r"\w+")

EXPRESSIONS: tuple[tuple[str, float, Operator], ...] = (
    ("comparison", 1.0, comparison),
    ("constant", 0.9, constant),
    ("off by one", 0.9, off_by_one),
    ("arithmetic", 0.8, arithmetic),
    ("name", 0.8, name),
    ("bound", 0.35, bound),
    ("logic", 0.7, logic),
    ("unwrap", 0.6, unwrap),
    ("function", 0.7, function),
    ("arguments", 0.6, arguments),
    ("wrap", 0.45, wrap),
    ("subscript", 0.45, subscript),
    ("sequence", 0.5, sequence),
    ("types", 0.6, types_widened),
    ("wrap own", 0.3, wrap_own),
    ("condition", 0.45, condition),
    ("accumulate", 0.4, accumulate),
    ("extend", 0.4, extend),
    ("expression", 0.4, pool),
    ("both sides", 0.3, both_sides),
    ("alternative", 0.2, alternative),
)
