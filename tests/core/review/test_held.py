"""Tests among the product, and data that only tests read, are not the change's to change."""

from __future__ import annotations

import pytest

from bot.core.review.edited import Edited, Finding
from bot.core.review.held import findings, only_of_tests

EXAMPLE = 'def add(a, b):\n    """\n    >>> add(2, 3)\n    5\n    """\n    return a - b\n'
TEST = "def test_add():\n    assert add(2, 3) == 5\n\n\ndef other():\n    return 1\n"
CHECK = "def check(a, b):\n    if a != b:\n        raise AssertionError(a)\n"
OWN = "class Case(TestCase):\n    def check(self, a, b):\n        self.assertEqual(a, b)\n"
PLAIN = "def add(a, b):\n    assert a is not None\n    return a - b\n"
RUST = "fn add() {}\n\n"
RUST += "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(1, 2); }\n}\n"


def of(path: str, before: str, after: str, target: str) -> list[Finding]:
    edit = Edited(path=path, before=before.encode(), after=after.encode())
    return list(findings(edit, [target]))


HELD = {
    "an example": (
        ("calc.py", EXAMPLE, EXAMPLE.replace("    5\n", "    -1\n"), "calc.py::calc.add"),
        [Finding(0, "changes an example that is tested", blocks=True)],
    ),
    "an example that is gone": (
        ("calc.py", EXAMPLE, "def add(a, b):\n    return 1\n", "calc.py::calc.add"),
        [Finding(0, "changes an example that is tested", blocks=True)],
    ),
    "an example more": (
        (
            "calc.py",
            EXAMPLE,
            EXAMPLE.replace("    >>>", "    >>> add(1, 1)\n    2\n\n    >>>"),
            "calc.py::calc.add",
        ),
        [],
    ),
    "code beside an example": (
        ("calc.py", EXAMPLE, EXAMPLE.replace("a - b", "a + b"), "calc.py::calc.add"),
        [],
    ),
    "an example that nobody asks": (
        ("calc.py", EXAMPLE, EXAMPLE.replace("    5\n", "    -1\n"), "t.py::test"),
        [],
    ),
    "a test in a file of any name": (
        ("checks.py", TEST, TEST.replace("5", "-1"), "checks.py::test_add"),
        [Finding(1, "changes a test that it is judged by (test_add)", blocks=True)],
    ),
    "the same by a dotted name": (
        ("lib/checks.py", TEST, "", "lib.checks.test_add"),
        [Finding(0, "changes a test that it is judged by (test_add)", blocks=True)],
    ),
    "code beside a test": (
        ("checks.py", TEST, TEST.replace("return 1", "return 2"), "checks.py::test_add"),
        [],
    ),
    "a helper": (
        ("lib/testing.py", CHECK, "def check(a, b):\n    return a == b\n", "t.py::test"),
        [Finding(1, "takes an assertion away (check)", blocks=True)],
    ),
    "a base class": (
        ("lib/testing.py", OWN, OWN.replace("self.assertEqual(a, b)", "pass"), "t.py::test"),
        [Finding(2, "takes an assertion away (Case.check)", blocks=True)],
    ),
    "a helper with Python's own": (
        (
            "lib/testing.py",
            "def check(a, b):\n    assert a == b\n",
            "def check(a, b):\n    a\n",
            "t.py::test",
        ),
        [Finding(1, "takes an assertion away (check)", blocks=True)],
    ),
    "what the product never came to": (
        (
            "lib/a.py",
            "def f(a):\n    if a:\n        return 1\n    raise AssertionError(a)\n",
            "def f(a):\n    return 2\n",
            "t.py::test",
        ),
        [],
    ),
    "a failure of the product's own": (
        (
            "lib/a.py",
            "def f(self):\n    self.fail('no')\n",
            "def f(self):\n    return 2\n",
            "t.py::test",
        ),
        [],
    ),
    "a helper that does more": (
        ("lib/testing.py", CHECK, CHECK + "    print(a)\n", "t.py::test"),
        [],
    ),
    "an assertion of the product's own": (
        ("calc.py", PLAIN, PLAIN.replace("    assert a is not None\n", ""), "t.py::test"),
        [],
    ),
    "a test among the code of Rust": (
        ("lib.rs", RUST, RUST.replace("1, 2", "1, 1"), "tests"),
        [Finding(0, "changes tests among the code", blocks=True)],
    ),
    "code beside it": (("lib.rs", RUST, RUST.replace("add() {}", "add() { 1 }"), "tests"), []),
}


@pytest.mark.parametrize(("change", "found"), HELD.values(), ids=HELD)
def test_what_holds_tests_is_told(change: tuple[str, str, str, str], found: list[Finding]) -> None:
    assert of(*change) == found


def test_a_file_that_is_new_takes_nothing_away() -> None:
    assert list(findings(Edited(path="a.py", after=b"x = 1\n"), ["a.py::test"])) == []


DATA = {
    "named": ("fixtures/sums.json", "open('sums.json')", "", True),
    "its folder is named": ("fixtures/a.json", "ROOT / 'fixtures'", "", True),
    "in a path": ("fixtures/a.json", "open('../fixtures/' + name)", "", True),
    "read by the product as well": (
        "fixtures/sums.json",
        "'sums.json'",
        "load('sums.json')",
        False,
    ),
    "its folder is the product's": ("data/a.json", "'data'", "ROOT / 'data'", False),
    "named by nobody": ("fixtures/sums.json", "nothing", "", False),
    "code": ("lib/calc.py", "'calc.py'", "", False),
    "prose": ("README.md", "'README.md'", "", False),
}


@pytest.mark.parametrize(("path", "test", "product", "only"), DATA.values(), ids=DATA)
def test_data_that_only_tests_name(path: str, test: str, product: str, only: bool) -> None:
    assert only_of_tests(path, [test], [product]) is only
