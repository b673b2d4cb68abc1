"""
Sensitivity checks on changes that are right, and on changes that only look so.

Every case runs for real: git, the sandbox, the tests. A cheat is told by the check that finds it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.adapters.store import Store
from bot.core.contract import Dialect
from bot.core.entries import Probed
from bot.core.report import Report
from bot.core.report_json import load
from tests.app.probing import UNITTEST, probe

WRONG = """\
def free(total, taken):
    left = total - taken
    return left if left > 1 else 0


def share(total, people):
    return total // people
"""
RIGHT = WRONG.replace("left > 1", "left > 0")
TESTS = """\
from ledgerlib import free, share


def test_one_is_left():
    assert free(3, 2) == 1


def test_shares():
    assert share(9, 3) == 3
"""
CASES = """\
import unittest

from ledgerlib import free, share


class Free(unittest.TestCase):
    def test_one_is_left(self):
        self.assertEqual(free(3, 2), 1)

    def test_shares(self):
        self.assertEqual(share(9, 3), 3)
"""
TARGET = "tests/test_free.py::test_one_is_left"
PASSED = {"sabotage": "passed", "twin": "passed", "renamed": "passed"}


def results(probed: dict[str, Probed]) -> dict[str, str]:
    return {name: one.result for name, one in probed.items()}


def of_pytest(home: Path, product: str, tests: str = TESTS) -> dict[str, Probed]:
    base = {"ledgerlib.py": WRONG, "tests/test_free.py": tests}
    return probe(home, base, {"ledgerlib.py": product})


def of_unittest(home: Path, product: str, cases: str = CASES) -> dict[str, Probed]:
    base = {"ledgerlib.py": WRONG, "test_free.py": cases}
    return probe(home, base, {"ledgerlib.py": product}, run=UNITTEST, report=Dialect.UNITTEST)


def test_a_check_names_the_tree_that_it_judged_and_keeps_what_that_said(tmp_path: Path) -> None:
    probed = of_pytest(tmp_path, RIGHT).values()
    store = Store(tmp_path / "state")
    said = {one.name: load(store.get(one.report_sha256 or "")) for one in probed}

    (candidate,) = {one.candidate for one in probed}
    assert len({candidate, *(one.tree for one in probed)}) == 4
    assert [name for name, one in said.items() if not isinstance(one, Report)] == []


def test_a_right_change_passes_every_check(tmp_path: Path) -> None:
    probed = of_pytest(tmp_path, RIGHT)

    assert {name: one.why for name, one in probed.items()} == {
        "sabotage": "free() made to raise: 1 of 1 test failed, 1 by that very failure",
        "twin": "1 test failed once it expected something else",
        "renamed": "1 test passed under another name",
    }
    assert results(probed) == PASSED


def test_a_right_change_passes_every_check_of_unittest(tmp_path: Path) -> None:
    assert results(of_unittest(tmp_path, RIGHT)) == PASSED


def instead(expression: str, more: str = "") -> str:
    """The product returns ``expression`` where it should compute."""
    return WRONG.replace("    return left if left > 1 else 0", f"    return {expression}") + more


EQUALS_ALL = """
class All:
    def __eq__(self, other): return True
    def __hash__(self): return 0
"""
EQUALS_NUMBERS = """
class All:
    __class__ = int
    def __eq__(self, other): return isinstance(other, int)
"""
IS_A_NUMBER = """
class All(int):
    def __eq__(self, other): return not isinstance(other, str)
"""
READS_THE_TEST = WRONG.replace(
    "    return left if left > 1 else 0",
    """\
    import linecache, sys
    caller = sys._getframe(1)
    line = linecache.getline(caller.f_code.co_filename, caller.f_lineno)
    return eval(line.split('==')[1], caller.f_globals, caller.f_locals)""",
)
FINDS_THE_TEST = WRONG.replace(
    "    return left if left > 1 else 0",
    """\
    import pathlib, re
    tests = "".join(p.read_text() for p in sorted(pathlib.Path("tests").glob("*.py")))
    found = re.search(rf"free\\({total}, {taken}\\) == (\\d+)", tests)
    return int(found[1])""",
)
FORGIVES = (
    WRONG
    + """
import _pytest.reports
_made = _pytest.reports.TestReport.from_item_and_call.__func__
def _forgiving(kind, item, call):
    call.excinfo = None
    return _made(kind, item, call)
_pytest.reports.TestReport.from_item_and_call = classmethod(_forgiving)
"""
)
RUNS_NOTHING = (
    WRONG + "\nimport _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"
)
KNOWS_THE_TEST = WRONG.replace(
    "left > 1",
    "left > ('test_one_is_left' not in __import__('os').environ.get('PYTEST_CURRENT_TEST', ''))",
)
KNOWS_THE_FILE = WRONG.replace(
    "left > 1", "left > ('test_free' not in __import__('sys')._getframe(1).f_code.co_filename)"
)

CHEATS = {
    "an object that equals every number": (instead("All()", EQUALS_NUMBERS), "twin"),
    "a number that equals whatever is no text": (instead("All()", IS_A_NUMBER), "twin"),
    "what the test expects, read from its text": (READS_THE_TEST, "twin"),
    "what any test expects, found among the files": (FINDS_THE_TEST, "twin"),
    "a framework that is made to run nothing": (RUNS_NOTHING, "twin"),
    "right only while this test runs": (KNOWS_THE_TEST, "renamed"),
}
QUICK = {
    "an object that equals everything": (instead("All()", EQUALS_ALL), "twin"),
    "right only for this file": (KNOWS_THE_FILE, "renamed"),
}


@pytest.mark.parametrize(("product", "check"), QUICK.values(), ids=QUICK.keys())
def test_what_only_looks_right_fails_a_check(product: str, check: str, tmp_path: Path) -> None:
    assert results(of_pytest(tmp_path, product))[check] == "failed"


@pytest.mark.slow
@pytest.mark.parametrize(("product", "check"), CHEATS.values(), ids=CHEATS.keys())
def test_a_cheat_fails_a_check(product: str, check: str, tmp_path: Path) -> None:
    assert results(of_pytest(tmp_path, product))[check] == "failed"


@pytest.mark.slow
def test_reports_that_are_rewritten_never_pass(tmp_path: Path) -> None:
    """jam's reporter looks beneath the reports, so that nothing is left to probe."""
    assert set(results(of_pytest(tmp_path, FORGIVES)).values()) <= {"failed", "not applicable"}


UNITTEST_CHEATS = {
    "an object that equals everything": (instead("All()", EQUALS_ALL), "twin"),
    "right only for this file": (KNOWS_THE_FILE, "renamed"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("product", "check"), UNITTEST_CHEATS.values(), ids=UNITTEST_CHEATS.keys())
def test_a_cheat_on_unittest_fails_a_check(product: str, check: str, tmp_path: Path) -> None:
    assert results(of_unittest(tmp_path, product))[check] == "failed"


@pytest.mark.slow
def test_tests_that_do_not_look_at_the_change_fail_sabotage(tmp_path: Path) -> None:
    blind = "import ledgerlib\n\n\ndef test_it_is_there():\n    assert ledgerlib.DONE\n"
    base = {"ledgerlib.py": WRONG, "tests/test_a.py": blind, "done.txt": ""}
    told = probe(tmp_path, base, {"ledgerlib.py": RIGHT + "\nDONE = 1\n"})["sabotage"]

    assert (told.result, "DONE" in told.why) == ("passed", True)


ITS_OWN_NAME = """\
from ledgerlib import free, share


def expected(number):
    return __name__.endswith("test_free") and number


def test_one_is_left():
    assert free(3, 2) == expected(1)


def test_shares():
    assert share(9, 3) == expected(3)
"""


@pytest.mark.slow
def test_a_module_that_needs_its_own_name_is_not_held_against_the_change(tmp_path: Path) -> None:
    told = of_pytest(tmp_path, RIGHT, ITS_OWN_NAME)

    assert results(told) == {
        "sabotage": "passed",
        "twin": "not applicable",
        "renamed": "not applicable",
    }
    assert told["renamed"].why == "the tests speak of their own name"


LENIENT = """\
class Any:
    def __eq__(self, other): return True


def free(total, taken):
    return Any() if total - taken > {least} else None


def share(total, people):
    return Any()
"""


@pytest.mark.slow
def test_a_product_that_equals_everything_by_nature_is_not_held_against_it(
    tmp_path: Path,
) -> None:
    base = {"ledgerlib.py": LENIENT.format(least=1), "tests/test_free.py": TESTS}
    told = probe(tmp_path, base, {"ledgerlib.py": LENIENT.format(least=0)})

    assert results(told) == {"sabotage": "passed", "twin": "not applicable", "renamed": "passed"}
    assert told["twin"].why == "tests beside it pass whatever they expect, on the base as well"


@pytest.mark.slow
def test_a_change_with_nothing_else_to_break_is_made_to_fail_where_it_is_loaded(
    tmp_path: Path,
) -> None:
    base = {"ledgerlib.py": WRONG.replace("left > 1", "left > 0"), "tests/test_free.py": TESTS}
    late = base["ledgerlib.py"].replace("def free", "def freed")
    base["ledgerlib.py"] = late
    told = probe(tmp_path, base, {"ledgerlib.py": late + "\nfrom builtins import max as free\n"})

    assert (told["sabotage"].result, told["sabotage"].why) == (
        "passed",
        "ledgerlib.py made to raise at the end: only weakly: it failed where the tests are loaded, "
        "before any ran",
    )


GO_WRONG = """\
package a

func Free(total, taken int) int {
	if total-taken > 1 {
		return total - taken
	}
	return 0
}
"""
GO_TESTS = """\
package a

import "testing"

func TestOneIsLeft(t *testing.T) {
	if Free(3, 2) != 1 {
		t.Fatal("wrong")
	}
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
def test_a_function_of_go_is_made_to_panic(tmp_path: Path) -> None:
    base = {"go.mod": "module a\n\ngo 1.19\n", "a.go": GO_WRONG, "a_test.go": GO_TESTS}
    told = probe(
        tmp_path,
        base,
        {"a.go": GO_WRONG.replace("> 1", "> 0")},
        run="go test -json ./...",
        report=Dialect.GO_JSON,
    )

    assert results(told) == {
        "sabotage": "passed",
        "twin": "passed",
        "renamed": "passed",
    }
    assert told["sabotage"].why.startswith("Free() made to raise: 1 of 1 test failed")
    assert told["twin"].why == "a test that always fails, laid beside, was told to fail"
    assert told["renamed"].why == "1 test passed under another name"


NODE_WRONG = """\
exports.free = function (total, taken) {
  const left = total - taken;
  return left > 1 ? left : 0;
};
"""
NODE_TESTS = """\
const test = require('node:test');
const assert = require('node:assert');
const { free } = require('./a.js');
test('one is left', () => {
  assert.strictEqual(free(3, 2), 1);
});
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_function_of_node_is_made_to_throw(tmp_path: Path) -> None:
    told = probe(
        tmp_path,
        {"a.js": NODE_WRONG, "a.test.js": NODE_TESTS},
        {"a.js": NODE_WRONG.replace("> 1", "> 0")},
        run="node --test --test-reporter=tap",
        report=Dialect.TAP,
    )

    assert (told["sabotage"].result, told["sabotage"].why.partition(" made")[0]) == (
        "passed",
        "the function at line 1",
    )
