"""
What is odd in a change of another language, line by line; and what the name of a file says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.review.edited import Edited, Finding, Fresh

LONGEST = 1_000
"""Letters of a line that are looked at; every pattern is linear in them."""

_SUPPRESSIONS = re.compile(
    r"type:\s?ignore|noqa|pragma:\s?no\s?cover|nosec|pylint:\s?disable|eslint-disable|@ts-ignore"
    r"|@ts-expect-error|@ts-nocheck|#!?\[allow\(|//\s?nolint|istanbul ignore|c8 ignore|fmt:\s?off"
)
_STEERS = re.compile(
    r"(.*/)?(setup\.py|noxfile\.py|dockerfile|build\.rs|package\.json|.*\.lock|requirements.*\.txt"
    r"|go\.(mod|sum|work)|cargo\.toml|.*\.(sh|bash|mk|cmake|service|ya?ml))"
)


def _rule(pattern: str, what: str, *, blocks: bool = False) -> tuple[re.Pattern[str], str, bool]:
    return re.compile(pattern), what, blocks


_ASKS = "asks whether a test runner is at work"
_EXITS = "may end the process"
_FORGES = "prints what a test runner prints"
_TESTS = "changes or uses the test framework"
_CHANCE = "depends on the clock or on chance"
_NETWORK = "may reach the network or start a process"

RULES = (
    _rule(r"PYTEST_|NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST|JAM_CHANNEL|/jam/", _ASKS, blocks=True),
    _rule(r"=== RUN|--- PASS|\bTAP version 1|\bok \d{1,4} - ", _FORGES, blocks=True),
    _rule(r"NODE_ENV\b.{0,20}\btest\b|\btest\b.{0,20}\bNODE_ENV\b", _ASKS, blocks=True),
    _rule(r"\btesting\.Testing\(|flag\.Lookup\(.test\.", _ASKS, blocks=True),
    _rule(r"os\.Args.{0,40}\.test\b", _ASKS, blocks=True),
    _rule(r"\bcfg!?\((not\()?(test|debug_assertions)\b", "differs between kinds of build"),
    _rule(r"\bprocess(\.(exit|reallyExit|abort|kill)\b|\s?\[)", _EXITS),
    _rule(r"\bos\.Exit\b|\bsyscall\.(Exit|Kill|Raw|Sys)|\bprocess::(exit|abort)\b", _EXITS),
    _rule(r"\blibc::|\bextern \"C\"|\bimport \"C\"", "reaches below the language"),
    _rule(r"\b(globalThis|global)\.(expect|assert|describe|it|test)\b\s?=", _TESTS, blocks=True),
    _rule(r"\bassert\.\w{1,40}\s?=[^=]", _TESTS, blocks=True),
    _rule(r"['\"](node:test|vitest|@jest/globals|mocha|chai)['\"]", _TESTS, blocks=True),
    _rule(r"macro_rules!\s?(debug_)?assert", _TESTS, blocks=True),
    _rule(r"\bfn eq\([^)]{0,200}\)\s?->\s?bool\s?\{\s?true", "is equal to anything", blocks=True),
    _rule(r"prepareStackTrace|\.stack\b|runtime\.Callers?\(|Backtrace", "looks at who called it"),
    _rule(r"\b(eval|Function)\(|child_process|\bexec\.Command\(|process::Command", _NETWORK),
    _rule(r"\bfetch\(|node:(http|net|dgram)|['\"]net(/http)?['\"]|TcpStream", _NETWORK),
    _rule(r"\bprocess\.env\b|\bos\.(Getenv|LookupEnv)\(|\benv::vars?\(", "asks the environment"),
    _rule(r"Math\.random|math/rand|Date\.now|new Date\(\)|time\.Now\(|SystemTime", _CHANCE),
    _rule(r"\bcatch\s?(\([^)]{0,40}\))?\s?\{\s?\}|recover\(\)|catch_unwind", "catches everything"),
    _rule(r"\.prototype\.\w{1,40}\s?=[^=]|Object\.defineProperty\(", "changes what others made"),
)  # fmt: skip


def findings(path: str, before: str, after: str, fresh: Fresh) -> Iterator[Finding]:
    old = {what for _, line in _numbered(before) for _, what, _ in _matching(line)}
    for number, line in _numbered(after):
        if number not in fresh:
            continue
        for _, what, blocks in _matching(line):
            weighs = blocks or (what == _EXITS and not _is_program(path, after))
            yield Finding(number, what, weighs and what not in old)
    if path.endswith(".go") and not path.endswith("_test.go"):
        yield from _of_go(before, after)


def _is_program(path: str, text: str) -> bool:
    """A library that ends the process ends whoever tests it, with the exit code that it likes."""
    if path.endswith(".go"):
        return re.search(r"^package main\b", text, re.MULTILINE) is not None
    if path.endswith(".rs"):
        return path.rpartition("/")[2] == "main.rs" or "/bin/" in f"/{path}"
    return text.startswith("#!") or re.search(r"(^|/)(bin|cli|scripts?)\b", path) is not None


def suppressions(before: str, after: str) -> Iterator[Finding]:
    """Counted, since each one alone may be honest."""
    had, has = (len(_SUPPRESSIONS.findall(text)) for text in (before, after))
    if has > had:
        yield Finding(0, f"silences a checker {has - had} times more than before")


def of_place(edit: Edited) -> Iterator[Finding]:
    if edit.before is None and _STEERS.fullmatch(edit.path.casefold()):
        yield Finding(0, "is new, and steers how things are built or run")


def _of_go(before: str, after: str) -> Iterator[Finding]:
    testing = '"testing"'
    if testing in after and testing not in before:
        line = after[: after.index(testing)].count("\n") + 1
        yield Finding(line, _TESTS, blocks=True)


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        yield number, line[:LONGEST]


def _matching(line: str) -> Iterator[tuple[re.Pattern[str], str, bool]]:
    return (rule for rule in RULES if rule[0].search(line))
