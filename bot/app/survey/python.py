"""Python: pytest or unittest, and what must be installed before either can run."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from typing import Any

from bot.app.survey.suite import Suite
from bot.app.survey.tree import Tree, homes
from bot.core.contract import Dialect

MOST_FROZEN = 8
EXTRAS = ("test", "tests", "testing", "dev")
REQUIREMENTS = (
    "requirements-dev.txt",
    "requirements-test.txt",
    "requirements-tests.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "requirements_dev.txt",
    "requirements_test.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
    "requirements/dev.txt",
    "requirements.txt",
)
MENTIONS = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Makefile")
CONFIGURED = {
    "pytest.ini": "",
    ".pytest.ini": "",
    "pyproject.toml": "[tool.pytest",  # .ini_options, or nothing more
    "setup.cfg": "[tool:pytest]",
    "tox.ini": "[pytest]",
}
# tox and nox run linters too: only an environment named for Python or for tests is a suite.
CALLS = (r"\bpytest\b", r"\bunittest\b", r"\b(tox|nox)\b(?!.*-[es] (?!py|tests?\b|\$))")


def find(tree: Tree) -> Suite | None:
    tests = tree.named("test_*.py", "*_test.py", "tests.py", "test.py")
    tests = tuple(file for file in tests if "/templates/" not in file)
    if not tests:
        return None
    frozen = _frozen(tree, tests)
    if why := _pytest_because(tree, tests):
        return Suite(
            run=f"{_path(tree)}python -m pytest -q",
            report=Dialect.PYTEST,
            because=why,
            frozen=frozen,
            setup=_setup(tree, needs=("pytest",)),
            called_in_ci=CALLS,
        )
    if "manage.py" in tree:
        return Suite(
            run="python manage.py test",
            report=Dialect.EXIT,
            because="manage.py",
            frozen=frozen,
            setup=_setup(tree, needs=()),
            called_in_ci=(r"\bmanage\.py test\b", *CALLS),
        )
    return Suite(
        run=f"{_path(tree)}python -m unittest discover{_start(tree, tests)}",
        report=Dialect.UNITTEST,
        because=f"{tests[0]} and no sign of pytest",
        frozen=frozen,
        setup=_setup(tree, needs=()),
        called_in_ci=CALLS,
    )


def _frozen(tree: Tree, tests: tuple[str, ...]) -> tuple[str, ...]:
    exact = homes((*tests, *tree.named("conftest.py")))
    if len(exact) <= MOST_FROZEN:
        return exact
    folders = tuple(home for home in exact if home.endswith("/"))
    loose = ("**/test_*.py", "**/*_test.py")
    used = (glob for glob in loose if any(_is_like(file, glob) for file in exact))
    return (*folders[:MOST_FROZEN], *used)


def _is_like(file: str, glob: str) -> bool:
    name = file.rpartition("/")[2]
    return name.startswith("test_") if glob == "**/test_*.py" else name.endswith("_test.py")


def _pytest_because(tree: Tree, tests: tuple[str, ...]) -> str:
    """What says that the tests are pytest's; '' when nothing does."""
    for name, section in CONFIGURED.items():
        if name in tree and section in tree.text(name):
            return f"{section.rstrip(']')}] in {name}" if section else name
    if confs := tree.named("conftest.py"):
        return confs[0]
    for name in (*MENTIONS, *REQUIREMENTS):
        if re.search(r"\bpytest\b", tree.text(name)):
            return f"pytest in {name}"
    for name in tests[:50]:
        if re.search(r"^(import pytest|from pytest |(async )?def test_)", tree.text(name), re.M):
            return f"pytest's style in {name}"
    return ""


def _path(tree: Tree) -> str:
    """A source folder that nothing installs has to be named."""
    has_source = any(re.fullmatch(r"src/[^/]+(/__init__)?\.py", file) for file in tree.files)
    return "PYTHONPATH=src " if has_source and not _is_packaged(tree) else ""


def _start(tree: Tree, tests: tuple[str, ...]) -> str:
    """unittest finds only what is importable from the root, or from a folder it is told."""
    folder, slash, _ = homes(tests)[0].rpartition("/")
    return f" -s {folder}" if slash and f"{folder}/__init__.py" not in tree else ""


def _is_packaged(tree: Tree) -> bool:
    project = tree.toml("pyproject.toml")
    return "setup.py" in tree or bool({"project", "build-system"} & project.keys())


def _setup(tree: Tree, *, needs: tuple[str, ...]) -> str:
    project = tree.toml("pyproject.toml")
    asked = [*_own_package(tree, project), *_wanted(tree, project)]
    if not asked:
        return ""
    listed = " ".join(asked)
    missing = [name for name in needs if not _brings(tree, project, listed, name)]
    return f"python -m pip install {' '.join([listed, *missing])}"


def _own_package(tree: Tree, project: Mapping[str, Any]) -> list[str]:
    """Nothing where the package needs nothing and is found where it lies."""
    if not _is_packaged(tree):
        return []
    told = project.get("project", {})
    is_plain = (
        "name" in told
        and not told.get("dependencies")
        and not {"dependencies", "version"} & set(told.get("dynamic", ()))
        and not any(file.startswith("src/") for file in tree.files)
        and not tree.named("*.pyx", "*.c", "Cargo.toml")
    )
    extra = next((name for name in EXTRAS if name in told.get("optional-dependencies", {})), "")
    if is_plain and not extra:
        return []
    return ["-e", f'".[{extra}]"' if extra else "."]


def _wanted(tree: Tree, project: Mapping[str, Any]) -> list[str]:
    """What the tests need besides, from the first place that says so."""
    if any(name in project.get("project", {}).get("optional-dependencies", {}) for name in EXTRAS):
        return []
    groups = project.get("dependency-groups", {})
    if group := next((name for name in EXTRAS if name in groups), ""):
        return ["--group", group]
    if file := next((name for name in REQUIREMENTS if name in tree), ""):
        return ["-r", file]
    return _from_tox(tree)


def _from_tox(tree: Tree) -> list[str]:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(tree.text("tox.ini"))
    except configparser.Error:
        return []
    lines = parser.get("testenv", "deps", fallback="").splitlines()
    words = [line.split(" #")[0].strip() for line in lines]
    plain = (word for word in words if re.fullmatch(r"[\w.-]+([<>=!~][^ ;{']*)?", word))
    return [word if re.fullmatch(r"[\w.-]+", word) else f"'{word}'" for word in plain]


def _brings(tree: Tree, project: Mapping[str, Any], listed: str, name: str) -> bool:
    """Whether what is asked for already brings ``name`` along."""
    told = project.get("project", {})
    places: list[object] = [listed]
    for extra in EXTRAS:
        if f"[{extra}]" in listed:
            places.append(told.get("optional-dependencies", {}).get(extra))
        if f"--group {extra}" in listed:
            places.append(project.get("dependency-groups", {}).get(extra))
    places += [tree.text(file) for file in REQUIREMENTS if f"-r {file}" in listed]
    return any(re.search(rf"\b{name}\b(?!-)", str(place)) for place in places)
