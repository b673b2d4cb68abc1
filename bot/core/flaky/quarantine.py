"""
Quarantine: a flaky test set aside, openly, until a day that is written down.

The marker is ``pytest.mark.xfail(strict=False)``, in the test file itself: the test still runs and
reports, reviewers see it where it matters, and it needs no plugin. Each carries its reason, issue,
owner and end in one line that is read back, so that the next scheduled run can enforce the end.
Refuses to know who asks; whether a repository wants it is its contract's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fnmatch import fnmatchcase

from bot.core.flaky.finding import Finding
from bot.core.visible import one_line

DAYS = 30
REASON = 160
LINE = re.compile(
    r"flaky until (?P<ends>\d{4}-\d\d-\d\d), owner (?P<owner>\S+), issue (?P<issue>#?\d+|none): "
    r"(?P<reason>.*)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One test in quarantine. ``test``: its id, without parameters."""

    test: str
    reason: str
    owner: str
    issue: int | None
    ends: date

    @property
    def words(self) -> str:
        issue = f"#{self.issue}" if self.issue is not None else "none"
        reason = one_line(self.reason, REASON)
        return f"flaky until {self.ends}, owner {self.owner}, issue {issue}: {reason}"

    def is_over(self, today: date) -> bool:
        return today > self.ends


def marker_for(finding: Finding, *, owner: str, issue: int | None, today: date) -> Marker:
    before = finding.before
    reason = f"{finding.category.value}, failed {before.failed} of {before.runs} runs"
    return Marker(
        test=finding.test.partition("[")[0],
        reason=reason,
        owner=owner or "nobody",
        issue=issue,
        ends=today + timedelta(days=DAYS),
    )


def put(text: str, marker: Marker) -> str | None:
    """The file with the marker above its test; None where the test is not in it."""
    node = _test(text, marker.test)
    if node is None:
        return None
    lines = text.splitlines(keepends=True)
    top = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
    indent = lines[node.lineno - 1][: node.col_offset]
    line = f"{indent}@pytest.mark.xfail(strict=False, reason={_quoted(marker.words)})\n"
    return _importing("".join([*lines[:top], line, *lines[top:]]))


def take(text: str, test: str) -> str | None:
    """The file without the marker of this test; None where it has none."""
    node = _test(text, test)
    if node is None:
        return None
    lines = text.splitlines(keepends=True)
    for one in node.decorator_list:
        if _words(one) is not None:
            first, last = one.lineno - 1, one.end_lineno or one.lineno
            return "".join([*lines[:first], *lines[last:]])
    return None


def read(path: str, text: str) -> tuple[Marker, ...]:
    """All markers of a file."""
    try:
        return tuple(_markers(path, ast.parse(text)))
    except (SyntaxError, ValueError):
        return ()


def owner_of(path: str, codeowners: str) -> str:
    """The last rule that fits, as GitHub reads it; '' where nobody owns it."""
    found = ""
    for line in codeowners.splitlines():
        pattern, *owners = line.partition("#")[0].split()[:2] or [""]
        if pattern and _fits(path, pattern):
            found = owners[0] if owners else ""
    return found


def _fits(path: str, pattern: str) -> bool:
    anchored = pattern.startswith("/") or "/" in pattern.rstrip("/")
    bare = pattern.strip("/")
    if pattern == "*":
        return True
    candidates = [path, *_above(path)]
    if anchored:
        return any(fnmatchcase(one, bare) for one in candidates)
    return any(fnmatchcase(one.rpartition("/")[2], bare) for one in candidates)


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _markers(path: str, tree: ast.Module) -> Iterator[Marker]:
    for name, node in _tests(tree.body, ""):
        for one in node.decorator_list:
            words = _words(one)
            found = LINE.fullmatch(words) if words is not None else None
            if found:
                issue = found["issue"].lstrip("#")
                yield Marker(
                    test=f"{path}::{name}",
                    reason=found["reason"],
                    owner=found["owner"],
                    issue=int(issue) if issue.isdigit() else None,
                    ends=date.fromisoformat(found["ends"]),
                )


def _words(decorator: ast.expr) -> str | None:
    """The reason of an ``xfail`` that is ours."""
    match decorator:
        case ast.Call(func=ast.Attribute(attr="xfail"), keywords=keywords):
            reasons = {one.arg: one.value for one in keywords}
            reason = reasons.get("reason")
        case _:
            return None
    match reason:
        case ast.Constant(value=str(words)) if LINE.fullmatch(words):
            return words
        case _:
            return None


Test = ast.FunctionDef | ast.AsyncFunctionDef


def _tests(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Test]]:
    for node in body:
        if isinstance(node, Test):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{prefix}{node.name}::")


def _test(text: str, test: str) -> Test | None:
    wanted = test.partition("[")[0].partition("::")[2]
    try:
        found: Mapping[str, Test] = dict(_tests(ast.parse(text).body, ""))
    except (SyntaxError, ValueError):
        return None
    return found.get(wanted)


def _importing(text: str) -> str:
    tree = ast.parse(text)
    names = {a.asname or a.name for n in tree.body if isinstance(n, ast.Import) for a in n.names}
    if "pytest" in names:
        return text
    place = 0
    for number, node in enumerate(tree.body):
        is_docstring = number == 0 and isinstance(node, ast.Expr)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if is_docstring or is_future:
            place = node.end_lineno or place
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:place], "import pytest\n", *lines[place:]])


def _quoted(words: str) -> str:
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'
