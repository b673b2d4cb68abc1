"""
``repair`` for a flaky test: what was measured says what is tried. It never judges.

Each turn puts forward the next patch that fits; the runs of the session decide, and a refusal means
the next one.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from bot.agents.flaky_repair.operators import LEFT, UNKNOWN_SHAPE, Patch, patches
from bot.agents.flaky_repair.sheet import Sheet
from bot.agents.tools.files import Files, Refused
from bot.core.flaky.finding import Finding
from bot.ports import Bench, Brief, Remaining, TurnDone, Wish

ROOTS = ("", "src/", "lib/")
MOST = 40  # product files that are read


@dataclass(frozen=True, slots=True)
class FlakyRepair:
    finding: Finding

    @property
    def name(self) -> str:
        return "repair"

    def turn(
        self,
        brief: Brief,  # noqa: ARG002  # the finding says it all, and as values
        bench: Bench,
        *,
        history: Sequence[bytes],
        feedback: str,  # noqa: ARG002  # a refusal is all it can say
        remaining: Remaining,
    ) -> TurnDone:
        until = monotonic() + max(remaining.seconds, 30.0)
        try:
            return self._next(Files(bench, lambda: until - monotonic()), bench, history)
        except Refused as refused:  # it was stopped, or the time is over
            memory = history[-1] if history else b"{}"
            return TurnDone(wish=Wish.GIVE_UP, said=str(refused), memory=memory)

    def _next(self, files: Files, bench: Bench, history: Sequence[bytes]) -> TurnDone:
        tried, base = _remembered(history)
        for path, text in base.items():
            files.write(path, text.encode())
        tests = dict(self._tests(files))
        found = patches(self.finding, tests, dict(self._product(files, tests)))
        for number, patch in enumerate(found):
            if number >= tried and (kept := self._put(files, bench, patch, tests)) is not None:
                memory = json.dumps({"tried": number + 1, "base": kept}).encode()
                return TurnDone(wish=Wish.FINISH, said=patch.said, memory=memory)
        said = " ".join(filter(None, (UNKNOWN_SHAPE, LEFT.get(self.finding.category))))
        return TurnDone(wish=Wish.GIVE_UP, said=said, memory=json.dumps({"tried": tried}).encode())

    def _put(
        self, files: Files, bench: Bench, patch: Patch, tests: dict[str, Sheet]
    ) -> dict[str, str] | None:
        """The files as they were, once the patch is in them."""
        if any(bench.may_write(path)[0] != "allow" for path in patch.texts):
            return None
        kept = {}
        for path, text in patch.texts.items():
            kept[path] = tests[path].text if path in tests else files.read(path).decode()
            files.write(path, text.encode())
        return kept

    def _tests(self, files: Files) -> Iterator[tuple[str, Sheet]]:
        finding = self.finding
        named = (*finding.tests, finding.test, *finding.polluters, *finding.setters)
        leaking = (leaked.by for leaked in finding.leaked)
        for path in dict.fromkeys(test.partition("::")[0] for test in (*named, *leaking)):
            if path.endswith(".py") and (sheet := _sheet(files, path)):
                yield path, sheet

    def _product(self, files: Files, tests: dict[str, Sheet]) -> Iterator[tuple[str, Sheet]]:
        """What the tests import of the checkout, and what that imports in turn."""
        waiting = [name for sheet in tests.values() for name in _imports(sheet)]
        seen: set[str] = set()
        while waiting and len(seen) < MOST:
            name = waiting.pop(0)
            for path in _paths(name):
                if path not in seen and path not in tests and (sheet := _sheet(files, path)):
                    seen.add(path)
                    waiting += _imports(sheet, within=name)
                    yield path, sheet
                    break


def _remembered(history: Sequence[bytes]) -> tuple[int, dict[str, str]]:
    if not history:
        return 0, {}
    try:
        kept = json.loads(history[-1])
        return int(kept.get("tried", 0)), dict(kept.get("base", {}))
    except (ValueError, AttributeError, TypeError):
        return 0, {}


def _sheet(files: Files, path: str) -> Sheet | None:
    try:
        sheet = Sheet(path, files.read(path).decode())
        ast.parse(sheet.text)
    except (Refused, UnicodeDecodeError, SyntaxError, ValueError):
        return None
    return sheet


def _paths(name: str) -> Iterator[str]:
    parts = name.replace(".", "/")
    for root in ROOTS:
        yield f"{root}{parts}.py"
        yield f"{root}{parts}/__init__.py"


def _imports(sheet: Sheet, *, within: str = "") -> list[str]:
    found: list[str] = []
    for node in ast.walk(sheet.tree):
        match node:
            case ast.Import(names=names):
                found += [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                package = _package(module or "", level, within)
                found += [package, *[f"{package}.{alias.name}" for alias in names]]
            case _:
                pass
    return [name for name in found if name]


def _package(module: str, level: int, within: str) -> str:
    """``from ..a import b`` in ``p.q.r`` is of ``p.a``; in ``p/__init__.py``, ``.`` is p itself."""
    if not level:
        return module
    parts = within.split(".")
    above = parts[: len(parts) - level] or parts
    return ".".join([*above, *([module] if module else [])])
