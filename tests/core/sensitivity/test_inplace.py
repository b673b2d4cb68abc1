"""Targets under other names in their own files, where tests cannot be copied."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.core.contract import Dialect
from bot.core.report import Case, Mark
from bot.core.sensitivity.inplace import Renamed, in_place, of_names, texts_of_tests
from bot.core.sensitivity.sighting import Sighting, Word

FILES = {
    "a_test.go": b"package a\n\nfunc TestAdd(t *testing.T) {}\n\nfunc TestMul(t *testing.T) {}\n",
    "a.go": b"package a\n\nfunc TestAdd(x int) {}\n",
    "tests/test_a.py": b"def test_add():\n    pass\n\n\ndef test_add_more():\n    pass\n",
    "tests/test_b.py": b"def test_twice(): ...\n",
    "tests/test_c.py": b"def test_twice(): ...\n",
    "test/a.test.js": b"test('adds', () => {});\nit(`it's`, () => {}); other('adds');\n",
}


def made(dialect: Dialect, *targets: str, passed: tuple[str, ...] = ()) -> Renamed:
    texts = texts_of_tests(FILES, FILES.get)
    return in_place(dialect, targets, passed, texts=texts, token="0f")


CASES = {
    "go": (
        (Dialect.GO_JSON, "m::TestAdd/one"),
        {"m::TestAdd/one": "m::TestAddJam0f/one"},
        {"a_test.go": FILES["a_test.go"].replace(b"TestAdd(", b"TestAddJam0f(")},
    ),
    "python": (
        (Dialect.JUNIT, "tests.test_a::test_add[1]"),
        {"tests.test_a::test_add[1]": "tests.test_a::test_add_jam0f[1]"},
        {"tests/test_a.py": FILES["tests/test_a.py"].replace(b"_add(", b"_add_jam0f(")},
    ),
    "a script": (
        (Dialect.TAP, "sums::adds"),
        {"sums::adds": "sums::adds jam 0f"},
        {"test/a.test.js": FILES["test/a.test.js"].replace(b"test('adds'", b"test('adds jam 0f'")},
    ),
    "in two places": ((Dialect.JUNIT, "test_twice"), {}, {}),
    "nowhere": ((Dialect.JUNIT, "test_gone"), {}, {}),
}


@pytest.mark.parametrize(("asked", "names", "contents"), CASES.values(), ids=CASES)
def test_a_name_is_changed_where_a_test_is_named(
    asked: tuple[Dialect, str], names: Mapping[str, str], contents: Mapping[str, bytes]
) -> None:
    assert made(*asked) == Renamed(names=names, beside={}, contents=contents, speaks=False)


def test_tests_beside_it_get_other_names_too() -> None:
    assert made(Dialect.GO_JSON, "m::TestAdd", passed=("m::TestMul", "m::TestGone")).beside == {
        "m::TestMul": "m::TestMulJam0f"
    }


RENAMED = made(Dialect.GO_JSON, "m::TestAdd", passed=("m::TestMul",))
MUL = "m::TestMulJam0f"


def seen(**marks: Mark) -> Sighting:
    names = {"add": "m::TestAddJam0f", "mul": MUL}
    return Sighting(cases={names[k]: Case(names[k], mark) for k, mark in marks.items()})


WORDS = {
    "passes": (seen(add=Mark.PASSED), seen(), "passed"),
    "needs its name": (seen(add=Mark.FAILED), seen(add=Mark.FAILED, mul=Mark.PASSED), "failed"),
    "is gone": (seen(), seen(add=Mark.FAILED, mul=Mark.PASSED), "failed"),
    "is gone on the base, too": (seen(), seen(mul=Mark.PASSED), "not applicable"),
    "so does its neighbour": (
        seen(add=Mark.FAILED),
        seen(add=Mark.FAILED, mul=Mark.FAILED),
        "not applicable",
    ),
}


@pytest.mark.parametrize(("here", "before", "result"), WORDS.values(), ids=WORDS)
def test_only_the_change_can_be_to_blame(here: Sighting, before: Sighting, result: str) -> None:
    assert of_names(RENAMED, 1, here, lambda: before).result == result


def test_tests_that_speak_of_their_name_are_not_held_to_it() -> None:
    file = b"func TestAdd(t *testing.T) { golden(t.Name()) }\n"
    renamed = in_place(
        Dialect.GO_JSON, ["m::TestAdd"], (), texts={"a_test.go": file.decode()}, token="0f"
    )

    assert of_names(renamed, 1, seen(), lambda: seen()).result == "not applicable"


def test_what_could_not_be_renamed_is_counted() -> None:
    assert of_names(RENAMED, 3, seen(add=Mark.PASSED), lambda: seen()) == Word(
        "passed", "1 test passed under another name; 2 tests could not be renamed"
    )
    assert of_names(made(Dialect.TAP, "x"), 1, seen(), lambda: seen()).result == "not applicable"
