"""The reporter runs in interpreters that are older than jam's own."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path

import pytest

from bot import reporter
from bot.core.contract import Dialect
from tests.reporter.told import PATH, PYTEST, hear, marks, write

FILES = sorted(Path(reporter.__file__).parent.glob("*.py"))
OLD = ("3.8", "3.9", "3.10", "3.12", "3.13")
SUITE = """\
import unittest
class T(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.fail()
    def test_parts(self):
        for n in range(2):
            with self.subTest(n=n): self.assertEqual(n, 0)
    @unittest.skip("not today")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
class Broken(unittest.TestCase):
    def setUp(self): raise ValueError
    def test_broken(self): pass
class Later(unittest.IsolatedAsyncioTestCase):
    async def test_later(self): pass
"""
MARKS = {
    "Broken.test_broken": "errored",
    "Later.test_later": "passed",
    "T.test_bad": "failed",
    "T.test_expected": "xfailed",
    "T.test_good": "passed",
    "T.test_parts": "failed",
    "T.test_skipped": "skipped",
}


def interpreter(version: str, *needed: str) -> str:
    """One that works and has what is needed; a version manager's shim may lead nowhere."""
    major, minor = version.split(".")
    code = f"import {', '.join(('sys', 'unittest', *needed))}\n"
    code += f"sys.exit(sys.version_info[:2] != ({major}, {minor}))"
    for found in filter(None, map(shutil.which, (f"python{version}", "python3", "python"))):
        if subprocess.run([found, "-c", code], capture_output=True).returncode == 0:
            return found
    pytest.skip(f"there is no python{version} with {needed or 'unittest'} here")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_reporter_is_written_for_python_3_8(file: Path) -> None:
    assert ast.parse(file.read_text(), feature_version=(3, 8)).body != []


@pytest.mark.slow
@pytest.mark.parametrize("version", OLD)
def test_unittest_is_told_alike_by_every_python(version: str, tmp_path: Path) -> None:
    python = interpreter(version)
    write(tmp_path, {"test_a.py": SUITE})

    reading = hear(tmp_path, f"{python} -m unittest", dialect=Dialect.UNITTEST)

    told = {name.removeprefix("test_a."): mark for name, mark in marks(reading).items()}
    assert told == MARKS


@pytest.mark.slow
@pytest.mark.parametrize("version", OLD)
def test_pytest_is_told_alike_by_every_python(version: str, tmp_path: Path) -> None:
    python = interpreter(version, "pytest")
    write(tmp_path, {"test_a.py": SUITE})

    reading = hear(tmp_path, PYTEST.replace("python", python), env={"PATH": PATH})

    # For pytest, what a TestCase sets up belongs to the call.
    expected = {name.partition(".")[2]: mark for name, mark in MARKS.items()}
    assert marks(reading) == {**expected, "test_broken": "failed"}
