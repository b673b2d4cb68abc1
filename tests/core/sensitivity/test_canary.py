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
    "test/a.test.mjs": b"import assert from 'node:assert';\ntest('adds', () => {assert.ok(1)});\n",
    "test/c.test.js": b"it('divides', () => { expect(half(4)).toBe(2); });\n",
    "tests/test_d.py": b"def test_halves():\n    assert half(4) == 2\n",
    "d.py": b"def test_halves(): ...",
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


def test_elsewhere_they_stand_in_the_targets_own_file_and_use_its_assertions() -> None:
    script = FILES["test/a.test.mjs"].rstrip() + b"\n\n\n"
    python = FILES["tests/test_d.py"].rstrip() + b"\n\n\n"

    assert (
        laid(Dialect.TAP, "sums::adds")
        == laid(Dialect.JUNIT, "adds")
        == Canary(
            path="test/a.test.mjs",
            content=script
            + b"test('jam 0 0f', () => { throw new Error('made to fail'); });\n"
            + b"test('jam 1 0f', () => { assert.ok(false); });\n",
            name="0f",
            count=2,
        )
    )
    assert laid(Dialect.TAP, "divides") == Canary(
        path="test/c.test.js",
        content=FILES["test/c.test.js"].rstrip()
        + b"\n\n\nit('jam 0 0f', () => { throw new Error('made to fail'); });\n"
        + b"it('jam 1 0f', () => { expect(1).toBe(2); });\n",
        name="0f",
        count=2,
    )
    assert laid(Dialect.JUNIT, "tests.test_d::test_halves[2]") == Canary(
        path="tests/test_d.py",
        content=python
        + b'\n\nclass TestJam0x0f(__import__("unittest").TestCase):\n'
        + b'    def test_jam_0_0f(self):\n        raise AssertionError("made to fail")\n'
        + b'\n\nclass TestJam1x0f(__import__("unittest").TestCase):\n'
        + b"    def test_jam_1_0f(self):\n        one = 1; assert one == 2\n",
        name="0f",
        count=2,
    )


@pytest.mark.parametrize(
    ("dialect", "target"),
    [(Dialect.TAP, "no such"), (Dialect.GO_JSON, "calc::TestGone"), (Dialect.EXIT, "divides")],
)
def test_elsewhere_there_is_none(dialect: Dialect, target: str) -> None:
    assert laid(dialect, target) is None


def seen(mark: Mark | None) -> Sighting:
    """Two canaries, of which one is always told, and a test that fails by itself."""
    marks = {"p::TestJam0f": mark, "p::Test1Jam0f": Mark.FAILED, "p::Test": Mark.FAILED}
    return Sighting(cases={test: Case(test, m) for test, m in marks.items() if m})


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
    canary = Canary(path="", content=b"", name="Jam0f", count=2)
    word = of_canary(seen(here), canary, lambda: seen(before))

    assert isinstance(word, Word)
    assert word.result == result
