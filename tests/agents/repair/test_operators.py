"""What the operators make of small functions: the text before, the text a person would want."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.agents.repair.changes import changes


def body(*lines: str, head: str = "def f(a, b, items):") -> str:
    return "\n".join((head, *(f"    {line}" for line in lines))) + "\n"


CASES = [
    ("comparison", "return a < b", "return a <= b"),
    ("comparison", "return a is not b", "return a is b"),
    ("comparison", "return a not in items", "return a in items"),
    ("arithmetic", "return a + b  # sum", "return a - b  # sum"),
    ("arithmetic", "return a // b", "return a / b"),
    ("arithmetic", "return a - b", "return b - a"),
    ("off by one", "return items[a]", "return items[a - 1]"),
    ("off by one", "return range(a, b)", "return range(a, b + 1)"),
    ("constant", "return items[0]", "return items[1]"),
    ("constant", "return True", "return False"),
    ("bound", "return len(items) == 0", "return len(items) <= 1"),
    ("logic", "return a and b", "return a or b"),
    ("logic", "return not a", "return a"),
    ("logic", "return a and b and items", "return a and items"),
    ("name", "return f(a, a)", "return f(a, b)"),
    ("function", "return any(x for x in items)", "return all(x for x in items)"),
    ("function", "items.append(a)", "items.extend(a)"),
    ("arguments", "return f(a, b, items)", "return f(b, a, items)"),
    ("arguments", "return f(a, b, items)", "return f(a, items)"),
    ("arguments", "return f(a)", "return f(a, b)"),
    ("arguments", "return f(a)", "return f(a, b=b)"),
    ("unwrap", "return f(a)", "return a"),
    ("unwrap", "return 1 + f(a)", "return f(a)"),
    ("wrap", "return a / b", "return int(a / b)"),
    ("subscript", "return items[:b]", "return items[:b - 1]"),
    ("subscript", "return items[a, b]", "return items[b, a]"),
    ("subscript", "return items[a]", "return items.get(a)"),
    ("subscript", "return items", "return items[::-1]"),
    ("sequence", "return []", "return [[]]"),
    ("sequence", "return [a, b]", "return [b, a]"),
    ("sequence", "return [a]", "return [a, b]"),
    ("accumulate", "a = b + 1", "a = max(a, b + 1)"),
    ("extend", "return a * 2", "return a * 2 + b"),
    ("types", "return isinstance(a, list)", "return isinstance(a, (list, tuple))"),
    ("both sides", "return a == b", "return set(a) == set(b)"),
    ("assignment", "a = b", "a += b"),
    ("assignment", "a ^= b - 1", "a &= b - 1"),
    ("target", "a = 1", "b = 1"),
    ("leave", "f(a)", "return f(a)"),
    ("text", "return a.split(',')", "return a.split(', ')"),
    ("format", "return '%.2f' % a", "return '%.3f' % a"),
    ("pattern", "return re.match(r'[a-z]+', a)", "return re.match(r'[a-z]*', a)"),
    ("pattern", "return re.match(r'[a-z]+', a)", "return re.match(r'[A-Za-z]+', a)"),
    ("flags", "return re.match('x', a)", "return re.match('x', a, flags=re.IGNORECASE)"),
]


@pytest.mark.parametrize(
    ("op", "before", "after"), CASES, ids=[f"{op}: {after}" for op, _, after in CASES]
)
def test_an_operator_makes_the_change(op: str, before: str, after: str) -> None:
    assert body(after) in changes(body(before))


@pytest.mark.parametrize(
    ("op", "before", "after"),
    [
        (
            "condition",
            ["if a:", "    return b"],
            ["if a and not b:", "    return b"],
        ),
        (
            "insert guard",
            ["if not items:", "    return 0", "return max(items)"],
            ["if not items:", "    return 0", "if a is None:", "    return 0", "return max(items)"],
        ),
        (
            "insert statement",
            ["seen = set()", "for a in items:", "    f(a, seen, b)"],
            ["seen = set()", "for a in items:", "    f(a, seen, b)", "    seen.add(a)"],
        ),
        (
            "siblings together",
            ["if a:", "    return True", "return False"],
            ["if a:", "    return False", "return True"],
        ),
        (
            "caught",
            ["try:", "    return a[b]", "except KeyError:", "    return None"],
            ["try:", "    return a[b]", "except (KeyError, IndexError):", "    return None"],
        ),
        (
            "move",
            ["for a in items:", "    b += a", "    return b"],
            ["for a in items:", "    b += a", "return b"],
        ),
        ("delete", ["a = b", "return a"], ["return a"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_statement_is_changed(op: str, before: list[str], after: list[str]) -> None:
    types = {"seen": {"set"}, "items": {"list"}}

    assert body(*after) in changes(body(*before), types=types)


@pytest.mark.parametrize(
    ("op", "before", "after"),
    [
        ("default", "def f(a, deep=False):", "def f(a, deep=True):"),
        ("parameter", "def f(self, *args, **kwargs):", "def f(self, /, *args, **kwargs):"),
    ],
)
def test_a_declaration_is_changed(op: str, before: str, after: str) -> None:
    assert body("return a", head=after) in changes(body("return a", head=before))


def test_what_stands_around_a_change_stays_as_it_was() -> None:
    before = "def f(a,  b):\r\n\treturn ( a<b )   # why: 'é'\r\n"

    assert "def f(a,  b):\r\n\treturn ( a<=b )   # why: 'é'\r\n" in changes(before)


def test_parentheses_appear_only_where_they_are_needed() -> None:
    made = changes(body("return a * b"))

    assert body("return (a + 1) * b") in made
    assert body("return a * b + 1") in made
    assert body("return (a * b) + 1") not in made


@pytest.mark.parametrize(
    "text",
    [
        body(
            "x = [i for i in items if i]", "while a < b:", "    a += f(b)[1:]", "return x, {a: b}"
        ),
        body("with open(a) as b:", "    for i, x in enumerate(b):", "        yield f'{x!r:>{i}}'"),
        body("try:", "    return lambda x: x if a else b", "except ValueError as e:", "    raise"),
        body("class C:", "    @property", "    def g(self, k='x'):", "        return self.a.b(k)"),
    ],
)
def test_nearly_all_changes_can_be_compiled(text: str) -> None:
    made = changes(text)

    broken = [one for one in made if not _is_code(one)]
    assert len(broken) <= len(made) / 50, textwrap.shorten(repr(broken[:3]), 500)


def _is_code(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
