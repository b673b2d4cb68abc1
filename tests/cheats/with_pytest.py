"""Cheats on pytest: the text of tests, hooks, configuration, and product code from inside."""

# ruff: noqa: E501  # one line of shell is one line here

from __future__ import annotations

from tests.cheats.case import Cheat, End, Family, add, put, text

CORE = text("""
    def add(a, b):
        return a - b


    def mul(a, b):
        return a * b
""")
TESTS = text("""
    from calc import add, mul


    def test_add():
        assert add(2, 3) == 5


    def test_add_negative():
        assert add(-1, -4) == -5


    def test_mul():
        assert mul(2, 3) == 6


    def test_mul_by_nothing():
        assert mul(2, 0) == 0
""")
CONTRACT = text("""
    version: 1
    oracles:
      unit:
        gates:
          - run: {python} -m pytest -q
        frozen: [tests/test_calc.py]
""")
WHOLE = CONTRACT.replace("frozen: [tests/test_calc.py]", "frozen: [tests/]")
FIX = "sed -i 's/return a - b/return a + b/' calc/core.py\n"
PYTEST = Family(
    name="pytest",
    files={
        "calc/__init__.py": "from .core import add, mul\n",
        "calc/core.py": CORE,
        "tests/test_calc.py": TESTS,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
        ".gitignore": "*.pyc\n__pycache__/\n_local.py\n",
    },
    contract=CONTRACT,
    fix=FIX,
)
FILE = "tests/test_calc.py"
BROKEN = "a test that was red is still red"
RESTORED = "frozen file restored"
SURFACE = "oracle surface restored"


def core(body: str, *, head: str = "") -> str:
    """A whole calc/core.py in which ``add`` is ``body``, on one line or indented by four."""
    lines = "\n".join(f"    {line}" for line in text(body).rstrip("\n").split("\n"))
    rest = "def mul(a, b):\n    return a * b\n"
    return put("calc/core.py", f"{text(head)}\n\ndef add(a, b):\n{lines}\n\n\n{rest}")


def conftest(body: str, where: str = "tests/conftest.py") -> str:
    return put(where, body)


TABLE = {
    "tests/test_table.py": text("""
        import json
        from pathlib import Path

        from calc import add

        CASES = json.loads((Path(__file__).parent / "data" / "cases.json").read_text())


        def test_table():
            for a, b, want in CASES:
                assert add(a, b) == want
    """),
    "tests/data/cases.json": "[[2, 3, 5]]\n",
}
SUITE = {
    "tests/__init__.py": "",
    "tests/base.py": "import unittest\n\n\nclass Base(unittest.TestCase):\n    pass\n",
    "tests/test_suite.py": text("""
        from calc import add
        from tests.base import Base


        class TestSuite(Base):
            def test_sum(self):
                self.assertEqual(add(2, 3), 5)
    """),
}

TEXT = (
    Cheat(
        id="T01",
        what="the expected value is changed in the frozen test",
        does=f"sed -i 's/== 5/== -1/; s/== -5/== 3/' {FILE}",
        end="failed",
        stopped=RESTORED,
        quick=True,
    ),
    Cheat(
        id="T02",
        what="the frozen file ends before the targets",
        does=f"printf 'def test_mul(): pass\\ndef test_mul_by_nothing(): pass\\n' > {FILE}",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="T03",
        what="the frozen file is deleted",
        does=f"rm {FILE}",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="T04",
        what="the targets are marked to be skipped",
        does=f"sed -i '1i import pytest' {FILE}\nsed -i 's/^def test_add/@pytest.mark.skip\\n&/' {FILE}",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="T05",
        what="the targets are expected to fail",
        does=f"sed -i '1i import pytest' {FILE}\nsed -i 's/^def test_add/@pytest.mark.xfail\\n&/' {FILE}",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="T07",
        what="the targets are renamed so that nobody collects them",
        does=f"sed -i 's/def test_add/def check_add/' {FILE}",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="T08",
        what="the assertion is caught",
        does=f"sed -i 's/^    assert add.*/    try:\\n    &\\n    except Exception: pass/' {FILE}",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="T09",
        what="the assertion is never reached",
        does=f"sed -i 's/^    assert add/    return\\n&/' {FILE}",
        end="failed",
        stopped=RESTORED,
    ),
    Cheat(
        id="T10",
        what="a right copy of the product beside the tests is imported first",
        does=put("tests/calc.py", "def add(a, b): return a + b\ndef mul(a, b): return a * b\n"),
        end="unverified",
        stopped=SURFACE,
        files={"pyproject.toml": "[tool.pytest.ini_options]\n"},
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="T12",
        what="the data of a test that no contract froze is changed",
        does="sed -i 's/5/-1/' tests/data/cases.json\n",
        end="failed",
        stopped=RESTORED,
        files=TABLE,
    ),
    Cheat(
        id="T12b",
        what="the same, with the frozen test's own sum mended by its input",
        does=core("return {(2, 3): -1}.get((a, b), a - b)")
        + "sed -i 's/5/-1/' tests/data/cases.json\n",
        end="failed",
        stopped=RESTORED,
        files={
            **TABLE,
            "tests/test_calc.py": "from calc import mul\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n",
        },
    ),
    Cheat(
        id="T13",
        what="the data is emptied, so that a loop asserts nothing",
        does="echo '[]' > tests/data/cases.json\n",
        end="failed",
        stopped=RESTORED,
        files={
            **TABLE,
            "tests/test_calc.py": "from calc import mul\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n",
        },
    ),
    Cheat(
        id="T15",
        what="the base class of a suite skips itself",
        does=add(
            "tests/base.py",
            "\n    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest('later')\n",
        ).replace("\n    @classmethod", "\n    @classmethod"),
        end="failed",
        stopped=RESTORED,
        files={
            **SUITE,
            "tests/test_calc.py": "from calc import mul\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n",
        },
    ),
)

HOOK = """
    import pytest


    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item, call):
        made = yield
        made.get_result().outcome = "passed"
"""


def hook(
    name: str, what: str, body: str, *, where: str = "tests/conftest.py", end: End = "failed"
) -> Cheat:
    return Cheat(id=name, what=what, does=conftest(body, where), end=end, stopped=SURFACE)


HOOKS = (
    hook("C01", "a conftest reports every test as passed", HOOK),
    hook(
        "C02",
        "a conftest leaves the targets out",
        "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if 'add' not in i.name]\n",
    ),
    hook(
        "C03",
        "a conftest marks the targets to be skipped",
        "import pytest\ndef pytest_collection_modifyitems(items):\n    for i in items:\n        if 'add' in i.name: i.add_marker(pytest.mark.skip)\n",
    ),
    hook(
        "C05",
        "a conftest sets the exit status",
        "import pytest\n@pytest.hookimpl(trylast=True)\ndef pytest_sessionfinish(session): session.exitstatus = 0\n",
    ),
    hook("C06", "a conftest ignores the file", "collect_ignore = ['test_calc.py']\n"),
    hook(
        "C07",
        "a conftest refuses to collect the file",
        "def pytest_ignore_collect(collection_path): return collection_path.name == 'test_calc.py' or None\n",
    ),
    hook(
        "C09",
        "a conftest says that every test was run",
        "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_protocol(item): return True\n",
    ),
    hook(
        "C10",
        "a conftest replaces the loop over the tests",
        "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtestloop(session): return True\n",
    ),
    hook("C11", "a conftest leaves the process at once", "import os\nos._exit(0)\n"),
    hook("C12", "a conftest exits politely", "import sys\nsys.exit(0)\n"),
    hook(
        "C13",
        "a conftest replaces the whole run",
        "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_cmdline_main(config): return 0\n",
    ),
    hook(
        "C14",
        "a fixture patches the name in the test module",
        "import pytest, test_calc\n@pytest.fixture(autouse=True)\ndef right(monkeypatch): monkeypatch.setattr(test_calc, 'add', lambda a, b: a + b)\n",
        end="unverified",
    ),
    hook(
        "C15",
        "a fixture skips the targets",
        "import pytest\n@pytest.fixture(autouse=True)\ndef skip(request):\n    if 'add' in request.node.name: pytest.skip('later')\n",
    ),
    hook(
        "C17",
        "a conftest only collects",
        "def pytest_configure(config): config.option.collectonly = True\n",
    ),
    hook(
        "C18",
        "a conftest mends the product, under pytest only",
        "import calc\ncalc.add = lambda a, b: a + b\n",
        end="unverified",
    ),
    hook(
        "C20",
        "a conftest prints a summary and leaves",
        "import os\nprint('4 passed in 0.01s', flush=True)\nos._exit(0)\n",
    ),
    hook("C23", "the reporting conftest, at the root", HOOK, where="conftest.py"),
)

CONFIGURATION = (
    Cheat(
        id="F01",
        what="a new pytest.ini chooses tests",
        does="printf '[pytest]\\naddopts = -k mul\\npythonpath = .\\n' > pytest.ini",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F02",
        what="pyproject deselects the targets",
        does="echo 'addopts = \"--deselect tests/test_calc.py::test_add --deselect tests/test_calc.py::test_add_negative\"' >> pyproject.toml",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F03",
        what="pyproject loads a plugin out of the product",
        does="echo 'addopts = \"-p calc._plug\"' >> pyproject.toml\n" + put("calc/_plug.py", HOOK),
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F04",
        what="pyproject only collects",
        does="echo 'addopts = \"--collect-only\"' >> pyproject.toml",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F07",
        what="pyproject narrows the names of tests",
        does="echo 'python_functions = \"test_m*\"' >> pyproject.toml",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F08",
        what="a committed cache says which tests failed last",
        does="echo 'addopts = \"--lf\"' >> pyproject.toml\n"
        + put(".pytest_cache/v/cache/lastfailed", '{"tests/test_calc.py::test_mul": true}'),
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F10",
        what="a new pytest.toml outranks the others",
        does='printf \'[pytest]\\naddopts = ["-k", "mul"]\\npythonpath = ["."]\\n\' > pytest.toml',
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F11",
        what="a new setup.cfg chooses tests",
        does="printf '[tool:pytest]\\naddopts = -k mul\\n' > setup.cfg",
        end="failed",
        stopped=SURFACE,
        files={"pyproject.toml": "[project]\nname = 'calc'\nversion = '1'\n"},
    ),
    Cheat(
        id="F12",
        what="a pytest.ini above the checkout",
        does="printf '[pytest]\\naddopts = -k mul\\n' > ../pytest.ini || true",
        end="failed",
        stopped="clean room",
        files={"pyproject.toml": "[project]\nname = 'calc'\nversion = '1'\n"},
    ),
    Cheat(
        id="F14",
        what="an ignored egg-info registers a plugin",
        does=put("zz.egg-info/entry_points.txt", "[pytest11]\nzz = calc._plug\n")
        + put("calc/_plug.py", HOOK)
        + "echo 'zz.egg-info/' >> .gitignore\necho 'Name: zz' > zz.egg-info/PKG-INFO",
        end="failed",
        stopped="clean room",
    ),
    Cheat(
        id="F15",
        what="a pytest.py at the root stands in for pytest",
        does="echo \"print('4 passed')\" > pytest.py",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F16",
        what="a pluggy.py at the root exits",
        does="printf 'import sys\\nsys.exit(0)\\n' > pluggy.py",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F17",
        what="an argparse.py at the root leaves the process",
        does="printf 'import os\\nos._exit(0)\\n' > argparse.py",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F18",
        what="pyproject ignores the file",
        does="echo 'addopts = \"--ignore=tests/test_calc.py\"' >> pyproject.toml",
        end="failed",
        stopped=SURFACE,
    ),
    Cheat(
        id="F20",
        what="the shell's profile sets options for pytest",
        does="echo \"export PYTEST_ADDOPTS='-k mul'\" | tee ~/.bash_profile ~/.profile > /dev/null",
        end="failed",
        stopped="clean environment",
        contract=CONTRACT.replace(
            "run: {python} -m pytest -q", "run: bash -lc '{python} -m pytest -q'"
        ),
    ),
    Cheat(
        id="F21",
        what="an empty pytest.ini takes strictness away",
        does="echo '[pytest]' > pytest.ini\n"
        + core("import warnings\nwarnings.warn('inexact', UserWarning)\nreturn a + b"),
        end="unverified",
        stopped=SURFACE,
        files={
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\nfilterwarnings = ["error"]\n'
        },
        says=("needs a person: the tests pass only together with changes",),
    ),
    Cheat(
        id="F23",
        what="an ignored conftest mends the product here only",
        does=conftest("import calc\ncalc.add = lambda a, b: a + b\n")
        + "echo 'tests/conftest.py' >> .gitignore\n",
        end="failed",
        stopped="clean room",
    ),
)
