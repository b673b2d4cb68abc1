"""What `jam init` makes of differing repositories, and that jam can read what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.app.init import PLACE, AlreadyThere, InitRequest, NoSuiteFound, init
from bot.core import contract_file
from bot.core.contract import Accept, Dialect
from bot.core.frozen import agree
from bot.core.tree import TreeEntry
from bot.errors import RepositoryUnusable

A_TEST = "def test_it():\n    assert True\n"
A_CASE = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self): pass\n"
WORKFLOW = """\
on: push
jobs:
  test:
    strategy:
      matrix:
        python: [3.11, "3.12"]
        os: [ubuntu-latest, windows-latest]
    steps: [{run: python -m pytest}]
  named:
    name: Tests on ${{ matrix.python }}
    strategy: {matrix: {python: [3.13]}}
    steps:
      - uses: actions/checkout@v4
      - run: tox -e py
  unknowable:
    name: ${{ inputs.name }}
    steps: [{run: pytest}]
  elsewhere:
    strategy: {matrix: {include: [{python: 3.9}]}}
    steps: [{run: pytest}]
  lint:
    steps: [{run: tox -e lint}]
  reused:
    uses: ./.github/workflows/other.yml
"""


def lay(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def facts(text: str) -> dict[str, object]:
    """What the file says, without what it leaves at its default."""
    said = contract_file.read(text, name=PLACE)
    oracles = {
        name: (oracle.gates[0].run, oracle.gates[0].report, *oracle.frozen)
        for name, oracle in said.oracles.items()
    }
    found: dict[str, object] = {"oracles": oracles}
    found |= {"setup": said.setup} if said.setup else {}
    found |= {"checks": dict(said.checks)} if said.checks else {}
    found |= {"accept": "L2"} if said.publish.accept is Accept.L2 else {}
    return found


def frozen_somewhere(text: str, files: dict[str, str]) -> bool:
    """Whether each pattern holds something, as preflight will demand."""
    base = {name: TreeEntry(name, "100644", "") for name in files}
    oracles = contract_file.read(text, name=PLACE).oracles.values()
    return all(agree(oracle.frozen, base) for oracle in oracles)


REPOSITORIES: dict[str, tuple[dict[str, str], dict[str, object]]] = {
    "pytest, installed with its test extra": (
        {
            "pyproject.toml": '[project]\nname = "p"\noptional-dependencies.test = ["pytest"]\n'
            "[tool.pytest.ini_options]\n",
            "src/p/__init__.py": "",
            "tests/test_a.py": A_TEST,
            "tests/conftest.py": "",
        },
        {
            "setup": 'python -m pip install -e ".[test]"',
            "oracles": {"unit": ("python -m pytest -q", Dialect.PYTEST, "tests/")},
        },
    ),
    "pytest, with nothing to install": (
        {"p/__init__.py": "", "pyproject.toml": '[project]\nname = "p"\n', "test_p.py": A_TEST},
        {"oracles": {"unit": ("python -m pytest -q", Dialect.PYTEST, "test_p.py")}},
    ),
    "pytest, a source folder that nothing installs": (
        {"src/p.py": "", "tests/test_p.py": A_TEST, "requirements.txt": "requests\n"},
        {
            "setup": "python -m pip install -r requirements.txt pytest",
            "oracles": {"unit": ("PYTHONPATH=src python -m pytest -q", Dialect.PYTEST, "tests/")},
        },
    ),
    "pytest, by way of tox": (
        {
            "setup.py": "",
            "tox.ini": "[testenv]\ndeps =\n    pytest>=8\n    mock-thing\n    -r {toxinidir}/x\n"
            "commands = pytest\n",
            "p/tests/test_p.py": "import p\n",
            "p/more/test/test_q.py": "import p\n",
        },
        {
            "setup": "python -m pip install -e . 'pytest>=8' mock-thing",
            "oracles": {
                "unit": ("python -m pytest -q", Dialect.PYTEST, "p/more/test/", "p/tests/")
            },
        },
    ),
    "pytest, with a dependency group": (
        {
            "pyproject.toml": '[project]\nname = "p"\ndependencies = ["attrs"]\n'
            '[dependency-groups]\ntest = ["pytest-cov"]\n',
            "tests/test_a.py": A_TEST,
        },
        {
            "setup": "python -m pip install -e . --group test pytest",
            "oracles": {"unit": ("python -m pytest -q", Dialect.PYTEST, "tests/")},
        },
    ),
    "pytest, tests strewn about": (
        {f"p{n}/test_{n}.py": A_TEST for n in range(12)},
        {"oracles": {"unit": ("python -m pytest -q", Dialect.PYTEST, "**/test_*.py")}},
    ),
    "unittest, a folder that is no package": (
        {"p.py": "", "tests/test_p.py": A_CASE},
        {"oracles": {"unit": ("python -m unittest discover -s tests", Dialect.UNITTEST, "tests/")}},
    ),
    "unittest, a package": (
        {"p.py": "", "tests/__init__.py": "", "tests/test_p.py": A_CASE},
        {"oracles": {"unit": ("python -m unittest discover", Dialect.UNITTEST, "tests/")}},
    ),
    "Django's own runner": (
        {"manage.py": "", "app/tests.py": A_CASE, "requirements.txt": "django\n"},
        {
            "setup": "python -m pip install -r requirements.txt",
            "oracles": {"unit": ("python manage.py test", Dialect.EXIT, "app/tests.py")},
            "accept": "L2",
        },
    ),
    "checks whose names can be known": (
        {".github/workflows/ci.yml": WORKFLOW, "test_p.py": A_TEST},
        {
            "oracles": {"unit": ("python -m pytest -q", Dialect.PYTEST, "test_p.py")},
            "checks": {
                "test (3.11, ubuntu-latest)": "unit",
                "test (3.12, ubuntu-latest)": "unit",
                "Tests on 3.13": "unit",
            },
        },
    ),
    "node's own runner, after a linter": (
        {
            "package.json": json.dumps({"scripts": {"test": "eslint . && node --test test/"}}),
            "test/a.test.js": "",
            "src/b.test.mjs": "",
        },
        {
            "oracles": {
                "unit": (
                    "node --test --test-reporter=tap test/",
                    Dialect.TAP,
                    "test/",
                    "**/*.test.mjs",
                )
            }
        },
    ),
    "mocha, locked": (
        {
            "package.json": json.dumps(
                {"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}
            ),
            "package-lock.json": "{}",
            "test/a.js": "",
        },
        {
            "setup": "npm ci",
            "oracles": {"unit": ("npx mocha --reporter tap", Dialect.TAP, "test/")},
        },
    ),
    "jest, which reports only its exit code": (
        {
            "package.json": json.dumps(
                {"scripts": {"test": "jest"}, "devDependencies": {"jest": "1"}}
            ),
            "a.spec.ts": "",
        },
        {
            "setup": "npm install",
            "oracles": {"unit": ("npm test", Dialect.EXIT, "**/*.spec.ts")},
            "accept": "L2",
        },
    ),
    "go": (
        {"go.mod": "module x\n", "go.sum": "", "a/a_test.go": "", "a/testdata/x": ""},
        {
            "setup": "go mod download",
            "oracles": {
                "unit": (
                    "go test -json ./...",
                    Dialect.GO_JSON,
                    "**/*_test.go",
                    "**/testdata/",
                )
            },
        },
    ),
    "rust": (
        {"Cargo.toml": "", "src/lib.rs": "", "tests/a.rs": ""},
        {
            "setup": "cargo fetch",
            "oracles": {"unit": ("cargo test --offline", Dialect.EXIT, "tests/")},
            "accept": "L2",
        },
    ),
    "a makefile, when nothing else is known": (
        {"Makefile": "VERSION := 1\ntest: build\n\t./run\n", "t/basic.sh": ""},
        {"oracles": {"unit": ("make test", Dialect.EXIT, "t/")}, "accept": "L2"},
    ),
    "two languages, each with its oracle, and a makefile that is left out": (
        {
            "test_p.py": A_TEST,
            "package.json": json.dumps({"scripts": {"test": "node --test"}}),
            "a.test.js": "",
            "Makefile": "test:\n\techo\n",
        },
        {
            "oracles": {
                "python": ("python -m pytest -q", Dialect.PYTEST, "test_p.py"),
                "node": ("node --test --test-reporter=tap", Dialect.TAP, "**/*.test.js"),
            }
        },
    ),
    "a test beside a route that looks like a pattern": (
        {
            "package.json": json.dumps({"scripts": {"test": "vitest"}}),
            "app/[slug]/__tests__/page.ts": "",
        },
        {
            "oracles": {
                "unit": (
                    "npx vitest run --reporter=tap-flat",
                    Dialect.TAP,
                    "app/?slug]/__tests__/",
                )
            }
        },
    ),
    "names that YAML would misread": (
        {"tests: odd/test_a.py": A_TEST, "3.10/test_b.py": A_TEST},
        {
            "oracles": {
                "unit": (
                    "python -m pytest -q",
                    Dialect.PYTEST,
                    "3.10/test_b.py",
                    "tests: odd/test_a.py",
                )
            }
        },
    ),
}


@pytest.mark.parametrize(("files", "expected"), REPOSITORIES.values(), ids=REPOSITORIES.keys())
def test_a_repository_is_recognised(
    tmp_path: Path, files: dict[str, str], expected: dict[str, object]
) -> None:
    answer = init(InitRequest(repo=lay(tmp_path, files), only_print=True))

    assert facts(answer.text) == expected
    assert frozen_somewhere(answer.text, files)


NOTHING = {
    "an empty folder": {},
    "the placeholder that npm writes": {
        "package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
    },
    "a package file that is no JSON": {"package.json": "{"},
    "tests that are somebody else's": {
        "node_modules/x/test_a.py": A_TEST,
        ".venv/test_a.py": A_TEST,
        "x.egg-info/test_a.py": A_TEST,
    },
    "go without tests": {"go.mod": "module x\n"},
}


@pytest.mark.parametrize("files", NOTHING.values(), ids=NOTHING.keys())
def test_where_nothing_is_recognised_nothing_is_written(
    tmp_path: Path, files: dict[str, str]
) -> None:
    with pytest.raises(NoSuiteFound, match=r"^no tests were recognised in "):
        init(InitRequest(repo=lay(tmp_path, files)))

    assert not (tmp_path / ".github").exists()


def test_the_file_explains_itself(tmp_path: Path) -> None:
    lay(tmp_path, {"setup.py": "", "tests/test_a.py": A_TEST, "pytest.ini": ""})

    assert init(InitRequest(repo=tmp_path, only_print=True)).text == (
        "# What jam may do here, and how it is judged. "
        "`jam schema` prints every key there is.\n"
        "version: 1\n"
        "\n"
        "# Run once, before any agent exists. This one may use the network.\n"
        "setup: python -m pip install -e . pytest\n"
        "\n"
        "# The judges: every gate must be green. "
        "Commands run offline, in an isolated copy.\n"
        "oracles:\n"
        "  unit:\n"
        "    gates:\n"
        "      - run: python -m pytest -q  # because of pytest.ini\n"
        "        report: pytest\n"
        "    # Restored before every run: an agent cannot change what judges it.\n"
        "    frozen: [tests/]\n"
    )


class TestWriting:
    def test_the_file_is_what_print_shows(self, tmp_path: Path) -> None:
        lay(tmp_path, {"test_a.py": A_TEST})
        printed = init(InitRequest(repo=tmp_path, only_print=True)).text

        answer = init(InitRequest(repo=tmp_path))

        assert (tmp_path / PLACE).read_text() == printed
        assert answer.document == {"path": str(tmp_path / PLACE), "contract": printed}

    def test_a_file_that_is_there_is_kept(self, tmp_path: Path) -> None:
        lay(tmp_path, {"test_a.py": A_TEST, PLACE: "mine"})

        with pytest.raises(AlreadyThere, match=r"is there already; --force writes over it"):
            init(InitRequest(repo=tmp_path))

        assert (tmp_path / PLACE).read_text() == "mine"

    def test_force_writes_over_it(self, tmp_path: Path) -> None:
        lay(tmp_path, {"test_a.py": A_TEST, PLACE: "mine"})

        init(InitRequest(repo=tmp_path, force=True))

        assert (tmp_path / PLACE).read_text().startswith("# What jam may do here")

    def test_a_link_is_not_written_through(self, tmp_path: Path) -> None:
        """Even a dangling one: what it points at belongs to somebody."""
        lay(tmp_path, {"test_a.py": A_TEST, ".github/x": ""})
        (tmp_path / PLACE).symlink_to(tmp_path / "elsewhere")

        with pytest.raises(AlreadyThere):
            init(InitRequest(repo=tmp_path))

        assert not (tmp_path / "elsewhere").exists()

    def test_a_folder_that_cannot_be_made_is_one_sentence(self, tmp_path: Path) -> None:
        lay(tmp_path, {"test_a.py": A_TEST, ".github": "a file"})

        with pytest.raises(RepositoryUnusable, match=r"jam\.yml cannot be written: "):
            init(InitRequest(repo=tmp_path, force=True))

    def test_a_repository_that_is_not_there_is_one_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(RepositoryUnusable, match=r"nowhere is not a folder$"):
            init(InitRequest(repo=tmp_path / "nowhere"))
