"""What the reporter tells of honest runs, each really run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.contract import Dialect
from bot.core.report import Report
from tests.reporter.told import PYTEST, hear, marks, order, write

TWO_FILES = {
    "test_a.py": "".join(f"def test_{n}(): pass\n" for n in range(6)),
    "test_b.py": "class TestB:\n" + "".join(f"    def test_{n}(self): pass\n" for n in range(6)),
}
NESTED = """\
import subprocess, sys, pytest, unittest
pytest_plugins = ["pytester"]
def test_in_this_process(pytester):
    pytester.makepyfile("def test_inner(): assert 0")
    pytester.runpytest_inprocess().assert_outcomes(failed=1)
def test_in_this_process_after_the_environment_was_wiped(pytester, monkeypatch):
    monkeypatch.delenv("JAM_TALKING")
    pytester.makepyfile("def test_inner(): assert 0")
    pytester.runpytest_inprocess().assert_outcomes(failed=1)
def test_in_another_with_an_empty_environment(pytester):
    pytester.makepyfile("def test_inner(): assert 0")
    assert subprocess.run([sys.executable, "-m", "pytest"], env={}).returncode == 1
def test_main(tmp_path):
    (tmp_path / "test_inner.py").write_text("def test_inner(): assert 0")
    assert pytest.main([str(tmp_path)]) == 1
def test_unittest():
    class Inner(unittest.TestCase):
        def test_inner(self): self.fail()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Inner)
    assert not unittest.TextTestRunner().run(suite).wasSuccessful()
def test_puts_back_what_it_patched(monkeypatch):
    monkeypatch.setattr("builtins.print", lambda *words: None)
    monkeypatch.setattr("unittest.TestCase.run", lambda *words: None)
"""


def test_tests_that_run_tests_are_counted_once(tmp_path: Path) -> None:
    write(tmp_path, {"test_nested.py": NESTED})

    reading = hear(tmp_path, PYTEST, env={})  # with the plugin in every session, as a rule

    assert isinstance(reading, Report)
    assert (set(marks(reading).values()), len(reading.cases)) == ({"passed"}, 6)
    assert reading.tampering == ()


def test_plugins_that_change_pytest_honestly_are_no_tampering(tmp_path: Path) -> None:
    """Whatever is installed beside these tests: coverage, workers, time limits, properties."""
    test = "from hypothesis import given, strategies as st\n"
    test += "@given(st.integers())\ndef test_any(n): pass\n"
    write(tmp_path, {"test_any.py": test})

    reading = hear(tmp_path, f"{PYTEST} --cov=. --timeout=30", env={})

    assert reading == Report(cases=reading.cases)  # type: ignore[union-attr]  # or it says why not
    assert marks(reading) == {"test_any": "passed"}


def test_a_change_that_its_plugin_takes_back_is_no_tampering(tmp_path: Path) -> None:
    """As a plugin's unconfigure does at the end of a session that a test ran in this process."""
    conftest = "from _pytest.unittest import TestCaseFunction as owner\n"
    conftest += "def pytest_configure(): owner.addition = lambda self: None\n"
    test = "from _pytest.unittest import TestCaseFunction as owner\n"
    test += "def test_takes_back():\n    del owner.addition\n"
    write(tmp_path, {"conftest.py": conftest, "test_a.py": test})

    reading = hear(tmp_path, PYTEST)

    assert isinstance(reading, Report)
    assert (marks(reading), reading.tampering) == ({"test_takes_back": "passed"}, ())


def test_workers_tell_what_the_controller_cannot_know(tmp_path: Path) -> None:
    forge = "import pytest\n@pytest.hookimpl(hookwrapper=True)\n"
    forge += "def pytest_runtest_makereport():\n    made = yield\n"
    forge += "    made.get_result().outcome = 'passed'\n"
    files = {"calc.py": "x = 1\n", "test_a.py": "import calc\ndef test_bad(): assert 0\n"}
    write(tmp_path, {**files, "test_b.py": "def test_good(): pass\n", "conftest.py": forge})

    reading = hear(tmp_path, f"{PYTEST} -p xdist -n 2", watch=("calc.py",))

    assert isinstance(reading, Report)
    assert marks(reading) == {"test_bad": "failed", "test_good": "passed"}
    assert reading.origins == {"calc.py": str(tmp_path / "calc.py")}


def test_a_module_from_elsewhere_is_told_with_its_file(tmp_path: Path) -> None:
    files = {"src/calc/__init__.py": "", "src/calc/parts.py": "", "site/calc/__init__.py": ""}
    write(tmp_path, {**files, "site/calc/parts.py": "", "tree/src/calc/parts.py": ""})
    write(tmp_path / "tree", {"test_a.py": "import calc.parts\ndef test_a(): pass\n"})

    reading = hear(
        tmp_path / "tree",
        f"PYTHONPATH={tmp_path / 'site'} {PYTEST}",
        watch=("src/calc/parts.py", "src/calc/other.py"),
    )

    assert isinstance(reading, Report)
    assert reading.origins == {"src/calc/parts.py": str(tmp_path / "site/calc/parts.py")}


def test_only_the_chosen_tests_run(tmp_path: Path) -> None:
    write(tmp_path, TWO_FILES)

    reading = hear(tmp_path, PYTEST, select=("test_b.py::TestB::test_3", "test_a.py::test_1"))

    assert order(reading) == ["test_a.py::test_1", "test_b.py::TestB::test_3"]


def test_a_seed_gives_one_other_order_and_keeps_files_together(tmp_path: Path) -> None:
    write(tmp_path, TWO_FILES)
    plain, one, again, other = (order(hear(tmp_path, PYTEST, seed=n)) for n in (0, 5, 5, 6))

    assert one == again
    assert len({tuple(plain), tuple(one), tuple(other)}) == 3
    assert sorted(plain) == sorted(one) == sorted(other)
    files = [name.partition("::")[0] for name in one]
    assert files in (sorted(files), sorted(files, reverse=True))


def test_the_root_of_pytest_may_be_a_folder_of_the_checkout(tmp_path: Path) -> None:
    write(tmp_path, {"inner/pytest.ini": "[pytest]\n", "inner/test_a.py": "def test_a(): pass\n"})

    reading = hear(tmp_path, f"cd inner && {PYTEST}", select=("inner/test_a.py::test_a",))

    assert order(reading) == ["inner/test_a.py::test_a"]


def test_a_script_of_unittest_names_its_tests_by_its_path(tmp_path: Path) -> None:
    suite = "import unittest\nclass T(unittest.TestCase):\n"
    suite += "    def test_a(self): pass\n    def test_b(self): self.fail()\n"
    write(tmp_path, {"tests/test_a.py": suite + "unittest.main()\n"})

    reading = hear(
        tmp_path,
        "python tests/test_a.py",
        dialect=Dialect.UNITTEST,
        select=("tests/test_a.py::T.test_a",),
    )

    assert order(reading) == ["tests/test_a.py::T.test_a"]


def test_unittest_runs_in_the_order_that_a_seed_gives(tmp_path: Path) -> None:
    suite = "import unittest\nclass T(unittest.TestCase):\n"
    suite += "".join(f"    def test_{n}(self): pass\n" for n in range(6))
    write(tmp_path, {"test_a.py": suite})
    command = "python -m unittest"

    plain, moved = (
        order(hear(tmp_path, command, dialect=Dialect.UNITTEST, seed=seed)) for seed in (0, 3)
    )

    assert plain == sorted(moved) != moved


def test_an_interpreter_without_jam_is_left_alone(tmp_path: Path) -> None:
    """No channel, no wishes: the start-up hook does nothing, and tests run as they always did."""
    write(tmp_path, {"test_a.py": "def test_a(): pass\n"})

    reading = hear(tmp_path, f"JAM_CHANNEL=/nonexistent/socket {PYTEST}")

    assert marks(reading) == {"unreadable": "no report of pytest reached jam"}


@pytest.mark.slow
def test_ten_thousand_tests_are_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "test_a.py": "import pytest\n"
            "@pytest.mark.parametrize('n', range(10_000))\ndef test_a(n): pass\n"
        },
    )

    reading = hear(tmp_path, PYTEST)

    assert isinstance(reading, Report)
    assert len(reading.cases) == 10_000
