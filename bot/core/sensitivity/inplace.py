"""
Target tests under other names where they stand, for runners whose tests cannot be copied.

A report that code under test can write may know the names of the tests that it has to call passed.
It cannot know these. The text of a test is not understood: a language is a pattern around a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from bot.core.contract import Dialect
from bot.core.sensitivity.sighting import Sighting, Word
from bot.core.surface_names import is_test_file

Texts: TypeAlias = Mapping[str, str]
NAMED = 3  # tests in a sentence
NEIGHBOURS = 60
_SCRIPT = r"(?P<before>\b(?:test|it)(?:\.\w+)?\(\s*(?P<q>['\"`]))(?P<name>{name})(?P<after>(?P=q))"
#: by the end of a file's name: where a test is named, and what its name gets in addition
_LANGUAGES = (
    (re.compile(r"\.go$"), r"(?P<before>^func )(?P<name>{name})(?P<after>\()", "Jam{token}"),
    (re.compile(r"\.py$"), r"(?P<before>\bdef )(?P<name>{name})(?P<after>\()", "_jam{token}"),
    (re.compile(r"\.[cm]?[jt]sx?$"), _SCRIPT, " jam {token}"),
)
_SPEAKS = re.compile(
    r"\bt\.Name\(|[sS]napshot|currentTestName|request\.node|_testMethodName|\.id\(\)|__name__"
    r"|\bt\.name\b|golden|PYTEST_CURRENT_TEST"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """``names``: what each target is called now, and ``beside`` the same of tests that pass on the
    base. ``speaks``: some test reads its own name."""

    contents: Mapping[str, bytes]
    names: Mapping[str, str]
    beside: Mapping[str, str]
    speaks: bool


def in_place(
    dialect: Dialect, targets: Iterable[str], passed: Iterable[str], *, texts: Texts, token: str
) -> Renamed:
    """Those that are found in exactly one test file, once. The others are left out."""
    made = _Names(dialect, token, dict(texts))
    names = made.of(targets)
    made.texts = {path: text for path, text in made.texts.items() if path in made.changed}
    return Renamed(
        names=names,
        beside=made.of(sorted(passed)[:NEIGHBOURS]) if names else {},
        contents={path: made.texts[path].encode(errors="surrogateescape") for path in made.changed},
        speaks=any(_SPEAKS.search(made.texts[path]) for path in made.changed),
    )


def texts_of_tests(paths: Iterable[str], read: Callable[[str], bytes | None]) -> Texts:
    """Of every file that could hold a test by a name that can be found."""
    return {
        path: (read(path) or b"").decode(errors="surrogateescape")
        for path in sorted(paths)
        if is_test_file(path) and any(ending.search(path) for ending, *_ in _LANGUAGES)
    }


def of_names(renamed: Renamed, count: int, seen: Sighting, ground: Callable[[], Sighting]) -> Word:
    """``count``: of targets. ``ground``: the same without the change, looked at if one fails."""
    if not renamed.names:
        return Word("not applicable", "no target could be given another name where it stands")
    failing = sorted(test for test, name in renamed.names.items() if not seen.passed(name))
    if not failing:
        left = count - len(renamed.names)
        but = f"; {_tests(left)} could not be renamed" if left else ""
        return Word("passed", f"{_tests(len(renamed.names))} passed under another name{but}")
    if renamed.speaks:
        return Word("not applicable", "the tests speak of their own name")
    before = ground()
    if any(renamed.names[test] not in before.cases for test in failing):
        return Word("not applicable", "the tests are not found under another name")
    if not all(before.passed(name) for name in renamed.beside.values()):
        return Word("not applicable", "tests beside them fail under another name on the base")
    return Word("failed", f"{', '.join(failing[:NAMED])} passed only under its own name")


@dataclass(slots=True)
class _Names:
    """Texts while tests in them get other names. ``added``: what a name got, by the name."""

    dialect: Dialect
    token: str
    texts: dict[str, str]
    changed: dict[str, None] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)

    def of(self, tests: Iterable[str]) -> dict[str, str]:
        found = {}
        for test in sorted(tests):
            head, leaf, rest = _apart(self.dialect, test)
            if leaf and leaf not in self.added:
                self._rename(leaf)
            if leaf in self.added:
                found[test] = f"{head}{leaf}{self.added[leaf]}{rest}"
        return found

    def _rename(self, leaf: str) -> None:
        places = []
        for path, text in self.texts.items():
            for ending, pattern, more in _LANGUAGES:
                if leaf in text and ending.search(path):
                    named = re.compile(pattern.format(name=re.escape(leaf)), re.MULTILINE)
                    more = more.format(token=self.token)
                    new, times = named.subn(rf"\g<before>\g<name>{more}\g<after>", text)
                    places += [(path, new, more)] * times
        if len(places) == 1:
            path, self.texts[path], self.added[leaf] = places[0]
            self.changed[path] = None


def _apart(dialect: Dialect, target: str) -> tuple[str, str, str]:
    """What comes before the name that is in the text, that name, and what comes after it."""
    head, sign, leaf = target.rpartition("::")
    if dialect is Dialect.GO_JSON:
        head, sign, leaf = target.partition("::")
        name, slash, rest = leaf.partition("/")
        return head + sign, name, slash + rest
    name, bracket, rest = leaf.partition("[")
    return head + sign, name, bracket + rest


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"
