"""
Tests that always fail, for runners whose tests cannot be copied: are they told to fail?

Where code under test prints beside the report, or writes it, it can print one. It cannot know of
tests that were not there when it was written, under names that nobody can guess. One of them only
fails; the others use the assertions of the target's own file, which code under test could weaken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bot.core.contract import Dialect
from bot.core.report import Mark
from bot.core.sensitivity.sighting import Sighting, Word
from bot.core.surface_names import is_test_file

Read = Callable[[str], bytes | None]
BAD = (Mark.FAILED, Mark.ERRORED)
_PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_WORD = re.compile(r"^\s*(test|it)(?:\.\w+)?\(", re.MULTILINE)
#: assertions that do not hold, by the word that a file uses
_PYTHON = {
    "": 'raise AssertionError("made to fail")',
    "assert ": "one = 1; assert one == 2",
    "assertEqual": "self.assertEqual(1, 2)",
    "assertTrue": "self.assertTrue(0)",
    "assertFalse": "self.assertFalse(1)",
    "assertIn": "self.assertIn(1, [2])",
    "assertIs": "self.assertIs(None, 1)",
    "assertRaises": "self.assertRaises(KeyError, int)",
}
_ASSERT = {
    "equal": "(1, 2)",
    "strictEqual": "(1, 2)",
    "deepEqual": "([1], [2])",
    "deepStrictEqual": "([1], [2])",
    "notStrictEqual": "(1, 1)",
    "ok": "(false)",
    "match": "('a', /b/)",
    "throws": "(() => {})",
}
_EXPECT = {
    "toBe": "(1).toBe(2)",
    "toEqual": "([1]).toEqual([2])",
    "toStrictEqual": "([1]).toStrictEqual([2])",
    "toBeTruthy": "(0).toBeTruthy()",
    "toBeFalsy": "(1).toBeFalsy()",
    "toBeNull": "(1).toBeNull()",
    "toContain": "([1]).toContain(2)",
    "toHaveLength": "([1]).toHaveLength(2)",
    "toThrow": "(() => {}).toThrow()",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """``name`` is in the ids of all ``count`` tests, and in no other."""

    path: str
    content: bytes
    name: str
    count: int = 1


def canary(
    dialect: Dialect, targets: Iterable[str], paths: Iterable[str], *, read: Read, token: str
) -> Canary | None:
    """Beside a target's test file, or within it. None where there is no way to write one."""
    if dialect is Dialect.GO_JSON:
        return _of_go(targets, paths, read, token)
    return _within(targets, paths, read, token) if dialect.has_ids else None


def of_canary(seen: Sighting, canary: Canary, ground: Callable[[], Sighting]) -> Word:
    """``ground``: the same without the change, looked at only where they are not told here."""
    if _told(seen, canary):
        return Word("passed", "a test that always fails, laid beside, was told to fail")
    if not _told(ground(), canary):
        return Word("not applicable", "a test laid beside the targets is not run by this gate")
    return Word(
        "failed", "a test that always fails was not told to fail, as it is without the change"
    )


def _told(seen: Sighting, canary: Canary) -> bool:
    marks = [case.mark for test, case in seen.cases.items() if canary.name in test]
    return len(marks) == canary.count and all(mark in BAD for mark in marks)


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


def _within(targets: Iterable[str], paths: Iterable[str], read: Read, token: str) -> Canary | None:
    """At the end of a target's own file: there, what is tested is loaded as well."""
    names = {target.rpartition("::")[2].partition("[")[0] for target in targets} - {""}
    for path in filter(is_test_file, sorted(paths)):
        text = _text(read, path)
        if not any(name in text for name in names):
            continue
        tests = _in_python(text, token) if path.endswith(".py") else _in_script(path, text, token)
        if tests:
            content = f"{text.rstrip()}\n\n\n{''.join(tests.values())}"
            encoded = content.encode(errors="surrogateescape")
            return Canary(path=path, content=encoded, name=token, count=len(tests))
    return None


def _in_python(text: str, token: str) -> Mapping[str, str]:
    """One class each, so that none of them can be missed for the sake of another."""
    used = {word: line for word, line in _PYTHON.items() if word in text}
    return {
        word: f'\n\nclass TestJam{number}x{token}(__import__("unittest").TestCase):\n'
        f"    def test_jam_{number}_{token}(self):\n        {line}\n"
        for number, (word, line) in enumerate(used.items())
    }


def _in_script(path: str, text: str, token: str) -> Mapping[str, str]:
    word = _WORD.search(text) if _SCRIPT.search(path) else None
    if word is None:
        return {}
    lines = {"": "throw new Error('made to fail')"}
    for name in re.findall(r"^(?:import|const|let|var)\s+(\w*[aA]ssert\w*)\b", text, re.MULTILINE):
        used = {verb: args for verb, args in _ASSERT.items() if f"{name}.{verb}(" in text}
        lines |= {f"{name}.{verb}": f"{name}.{verb}{args}" for verb, args in used.items()}
    used = {verb: args for verb, args in _EXPECT.items() if f".{verb}(" in text}
    if re.search(r"\bexpect\(", text):
        lines |= {verb: f"expect{args}" for verb, args in used.items()}
    return {
        verb: f"{word[1]}('jam {number} {token}', () => {{ {line}; }});\n"
        for number, (verb, line) in enumerate(lines.items())
    }


def _text(read: Read, path: str) -> str:
    return (read(path) or b"").decode(errors="surrogateescape")


def _beside(path: str, name: str) -> str:
    folder = path.rpartition("/")[0]
    return f"{folder}/{name}" if folder else name
