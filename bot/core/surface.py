"""
Finds what decides the meaning of an oracle, in the tree that it judges first.

Decides, from the gates' commands and from the names in the base, which runners are at work, which
files are tests, which files steer the runners, and which new names would. The answer is a
``Rules``; what is done about it is decided by ``bot.core.frozen.plan``. A product file with an
ordinary name in an ordinary place is never held: a repair has to be able to touch it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.core import commanded
from bot.core.contract import Dialect, Oracle
from bot.core.frozen import Hold, Rules, agree, fold, folders_of, rules
from bot.core.surface_names import (
    BESIDE_TESTS,
    EVERYWHERE,
    SCRIPTS,
    Family,
    is_test_data,
    is_test_file,
    may_be_test_folder,
    shadows,
)
from bot.core.tree import TreeEntry

Read = Callable[[str], bytes | None]

_BY_DIALECT: Mapping[Dialect, Family] = {
    Dialect.PYTEST: Family.PYTHON,
    Dialect.UNITTEST: Family.PYTHON,
    Dialect.GO_JSON: Family.GO,
}
_SUBMODULE = "160000"


def discover(
    base: Mapping[str, TreeEntry], oracle: Oracle, *, read: Read, targets: Iterable[str] = ()
) -> Rules:
    """
    All that ``oracle`` holds of ``base``. ``read`` gives the base's files. Raises ``SpecError``
    when a pattern of ``frozen`` cannot be agreed to.
    """
    patterns = agree(oracle.frozen, base)
    scripts = tuple(gate.run for gate in oracle.gates)
    named = commanded.by(scripts, base, read=read)
    families = _families(oracle, named)
    closed, tests = _tests(base, named)
    ids = dict.fromkeys(_files_of(targets, base), Hold.FROZEN)
    places = _places(base, {*tests, *named.tests, *ids}, named)
    names = _NewNames(families=families, places=places)
    steering = {path: Hold.SURFACE for path in base if names.steers(path)}
    held: dict[str, Hold] = dict.fromkeys(named.steering, Hold.SURFACE) | steering
    if oracle.frozen:  # says which of the doubtful ones are tests, and never which are not
        tests = frozenset(path for path in tests if not _is_doubtful(path, closed))
    held = dict.fromkeys([*tests, *named.tests], Hold.FROZEN) | held
    kept = {path: why for path, why in (ids | held).items() if base[path].mode != _SUBMODULE}
    return rules(base, held=kept, closed=closed, patterns=patterns, new=names)


def _families(oracle: Oracle, named: commanded.Named) -> frozenset[Family]:
    """Those at work; all of them where nothing is recognised."""
    spoken = {_BY_DIALECT[gate.report] for gate in oracle.gates if gate.report in _BY_DIALECT}
    return frozenset(spoken | named.families) or frozenset(Family)


def _tests(
    base: Mapping[str, TreeEntry], named: commanded.Named
) -> tuple[frozenset[str], frozenset[str]]:
    """Folders of tests, which are closed, and all test files in them and elsewhere."""
    files = {path for path in base if is_test_file(path)}
    closed = {
        folder
        for folder in folders_of(files) - {""}
        if may_be_test_folder(folder.rpartition("/")[2]) or folder in named.folders
    }
    closed |= {folder for folder in folders_of(base) if is_test_data(folder.rpartition("/")[2])}
    closed -= {folder for folder in named.folders if _is_product(folder, base)}
    inside = {path for path in base if folders_of([path]) & closed}
    return frozenset(closed), frozenset(files | inside)


def _is_doubtful(path: str, closed: frozenset[str]) -> bool:
    """Plainly called ``test.py``, and among sources: as often a part of the product."""
    plain = path.rpartition("/")[2] in ("test.py", "tests.py")
    return plain and not folders_of([path]) & closed


def _is_product(folder: str, base: Mapping[str, TreeEntry]) -> bool:
    """Whether most of the code of a folder that a command names is not tests."""
    if may_be_test_folder(folder.rpartition("/")[2]):
        return False
    code = [path for path in base if path.startswith(f"{folder}/") and _is_code(path)]
    # Tests beside their sources, one for one, are no folder of tests.
    return sum(map(is_test_file, code)) * 5 < len(code) * 3


def _is_code(path: str) -> bool:
    plain = not path.endswith(("/__init__.py", "/conftest.py"))
    return plain and path.endswith((".py", ".js", ".ts", ".go", ".rs", ".rb", ".java"))


def _files_of(targets: Iterable[str], base: Mapping[str, TreeEntry]) -> Iterator[str]:
    """The test files that ids name, in the form of pytest's ids or of unittest's."""
    by_name: dict[str, list[str]] = {}
    for path in base:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    for target in targets:
        path, _, rest = target.partition("::")
        if path not in base:
            yield from _dotted(target, by_name)
        elif not _is_doctest(path, rest):
            yield path


def _is_doctest(path: str, rest: str) -> bool:
    """An example in a docstring: the file that holds it is the product."""
    stem = path.rpartition("/")[2].removesuffix(".py")
    return stem in rest.split(".") and not is_test_file(path)


def _dotted(target: str, by_name: Mapping[str, list[str]]) -> Iterator[str]:
    parts = target.split(".")
    for end in range(1, len(parts) + 1):
        tail = "/" + "/".join(parts[:end]) + ".py"
        for path in by_name.get(parts[end - 1] + ".py", ()):
            if f"/{path}".endswith(tail) and (is_test_file(path) or _among_tests(path)):
                yield path


def _among_tests(path: str) -> bool:
    return any(may_be_test_folder(part) for part in path.split("/")[:-1])


@dataclass(frozen=True, slots=True)
class _Places:
    """``configured``: where runners look for configuration. ``imported``: on the import path."""

    configured: frozenset[str]
    imported: frozenset[str]
    packages: frozenset[str]
    modules: frozenset[str]  # top-level names that the base has, as place and name
    tests: frozenset[str]  # those places that only tests are imported from


def _places(base: Mapping[str, TreeEntry], tests: Iterable[str], named: commanded.Named) -> _Places:
    packages = frozenset(path.rpartition("/")[0] for path in base if path.endswith("/__init__.py"))
    homes = {path.rpartition("/")[0] for path in tests}
    starts = {_above_packages(home, packages) for home in homes}
    imported = frozenset({"", "src", "lib", *named.import_roots, *starts})
    return _Places(
        configured=folders_of(f"{folder}/x" for folder in {*homes, *named.folders}),
        imported=imported,
        packages=packages,
        modules=frozenset(_top_name(root, path) for root in imported for path in base),
        tests=frozenset(starts) - {"", "src", "lib"},
    )


def _above_packages(folder: str, packages: frozenset[str]) -> str:
    """Where a runner puts the start of the import path for a test in ``folder``."""
    while folder in packages:
        folder = folder.rpartition("/")[0]
    return folder


def _top_name(root: str, path: str) -> str:
    """``root:name`` of the module or package at ``root`` that ``path`` is of."""
    if root and not path.startswith(f"{root}/"):
        return ""
    below = path[len(root) :].lstrip("/") if root else path
    return f"{root}:{fold(below.partition('/')[0].partition('.')[0])}"


@dataclass(frozen=True, slots=True)
class _NewNames:
    families: frozenset[Family]
    places: _Places

    def hold(self, path: str) -> Hold | None:
        if self.steers(path) or self._shadows(path):
            return Hold.SURFACE
        # A test module shares its process with all others and can patch what they test.
        return Hold.FROZEN if is_test_file(path) else None

    def steers(self, path: str) -> bool:
        """Whether a runner obeys a file of this name in this place."""
        folded = fold(path)
        folder, _, name = path.rpartition("/")
        name = fold(name)
        kinds = (None, *self.families)
        if any(EVERYWHERE[kind].fullmatch(folded) for kind in kinds if kind in EVERYWHERE):
            return True
        if folder not in self.places.configured:
            return False
        if any(BESIDE_TESTS[kind].fullmatch(name) for kind in kinds if kind in BESIDE_TESTS):
            return True
        return folder not in self.places.packages and any(
            SCRIPTS[kind].fullmatch(name) for kind in self.families if kind in SCRIPTS
        )

    def _shadows(self, path: str) -> bool:
        if Family.PYTHON not in self.families:
            return False
        for root in self.places.imported:
            below = path.removeprefix(f"{root}/") if root else path
            inside = not root or below != path
            if inside and shadows(below) and _top_name(root, path) not in self.places.modules:
                return True
        return any(self._doubles(root, path) for root in self.places.tests)

    def _doubles(self, root: str, path: str) -> bool:
        """A module beside tests with the name of one elsewhere, which they would import instead."""
        here = _top_name(root, path)
        name = here.partition(":")[2]
        elsewhere = (f"{other}:{name}" for other in self.places.imported - {root})
        return (
            bool(name)
            and here not in self.places.modules
            and any(other in self.places.modules for other in elsewhere)
        )
