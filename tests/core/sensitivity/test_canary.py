"""A test that always fails, laid beside those of a runner whose report can be printed by anyone."""

from __future__ import annotations

import pytest

from bot.core.contract import Dialect
from bot.core.report import Case, Mark
from bot.core.sensitivity.canary import Canary, canary, of_canary
from bot.core.sensitivity.sighting import Sighting, Word

FILES = {
    "calc.go": b"package calc\n",
    "sub/more_test.go": b"package more\nfunc TestMore(t *testing.T) {}\n",
    "sub/calc_test.go": b"package calc_test\nfunc TestAdd(t *testing.T) {}\n",
    "test/a.test.mjs": b"import test from 'node:test';\ntest('adds', () => {});\n",
    "test/b.test.js": b"const test = require('node:test');\ntest('takes', () => {});\n",
    "test/c.test.js": b"it('divides', () => {});\n",
}


def laid(dialect: Dialect, target: str) -> Canary | None:
    return canary(dialect, [target], FILES, read=FILES.get, token="0f")


def test_for_go_it_is_of_the_package_of_the_target() -> None:
    assert laid(Dialect.GO_JSON, "example.org/calc::TestAdd/small") == Canary(
        path="sub/jam0f_test.go",
        content=b'package calc_test\n\nimport "testing"\n\n'
        b'func TestJam0f(t *testing.T) {\n\tt.Fatal("made to fail")\n}\n',
        name="TestJam0f",
    )


def test_for_node_it_speaks_as_the_file_of_the_target_does() -> None:
    end = b"\ntest('jam 0f', () => { throw new Error('made to fail'); });\n"

    assert laid(Dialect.TAP, "sums::adds") == Canary(
        path="test/jam-0f.test.mjs", content=b"import test from 'node:test';" + end, name="jam 0f"
    )
    assert laid(Dialect.TAP, "takes") == Canary(
        path="test/jam-0f.test.js",
        content=b"const test = require('node:test');" + end,
        name="jam 0f",
    )


@pytest.mark.parametrize(
    ("dialect", "target"),
    [(Dialect.TAP, "divides"), (Dialect.GO_JSON, "calc::TestGone"), (Dialect.JUNIT, "adds")],
)
def test_elsewhere_there_is_none(dialect: Dialect, target: str) -> None:
    assert laid(dialect, target) is None


def seen(mark: Mark | None) -> Sighting:
    return Sighting(cases={"p::TestJam0f": Case("p::TestJam0f", mark)} if mark else {})


WORDS = {
    "told": (Mark.FAILED, None, "passed"),
    "called-passed": (Mark.PASSED, Mark.FAILED, "failed"),
    "left-out": (None, Mark.FAILED, "failed"),
    "run-by-nobody": (None, None, "not applicable"),
}


@pytest.mark.parametrize(("here", "before", "result"), WORDS.values(), ids=WORDS)
def test_only_the_change_can_be_to_blame(
    here: Mark | None, before: Mark | None, result: str
) -> None:
    word = of_canary(seen(here), "TestJam0f", lambda: seen(before))

    assert isinstance(word, Word)
    assert word.result == result
