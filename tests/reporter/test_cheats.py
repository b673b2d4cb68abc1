"""Product code and conftest files that would like to be taken for a fix, each really run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.contract import Dialect
from bot.core.report import Report
from tests.reporter.told import PYTEST, hear, marks, write

WRONG = "def add(a, b): return a - b\n"
TESTS = "from calc import add\ndef test_add(): assert add(2, 3) == 5\ndef test_same(): pass\n"
SUITE = """\
import unittest
from calc import add
class T(unittest.TestCase):
    def test_add(self): self.assertEqual(add(2, 3), 5)
    def test_same(self): pass
"""
RED = {"test_add": "failed", "test_same": "passed"}
NOTHING = {"cut": "the report breaks off"}
NONE_RAN = {"cut": "0 of 2 collected tests ran"}

PRODUCTS = {
    "an-honest-mistake": (WRONG, RED),
    "leaves-the-process": (
        "import os\ndef add(a, b): os._exit(0)\n",
        {"cut": "the report breaks off while test_calc.py::test_add ran"},
    ),
    "leaves-the-process-at-import": ("import os\nos._exit(0)\n", NOTHING),
    "prints-a-summary-and-leaves": (
        "import os\ndef add(a, b):\n    print('2 passed in 0.01s', flush=True)\n    os._exit(0)\n",
        {"cut": "the report breaks off while test_calc.py::test_add ran"},
    ),
    "leaves-with-zero-at-exit": (f"import atexit, os\natexit.register(os._exit, 0)\n{WRONG}", RED),
    "skips-itself": (
        "import unittest\ndef add(a, b): raise unittest.SkipTest\n",
        {"test_add": "skipped", "test_same": "passed"},
    ),
    "expects-to-fail": (
        "import pytest\ndef add(a, b): pytest.xfail()\n",
        {"test_add": "xfailed", "test_same": "passed"},
    ),
    "ends-the-session": ("import pytest\ndef add(a, b): pytest.exit('x', 0)\n", NONE_RAN),
}

CONFTESTS = {
    "forges-the-outcome": (
        "import pytest\n"
        "@pytest.hookimpl(hookwrapper=True)\n"
        "def pytest_runtest_makereport(item, call):\n"
        "    made = yield\n"
        "    made.get_result().outcome = 'passed'\n",
        RED,
    ),
    "forges-the-exit-code": (
        "import pytest\n"
        "@pytest.hookimpl(trylast=True)\n"
        "def pytest_sessionfinish(session): session.exitstatus = 0\n",
        RED,
    ),
    "leaves-out-tests": (
        "def pytest_collection_modifyitems(items): del items[0]\n",
        {"test_same": "passed"},
    ),
    "runs-nothing": ("def pytest_runtest_protocol(item): return True\n", NONE_RAN),
    "has-no-loop": (
        "import pytest\n@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtestloop(session): return True\n",
        NONE_RAN,
    ),
    "has-no-session": (
        "import pytest\n@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_cmdline_main(config): return 0\n",
        NOTHING,
    ),
    "collects-only": ("def pytest_configure(config): config.option.collectonly = True\n", NONE_RAN),
    "leaves-the-process": ("import os\nos._exit(0)\n", NOTHING),
    "exits-politely": (
        "import sys\nsys.exit(0)\n",
        {"cut": "the test run could not begin: SystemExit: 0"},
    ),
}

FRAMEWORK = {
    "reports": (
        "import _pytest.reports as r\n"
        "made = r.TestReport.from_item_and_call.__func__\n"
        "def make(cls, item, call):\n    call.excinfo = None\n    return made(cls, item, call)\n"
        "r.TestReport.from_item_and_call = classmethod(make)\n",
        RED,
        ("_pytest.reports.TestReport.from_item_and_call",),
    ),
    "the-count-of-failures": (
        "import _pytest.main as m\n"
        "m.Session.testsfailed = property(lambda self: 0, lambda self, value: None)\n",
        RED,
        ("_pytest.main.Session.testsfailed",),
    ),
    "how-tests-run": (
        "import _pytest.python as p\np.Function.runtest = lambda self: None\n",
        {"test_add": "passed", "test_same": "passed"},
        ("_pytest.python.Function.runtest",),
    ),
    "the-code-in-a-function": (
        "import _pytest.python as p\np.Function.runtest.__code__ = (lambda self: None).__code__\n",
        {"test_add": "passed", "test_same": "passed"},
        ("_pytest.python.Function.runtest",),
    ),
    "the-plugins": (
        "import gc, pytest\n"
        "class Late:\n"
        "    @pytest.hookimpl(tryfirst=True)\n"
        "    def pytest_pyfunc_call(self, pyfuncitem): return True\n"
        "found = [o for o in gc.get_objects() if type(o).__name__ == 'PytestPluginManager']\n"
        "found[-1].register(Late())\n",
        {"test_add": "passed", "test_same": "passed"},
        ("pytest_pyfunc_call of a plugin that came late",),
    ),
    "a-builtin": (
        "import builtins\nbuiltins.sum = lambda values: 5\n",
        RED,
        ("builtins.sum",),
    ),
}

SUITES = {
    "an-honest-mistake": (WRONG, RED, ()),
    "leaves-the-process": (
        "import os\ndef add(a, b): os._exit(0)\n",
        {"cut": "the report breaks off while test_calc.T.test_add ran"},
        None,
    ),
    "leaves-the-process-at-import": ("import os\nos._exit(0)\n", NOTHING, None),
    "skips-itself": (
        "import unittest\ndef add(a, b): raise unittest.SkipTest\n",
        {"test_add": "skipped", "test_same": "passed"},
        (),
    ),
    "excuses-every-failure": (
        "import unittest\n"
        "excuse = property(lambda self: True, lambda self, value: None)\n"
        f"unittest.TestCase.__unittest_expecting_failure__ = excuse\n{WRONG}",
        {"test_add": "xfailed", "test_same": "xpassed"},
        ("unittest.case.TestCase.__unittest_expecting_failure__",),
    ),
    "calls-failures-successes": (
        "import unittest\n"
        "unittest.TestResult.addFailure = lambda self, test, error: self.addSuccess(test)\n"
        f"{WRONG}",
        RED,
        ("unittest.result.TestResult.addFailure",),
    ),
    "is-always-successful": (
        f"import unittest\nunittest.TestResult.wasSuccessful = lambda self: True\n{WRONG}",
        RED,
        ("unittest.result.TestResult.wasSuccessful",),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("product", "expected"), PRODUCTS.values(), ids=PRODUCTS)
def test_what_product_code_does_to_its_tests_is_seen(
    product: str, expected: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, {"calc.py": product, "test_calc.py": TESTS})

    assert marks(hear(tmp_path, PYTEST)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("conftest", "expected"), CONFTESTS.values(), ids=CONFTESTS)
def test_what_a_conftest_does_to_tests_is_seen(
    conftest: str, expected: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, {"calc.py": WRONG, "test_calc.py": TESTS, "conftest.py": conftest})

    assert marks(hear(tmp_path, PYTEST)) == expected


@pytest.mark.parametrize(("change", "expected", "names"), FRAMEWORK.values(), ids=FRAMEWORK)
def test_what_is_changed_in_the_framework_is_told(
    change: str, expected: dict[str, str], names: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path, {"calc.py": change + WRONG, "test_calc.py": TESTS})

    reading = hear(tmp_path, PYTEST)

    assert isinstance(reading, Report)
    assert (marks(reading), reading.tampering) == (expected, names)


@pytest.mark.parametrize(("product", "expected", "names"), SUITES.values(), ids=SUITES)
def test_what_is_done_to_unittest_is_seen(
    product: str, expected: dict[str, str], names: tuple[str, ...] | None, tmp_path: Path
) -> None:
    write(tmp_path, {"calc.py": product, "test_calc.py": SUITE})

    reading = hear(tmp_path, "python -m unittest", dialect=Dialect.UNITTEST)

    told = {name.rpartition(".")[2]: mark for name, mark in marks(reading).items()}
    assert told == expected or marks(reading) == expected
    assert getattr(reading, "tampering", None) == names
