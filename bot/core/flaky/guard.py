"""
The guard of a mend: tests may change here, since the fault often lies in them, but never so that
they see less.

Compares syntax trees, file by file, and refuses with one sentence each. What it lets through is not
yet right: the runs and the mutants decide that. Refuses to know what a run showed, except for the
category, which says what a change may be for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.core.flaky.finding import Category
from bot.core.flaky.guard_hidden import hidden
from bot.core.flaky.guard_mocks import mocks, seeds
from bot.core.flaky.guard_parts import Refusal, Rule
from bot.core.flaky.guard_reach import expectations
from bot.core.flaky.guard_shadows import shadows
from bot.core.flaky.guard_tests import File, compare
from bot.core.flaky.guard_words import words
from bot.core.parts import Remark
from bot.core.surface_names import is_test_file

SETTINGS = re.compile(
    r"(?i)(^|/)(\.github/|\.circleci/|\.gitlab-ci|azure-pipelines|jenkinsfile|\.travis|tox\.ini$|"
    r"pytest\.(ini|toml)$|\.pytest\.|setup\.(cfg|py)$|pyproject\.toml$|noxfile\.py$|makefile$|"
    r"dockerfile|requirements[^/]*$|[^/]*\.(lock|cfg|ini|toml|pth)$|sitecustomize\.py$|"
    r"usercustomize\.py$|\.env$|\.git(attributes|modules)$)"
)
TEST_FOLDER = re.compile(r"(^|/)(tests?|testing)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    path: str
    before: bytes | None  # None: not there
    after: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """``leaked``: the state that tests left changed, which a mend may set. ``allowed``: rules that
    a person has lifted."""

    category: Category
    leaked: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarding:
    refusals: tuple[Refusal, ...]
    lifted: tuple[Refusal, ...]  # what a person allowed: told, not refused
    remarks: tuple[Remark, ...]


def guard(edits: Iterable[Edit], ground: Ground) -> Guarding:
    edits = sorted(edits, key=lambda edit: edit.path)
    found = sorted(
        {refusal for edit in edits for refusal in _of_file(edit, ground)},
        key=lambda r: (r.path, r.line, r.rule, r.what),
    )
    return Guarding(
        refusals=tuple(r for r in found if r.rule.value not in ground.allowed),
        lifted=tuple(r for r in found if r.rule.value in ground.allowed),
        remarks=tuple(
            Remark(
                path=edit.path,
                line=0,
                what="possible real bug: the mend changes the product, not only its tests",
            )
            for edit in edits
            if not is_of_tests(edit.path)
        ),
    )


def is_of_tests(path: str) -> bool:
    return is_test_file(path) or TEST_FOLDER.search(path) is not None


def _of_file(edit: Edit, ground: Ground) -> Iterator[Refusal]:
    if SETTINGS.search(edit.path):
        what = "says how tests or the machine are set up, which a mend leaves alone"
        yield Refusal(rule=Rule.SETTING, path=edit.path, line=0, what=what)
        return
    if not edit.path.endswith(".py"):
        if is_of_tests(edit.path) and edit.before is not None:
            what = "tests may compare with this file, so it stays as it is"
            yield Refusal(rule=Rule.DATA, path=edit.path, line=0, what=what)
        return
    if edit.after is None:
        yield Refusal(rule=Rule.TEST, path=edit.path, line=0, what="the file is deleted")
        return
    before, after = _parsed(edit.before or b""), _parsed(edit.after)
    if before is None or after is None:
        what = "cannot be read as Python, so nothing can be said of its tests"
        yield Refusal(rule=Rule.TEST, path=edit.path, line=0, what=what)
        return
    yield from _of_python(edit.path, before, after, ground)


def _of_python(
    path: str, before: ast.Module, after: ast.Module, ground: Ground
) -> Iterator[Refusal]:
    is_test = is_of_tests(path)
    yield from words(before, after, path=path, is_test=is_test)
    if is_test:
        yield from compare(File.of(before), File.of(after), path=path, category=ground.category)
        yield from mocks(before, after, path=path, free=_names(ground.leaked))
        yield from shadows(before, after, path=path)
        yield from hidden(before, after, path=path)
        yield from expectations(before, after, path=path, free=_names(ground.leaked))
    is_shared = PurePosixPath(path).name == "conftest.py"
    may_seed = ground.category is Category.RANDOM and is_test and not is_shared
    yield from seeds(before, after, path=path, may_seed=may_seed)


def _parsed(content: bytes) -> ast.Module | None:
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(leaked: Iterable[str]) -> frozenset[str]:
    """The last names: ``pkg.mod.registry['x']`` is known by ``registry``."""
    bare = (re.sub(r"\[.*", "", where) for where in leaked)
    return frozenset(name.rpartition(".")[2] for name in bare if name)
