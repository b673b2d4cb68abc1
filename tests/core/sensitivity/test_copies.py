"""Copies of test modules: under other names, and with other expectations."""

from __future__ import annotations

import os
import textwrap
import time
import unittest
from collections.abc import Callable
from typing import Any

import pytest

from bot.core.contract import Dialect
from bot.core.sensitivity.ids import TestName, beside, by_name, take_apart
from bot.core.sensitivity.module import Module, read_module
from bot.core.sensitivity.renamed import Copy, rename, speaks_of, speaks_of_itself
from bot.core.sensitivity.source import Opaque, Source, parse
from bot.core.sensitivity.twin import Tokens, Twin, disturb, reached

TOKENS = Tokens(hard="aaaa", soft="bbbb", name="cccc")


def module(text: str) -> Module:
    source = parse(textwrap.dedent(text).encode())
    assert isinstance(source, Source)
    return read_module(source)


def named(*tests: str) -> dict[str, TestName]:
    found = {test: take_apart(test, Dialect.PYTEST, {}) for test in tests}
    return {test: name for test, name in found.items() if name}


def twin(text: str, *tests: str) -> Twin:
    made = disturb(module(text), named(*tests), dialect=Dialect.PYTEST, tokens=TOKENS)
    assert isinstance(made, Twin), made
    return made


def loaded(content: bytes, **given: Any) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "copy", "pytest": pytest, "unittest": unittest, **given}
    exec(content, names)
    return names


# ids

APART = {
    "a function": ("t/test_a.py::test_b", Dialect.PYTEST, ("t/test_a.py", ("test_b",), "")),
    "parameters": (
        "test_a.py::K::test_b[x::y.py]",
        Dialect.PYTEST,
        ("test_a.py", ("K", "test_b"), "[x::y.py]"),
    ),
    "unittest": ("t.test_a.K.test_b", Dialect.UNITTEST, ("t/test_a.py", ("K", "test_b"), "")),
    "unittest of a folder": ("test_a.K.test_b", Dialect.UNITTEST, None),
    "a script": ("t/test_a.py::K.test_b", Dialect.UNITTEST, None),
    "a document": ("docs/index.rst::index.rst", Dialect.PYTEST, None),
    "another dialect": ("TestB", Dialect.GO_JSON, None),
}


@pytest.mark.parametrize(("test", "dialect", "expected"), APART.values(), ids=APART.keys())
def test_ids_are_taken_apart(test: str, dialect: Dialect, expected: Any) -> None:
    files = by_name(["t/test_a.py", "u/test_a.py", "test_b.py"])
    found = take_apart(test, dialect, files)

    assert (found and (found.path, found.names, found.parameters)) == expected
    assert found is None or found.id == test


def test_a_copy_lies_beside_its_original() -> None:
    name = take_apart("t.test_a.K.test_b", Dialect.UNITTEST, by_name(["t/test_a.py"]))

    assert name is not None
    assert name.moved("t/test_x.py", ("K", "test_y")).id == "t.test_x.K.test_y"
    assert [beside(path, "x") for path in ("t/test_a.py", "a_test.py", "tests.py")] == [
        "t/test_x.py",
        "tx_test.py",
        "test_x.py",
    ]


# renamed


def test_test_functions_are_renamed_but_those_that_the_module_speaks_of() -> None:
    text = """\
    class K:
        def test_a(self): return 1
        async def  test_b(self): return 2
    def test_c(): return 3
    def helper(): return test_c()
    """
    tests = named("t.py::K::test_a", "t.py::K::test_b[1]", "t.py::test_c", "t.py::D::test_z")
    made = rename(module(text), tests, path="x.py", token="q")

    assert isinstance(made, Copy)
    assert [name.id for name in made.names.values()] == [
        "x.py::K::test_q_0000",
        "x.py::K::test_q_0001[1]",
        "x.py::test_c",
        "x.py::D::test_z",
    ]
    changed = textwrap.dedent(text).replace("test_a", "test_q_0000")
    assert made.content.decode() == changed.replace("test_b", "test_q_0001")


def test_a_module_that_imports_another_speaks_of_it() -> None:
    assert speaks_of(module("from ..blocks.test_a import B\n"), "blocks/test_a.py")
    assert speaks_of(module("import tests.test_a as other\n"), "tests/test_a.py")
    assert not speaks_of(module("x = __file__\n"), "tests/test_a.py")


SPEAKS = {"__file__": True, "__name__ == '__main__'": False, "'tests.test_a'": True, "1": False}


@pytest.mark.parametrize(("word", "expected"), SPEAKS.items())
def test_a_module_that_speaks_of_its_name_is_known(word: str, expected: bool) -> None:
    assert speaks_of_itself(module(f"x = {word}\n"), "tests/test_a.py") is expected


# twins: ``value`` is what the product gives


class AlwaysEqual:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


Run = Callable[[dict[str, Any]], None]
EXPECTATIONS = {
    "at the very end": ("expected = 5; assert value == expected", 5),
    "a number": ("assert value == 5", 5),
    "the other way round": ("assert 5 == value", 5),
    "a string over lines": ('assert value == ("a"\n        "b")', "ab"),
    "a list": ("assert value == [1, {'a': (2.5, None)}]", [1, {"a": (2.5, None)}]),
    "an empty list": ("assert value == []", []),
    "a flag": ("assert (value) == (True)  # == False", True),
    "about a number": ("assert value == pytest.approx(1.0, abs=0.1)", 1.01),
    "a name": ("expected = {3}; assert value == expected, 'why'", {3}),
    "with brackets": ("assert (value) == \\\n        (1 + 2)", 3),
    "in a helper": ("check(value)", 7),
}


@pytest.mark.parametrize(("text", "right"), EXPECTATIONS.values(), ids=EXPECTATIONS.keys())
def test_what_is_right_fails_hard_and_passes_soft(text: str, right: object) -> None:
    body = f"def check(x):\n    assert x == 7\ndef test_a():\n    {text}"
    made = twin(body, "t.py::test_a")

    with pytest.raises(AssertionError):
        loaded(made.hard.content, value=right)["test_a"]()
    loaded(made.soft.content, value=right)["test_a"]()


@pytest.mark.parametrize(("text", "right"), EXPECTATIONS.values(), ids=EXPECTATIONS.keys())
def test_what_equals_everything_is_found_out(text: str, right: object) -> None:
    body = f"def check(x):\n    assert x == 7\ndef test_a():\n    {text}"
    made = twin(body, "t.py::test_a")

    with pytest.raises(BaseException, match="what it should not") as caught:
        loaded(made.soft.content, value=AlwaysEqual())["test_a"]()
    assert type(caught.value).__name__ == made.held


def test_a_long_collection_is_disturbed_so_that_it_is_told_fast() -> None:
    text = (
        "class K(unittest.TestCase):\n"
        "    def test_a(self):\n"
        "        self.assertEqual(value, list(range(2000)))\n"
    )
    made = twin(text, "t.py::K::test_a")
    result = unittest.TestResult()
    began = time.monotonic()

    loaded(made.hard.content, value=list(range(2000)))["K"]("test_a").run(result)
    assert (len(result.failures), time.monotonic() - began < 5) == (1, True)


OTHERS = {
    "a truth": "assert value",
    "a membership": "assert 5 in [value, 1]",
    "two at once": "assert value == 5 and value > 3",
    "an exception": "with pytest.raises(ValueError):\n        int('x')",
    "an exception of a call": "pytest.raises(ValueError, int, 'x')",
    "a warning": "with pytest.warns(UserWarning):\n        __import__('warnings').warn('x')",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_expectations_fail_hard_and_pass_soft(text: str) -> None:
    made = twin(f"def test_a():\n    {text}\n", "t.py::test_a")

    loaded(made.soft.content, value=5)["test_a"]()
    with pytest.raises(BaseException) as caught:  # noqa: PT011  # pytest's own is none of Exception
        loaded(made.hard.content, value=5)["test_a"]()
    assert not isinstance(caught.value, NameError | SyntaxError)


CASES = {
    "equal": "self.assertEqual(value, 5)",
    "almost": "self.assertAlmostEqual(value, 5.0, places=3)",
    "true": "self.assertTrue(value)",
    "in": "self.assertIn(value, [5])",
    "raises": "with self.assertRaises(ValueError):\n            int('x')",
    "regex": "self.assertRaisesRegex(ValueError, 'x', int, 'x')",
    "count": "self.assertCountEqual([value], [5])",
    "a helper's": "self.check()",
    "a base's": "self.elsewhere()",
}


def _run(content: bytes, value: object) -> unittest.TestResult:
    class Base(unittest.TestCase):
        def elsewhere(self) -> None:
            self.assertEqual(value, 5)  # noqa: PT009  # it is what is tried

    kind = loaded(content, value=value, Base=Base)["K"]
    result = unittest.TestResult()
    kind("test_a").run(result)
    return result


def case(text: str) -> Twin:
    body = f"""\
class K(Base):
    def check(self):
        self.assertEqual(value, 5)
    def test_a(self):
        {text}
"""
    return twin(body, "t.py::K::test_a")


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_assertions_of_unittest_fail_hard_and_pass_soft(text: str) -> None:
    made = case(text)

    assert _run(made.soft.content, 5).wasSuccessful()
    assert not _run(made.hard.content, 5).wasSuccessful()


def test_assertions_of_a_class_that_was_imported_are_found() -> None:
    class Elsewhere(unittest.TestCase):
        def test_a(self) -> None:
            self.assertLikeFive()

        def assertLikeFive(self) -> None:  # noqa: N802  # as unittest spells it
            self.assertEqual(Elsewhere.given, 5)  # noqa: PT009  # it is what is tried

        given: object = 5

    made = twin("from elsewhere import Elsewhere\n", "t.py::Elsewhere::test_a")
    content = made.soft.content.replace(b"from elsewhere import Elsewhere", b"")
    result = unittest.TestResult()
    Elsewhere.given = AlwaysEqual()

    loaded(content, Elsewhere=Elsewhere)["Elsewhere"]("test_a").run(result)
    assert made.held in result.errors[0][1]
    content = made.hard.content.replace(b"from elsewhere import Elsewhere", b"")
    Elsewhere.given = 5
    hard = unittest.TestResult()
    loaded(content, Elsewhere=Elsewhere)["Elsewhere"]("test_a").run(hard)
    assert len(hard.failures) == 1


@pytest.mark.parametrize("name", ["equal", "a helper's", "a base's"])
def test_unittest_finds_out_what_equals_everything(name: str) -> None:
    made = case(CASES[name])
    ((_, said),) = _run(made.soft.content, AlwaysEqual()).errors

    assert made.held in said


def test_a_mock_is_expected_to_be_called_otherwise() -> None:
    text = "def test_a():\n    value(1)\n    value.assert_called_once_with(1)\n"
    made = twin(text, "t.py::test_a")

    class Value:
        def __call__(self, *args: object) -> None:
            self.args = args

        def assert_called_once_with(self, *args: object) -> None:
            assert args == self.args

    loaded(made.soft.content, value=Value())["test_a"]()
    with pytest.raises(AssertionError):
        loaded(made.hard.content, value=Value())["test_a"]()


def test_without_an_expectation_there_is_no_twin() -> None:
    made = disturb(
        module("def test_a():\n    print()\n"),
        named("t.py::test_a"),
        dialect=Dialect.PYTEST,
        tokens=TOKENS,
    )

    assert made == Opaque("its tests say in their text nothing that they expect")


def test_what_expects_to_fail_itself_is_left_alone() -> None:
    text = """\
    def test_a():
        with pytest.raises(AssertionError):
            assert value == 6
        try:
            assert value == 6
        except AssertionError:
            pass
        assert value == 5
    """
    made = twin(text, "t.py::test_a")

    assert made.hard.content.count(b"assert value == 6\n") == 2
    assert made.hard.content.count(b"assert value == 5\n") == 0


def test_canaries_fail_always_and_say_who_came_to_an_expectation() -> None:
    made = twin("def test_a():\n    assert value == 5\n", "t.py::test_a")
    names = loaded(made.hard.content, value=6)
    test = made.hard.names["t.py::test_a"]
    before = os.environ.get("PYTEST_CURRENT_TEST")

    with pytest.raises(AssertionError) as silent:
        names["test_cccc"]()
    os.environ["PYTEST_CURRENT_TEST"] = f"{test.id} (call)"
    with pytest.raises(AssertionError):
        names["test_a"]()
    os.environ["PYTEST_CURRENT_TEST"] = before or ""
    with pytest.raises(AssertionError) as confessing:
        names["test_cccc"]()

    places = made.places["t.py::test_a"]
    assert [reached(str(e.value), test, places) for e in (silent, confessing)] == [False, True]
    assert [name.id for name in made.canaries] == [
        "test_aaaa.py::test_cccc",
        "test_aaaa.py::Testcccc::test_cccc",
    ]


def test_a_canary_stands_in_a_targets_own_class_whoever_may_stand_under_it() -> None:
    text = """
    class TestA:
        def __init_subclass__(cls):
            raise TypeError("nobody")

        def test_a(self):
            assert value == 5
    """
    made = twin(text, "t.py::TestA::test_a")
    owner = loaded(made.hard.content, value=5)["TestA"]

    assert [name.id for name in made.canaries] == [
        "test_aaaa.py::test_cccc",
        "test_aaaa.py::Testcccc::test_cccc",
        "test_aaaa.py::TestA::test_cccc",
    ]
    with pytest.raises(AssertionError):
        owner().test_cccc()
