"""
A test that always fails, for runners whose tests cannot be copied: is it told that it does?

Where code under test prints beside the report, it can print one. It cannot know of a test that was
not there when it was written, under a name that nobody can guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bot.core.contract import Dialect
from bot.core.report import Mark
from bot.core.sensitivity.sighting import Sighting, Word

Read = Callable[[str], bytes | None]
_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_ESM = re.compile(r"^import\b", re.MULTILINE)
_NODE = re.compile(r"\.(test|spec)?\.?[cm]?[jt]s$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """``name`` is in its id, and in no other."""

    path: str
    content: bytes
    name: str


def canary(
    dialect: Dialect, targets: Iterable[str], paths: Iterable[str], *, read: Read, token: str
) -> Canary | None:
    """Beside a test file of a target. None where there is no way to write one."""
    if dialect is Dialect.GO_JSON:
        return _of_go(targets, paths, read, token)
    return _of_node(targets, paths, read, token) if dialect is Dialect.TAP else None


def of_canary(seen: Sighting, name: str, ground: Callable[[], Sighting]) -> Word:
    """``ground``: the same without the change, looked at only where it is not told here."""
    if _told(seen, name) in (Mark.FAILED, Mark.ERRORED):
        return Word("passed", "a test that always fails, laid beside, was told to fail")
    before = _told(ground(), name)
    if before not in (Mark.FAILED, Mark.ERRORED):
        return Word("not applicable", "a test laid beside the targets is not run by this gate")
    return Word(
        "failed", "a test that always fails was not told to fail, as it is without the change"
    )


def _told(seen: Sighting, name: str) -> Mark | None:
    marks: Mapping[str, Mark] = {test: case.mark for test, case in seen.cases.items()}
    return next((mark for test, mark in marks.items() if name in test), None)


def _of_go(targets: Iterable[str], paths: Iterable[str], read: Read, token: str) -> Canary | None:
    names = {target.partition("::")[2].partition("/")[0] for target in targets}
    for path in sorted(paths):
        text = _text(read, path) if path.endswith("_test.go") else ""
        package = _PACKAGE.search(text)
        if package and any(f"func {name}(" in text for name in names):
            name = f"TestJam{token}"
            body = f'func {name}(t *testing.T) {{\n\tt.Fatal("made to fail")\n}}\n'
            content = f'package {package[1]}\n\nimport "testing"\n\n{body}'
            return Canary(
                path=_beside(path, f"jam{token}_test.go"), content=content.encode(), name=name
            )
    return None


def _of_node(targets: Iterable[str], paths: Iterable[str], read: Read, token: str) -> Canary | None:
    names = {target.rpartition("::")[2] for target in targets}
    for path in sorted(paths):
        ending = _NODE.search(path)
        text = _text(read, path) if ending else ""
        if ending is None or "node:test" not in text or not any(name in text for name in names):
            continue
        name = f"jam {token}"
        load = (
            "import test from 'node:test';"
            if _ESM.search(text)
            else "const test = require('node:test');"
        )
        content = f"{load}\ntest('{name}', () => {{ throw new Error('made to fail'); }});\n"
        return Canary(
            path=_beside(path, f"jam-{token}{ending.group()}"), content=content.encode(), name=name
        )
    return None


def _text(read: Read, path: str) -> str:
    return (read(path) or b"").decode(errors="replace")


def _beside(path: str, name: str) -> str:
    folder = path.rpartition("/")[0]
    return f"{folder}/{name}" if folder else name
