"""
Test ids taken apart: the file they are in, the classes and the function, the parameters.

An id of pytest names its file; one of unittest names a module, whose file is looked up among those
of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bot.core.contract import Dialect

SUFFIX = ".py"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestName:
    """``names``: classes, then the function. ``module``: as unittest spells it, else ''."""

    __test__ = False  # for pytest, which looks at names

    path: str
    names: tuple[str, ...]
    parameters: str = ""
    module: str = ""

    @property
    def id(self) -> str:
        if self.module:
            return ".".join((self.module, *self.names))
        return "::".join((self.path, *self.names)) + self.parameters

    def moved(self, path: str, names: tuple[str, ...]) -> TestName:
        """The same test where it is in a copy of its module beside it."""
        module = self.module
        if module:
            stem = path.rpartition("/")[2].removesuffix(SUFFIX)
            module = ".".join([*module.split(".")[:-1], stem])
        return replace(self, path=path, names=names, module=module)


Files: TypeAlias = Mapping[str, Sequence[str]]
"""Paths by the name of the file."""


def by_name(paths: Iterable[str]) -> Files:
    found: dict[str, list[str]] = {}
    for path in paths:
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found


def take_apart(test: str, dialect: Dialect, files: Files) -> TestName | None:
    """None for what is no function of a Python file."""
    if dialect is Dialect.PYTEST:
        return _of_pytest(test)
    return _of_unittest(test, files) if dialect is Dialect.UNITTEST else None


def _of_pytest(test: str) -> TestName | None:
    bare, bracket, rest = test.partition("[")
    path, *names = bare.split("::")
    if not names or not path.endswith(SUFFIX):
        return None
    return TestName(path=path, names=tuple(names), parameters=bracket + rest)


def _of_unittest(test: str, files: Files) -> TestName | None:
    parts = test.split(".")
    if "::" in test or "/" in test or len(parts) < 3:
        return None
    *module, kind, function = parts
    end = "/".join(module) + SUFFIX
    known = files.get(module[-1] + SUFFIX, ())
    found = sorted((p for p in known if p == end or p.endswith("/" + end)), key=len)
    if not found or (len(found) > 1 and found[0] != end):
        return None
    return TestName(path=found[0], names=(kind, function), module=".".join(module))


def beside(path: str, token: str) -> str:
    """A file beside ``path`` that says nothing of it, and that its runner still takes for tests."""
    folder, slash, name = path.rpartition("/")
    is_after = name.endswith("_test.py") and not name.startswith("test")
    return f"{folder}{slash}" + (f"t{token}_test.py" if is_after else f"test_{token}.py")
