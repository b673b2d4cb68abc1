"""
Operators on text in quotes: what people misspell in strings, and the small slips of patterns.

Edits happen in the characters between the quotes, so prefix, quotes and escapes stay as they are.
"""

from __future__ import annotations

import ast
import re
from typing import Iterator

from .scope import path_of
from .site import Change, Operator, Site

QUOTED = re.compile(r"(?s)\A([A-Za-z]*)('''|\"\"\"|'|\")(.*)\2\Z")
PAIRS = {
    "(": ")",
    ")": "(",
    "[": "]",
    "]": "[",
    "{": "}",
    "}": "{",
    "<": ">",
    ">": "<",
    "/": "\\\\",
}
PUNCTUATION = (
    "",
    " ",
    ",",
    ", ",
    ".",
    ":",
    ": ",
    ";",
    "-",
    "_",
    "/",
    "|",
    "\\n",
    "\\t",
    "=",
    "+",
    "*",
    "#",
    "%",
    "0",
)
PATTERN_CALLS = {
    "compile",
    "match",
    "search",
    "fullmatch",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
}


class Inside:
    """The characters between the quotes, where they start, and how they are written."""

    def __init__(self, site: Site) -> None:
        self.start, self.text, self.quote, self.prefix = -1, "", "", ""
        if isinstance(site.node, ast.Constant) and isinstance(site.node.value, (str, bytes)):
            found = QUOTED.match(site.text())
            if found and len(found.group(2)) <= len(found.group(3)) + 3:
                self.prefix, self.quote, self.text = (
                    found.group(1).lower(),
                    found.group(2),
                    found.group(3),
                )
                self.start = site.source.span(site.node).start + found.start(3)

    @property
    def is_editable(self) -> bool:
        return self.start >= 0 and len(self.text) <= 400 and self.quote not in self.text


def _is_prose(site: Site) -> bool:
    return isinstance(site.parent, (ast.Expr, ast.JoinedStr, ast.FormattedValue))


def text(site: Site) -> Iterator[Change]:
    """Another text: by case, by space, by bracket, by a character more or less, by a sibling."""
    inside = Inside(site)
    if not inside.is_editable or _is_prose(site):
        return
    now = inside.text
    for other, weight in _spelled(now).items():
        if other != now and inside.quote[0] not in other:
            yield Change(((inside.start, inside.start + len(now), other),), weight)


def _spelled(now: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for other, weight in (
        (now.lower(), 0.5), (now.upper(), 0.4), (now.capitalize(), 0.3), (now.strip(), 0.7),
        (now + " ", 0.4), (" " + now, 0.4), (now + "\\n", 0.3), ("", 0.5), (now[:-1], 0.4), (now[1:], 0.4),
        (now[::-1], 0.3), (now.replace("_", "-"), 0.4), (now.replace("-", "_"), 0.4),
    ):  # fmt: skip
        found.setdefault(other, weight)
    if len(now) <= 2:
        for other in PUNCTUATION:
            found.setdefault(other, 0.25)
    for place, letter in enumerate(now[:60]):
        if letter in PAIRS:
            found.setdefault(now[:place] + PAIRS[letter] + now[place + 1 :], 0.4)
        if not letter.isalnum() and letter != "\\" and (place == 0 or now[place - 1] != "\\"):
            found.setdefault(now[:place] + now[place + 1 :], 0.15)
    return found


def formatting(site: Site) -> Iterator[Change]:
    """What a format says after its colon or per cent sign."""
    inside = Inside(site)
    if not inside.is_editable:
        return
    for found in re.finditer(r"(?<=[%.:])\d+|(?<=[:{])[<>^]", inside.text):
        at = inside.start + found.start()
        for other in _formats(found.group()):
            yield Change(((at, at + len(found.group()), other),), 0.6)
    for found in re.finditer(r"%([sdrfx])", inside.text):
        at = inside.start + found.start(1)
        for other in "sdrfx":
            if other != found.group(1):
                yield Change(((at, at + 1, other),), 0.4)


def _formats(now: str) -> list[str]:
    if now in "<>^":
        return [other for other in "<>^" if other != now]
    return [str(int(now) + 1), str(max(int(now) - 1, 0))]


def pattern(site: Site) -> Iterator[Change]:
    """The slips of regular expressions: counts, anchors, classes, escapes."""
    inside = Inside(site)
    if not inside.is_editable or not _is_pattern(site, inside):
        return
    for at, end, new, weight in _slips(inside.text):
        changed = inside.text[:at] + new + inside.text[end:]
        if inside.quote[0] not in new and _compiles(changed, inside.prefix):
            yield Change(((inside.start + at, inside.start + end, new),), weight)


def _is_pattern(site: Site, inside: Inside) -> bool:
    if isinstance(site.parent, ast.Call) and path_of(site.parent.func)[-1:]:
        if path_of(site.parent.func)[-1] in PATTERN_CALLS and site.node in site.parent.args:
            return True
    return (
        bool(re.search(r"\\[dwsbSWDBZ]|\[\^?[^\]]+\][*+?]?|\(\?|[.)][*+]|[$^]", inside.text))
        and "%" not in inside.text
    )


def _compiles(text: str, prefix: str) -> bool:
    try:
        re.compile(text if "r" in prefix else text.encode().decode("unicode_escape", "ignore"))
    except (re.error, OverflowError, RecursionError, UnicodeError):
        return False
    return True


TOKEN = re.compile(
    r"\\[0-7]{2,3}|\\x[0-9a-fA-F]{2}|\\.|\(\?P<\w+>|\(\?[:=!iLmsux]+\)?|\(\?<[=!]|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.",
    re.S,
)
CLASSES = {
    "\\d": ("\\w", "\\D", "[0-9]"), "\\w": ("\\S", "\\d", "[^\\W\\d_]", "."), "\\s": (" ", "\\S", "[ \\t]", "[ ]"), ".": ("\\.", "[^\\n]", "[\\s\\S]", "\\S"),
    "$": ("\\Z", ""), "^": ("\\A", ""), "\\Z": ("$",), "\\b": ("", "\\B"), " ": ("\\s", "\\s*", "\\s+", " *"),
    "\\.": (".",), "\\S": ("\\w", "."), "\\W": ("[^\\w]", "\\s"),
}  # fmt: skip
COUNTS = {"*": ("+", "?", "*?", ""), "+": ("*", "?", "+?", ""), "?": ("*", "+", "")}
BEFORE = ("\\b", "^", "(?<!\\w)", "(?<![\\w-])", "(?:\\s*)", "\\s*")
AFTER = ("\\b", "$", "(?!\\w)", "\\s*", "\\Z", "(?=\\s|$)", "\\s")


def _slips(text: str) -> Iterator[tuple[int, int, str, float]]:
    tokens = [(found.start(), found.end(), found.group()) for found in TOKEN.finditer(text)]
    for at, end, token in tokens:
        for other in COUNTS.get(token, ()):
            yield at, end, other, 0.8
        for other in CLASSES.get(token, ()):
            yield at, end, other, 0.6
        if token[0] == "[":
            yield from _class_slips(at, end, token)
        elif token[0] == "{":
            for low, high in re.findall(r"(\d*)(,?\d*)", token[1:-1])[:1]:
                if low:
                    yield at, end, "{%d%s}" % (int(low) + 1, high), 0.4
                    yield at, end, "{%d%s}" % (max(int(low) - 1, 0), high), 0.4
                yield at, end, "+", 0.4
                yield at, end, "*", 0.4
        elif token not in COUNTS and token[0] not in "(|^$":
            if not text[end : end + 1] in ("*", "+", "?", "{"):
                for count in ("?", "*", "+"):
                    yield end, end, count, 0.5
            elif text[end : end + 1] in ("*", "+", "?") and text[end + 1 : end + 2] != "?":
                yield end + 1, end + 1, "?", 0.4
        if token not in COUNTS and token not in "()" and token[0] != "(":
            yield at, end, "", 0.3
    for more in BEFORE:
        yield 0, 0, more, 0.3
    for more in AFTER:
        yield len(text), len(text), more, 0.4
    for found in re.finditer(r"\((?!\?)", text):
        yield found.end(), found.end(), "?:", 0.2
    for at, end, token in tokens:
        if token == ")":
            yield end, end, "?", 0.5
            for more in ("\\b", "$", "(?!\\w)", "\\s*"):
                yield at, at, more, 0.3
                yield end, end, more, 0.3
        elif token[:1] == "(":
            for more in ("\\b", "^", "\\s*", "(?<!\\w)"):
                yield at, at, more, 0.3


RANGES = (
    "a-z",
    "A-Z",
    "0-9",
    "_",
    "-",
    ".",
    " ",
    "\\s",
    "\\w",
    "\\d",
    "$",
    "#",
    "@",
    "/",
    ":",
    "+",
    "\\n",
    "\\\\",
    "*",
)


def _class_slips(at: int, end: int, token: str) -> Iterator[tuple[int, int, str, float]]:
    negated = token.startswith("[^")
    body = token[2 if negated else 1 : -1]
    start = at + (2 if negated else 1)
    yield at, start, "[" if negated else "[^", 0.5
    for more in RANGES:
        if more not in body:
            if more == "-":
                yield end - 1, end - 1, "-" if not body.endswith("\\") else "\\-", 0.5
            else:
                yield (
                    (start, start, more, 0.5)
                    if not body.startswith("-")
                    else (end - 1, end - 1, more, 0.5)
                )
    for part in re.finditer(r"\\.|.-[^\]]|.", body):
        if len(part.group()) < len(body):
            yield start + part.start(), start + part.end(), "", 0.5


def flags(site: Site) -> Iterator[Change]:
    """A flag more, or none."""
    node = site.node
    if not isinstance(node, ast.Call) or path_of(node.func)[:1] != ("re",) or not node.args:
        return
    end = site.source.span(node).end - 1
    if not node.keywords and len(node.args) <= (
        3 if path_of(node.func)[-1] in ("sub", "subn") else 2
    ):
        for flag in ("re.I", "re.M", "re.S", "re.X", "re.A", "re.U"):
            name = {"re.I": "re.IGNORECASE", "re.M": "re.MULTILINE", "re.S": "re.DOTALL"}.get(
                flag, flag
            )
            yield Change(((end, end, f", flags={name}"),), 0.5)


def sibling_literals(site: Site) -> Iterator[Change]:
    """The keys and words that the file uses elsewhere."""
    inside = Inside(site)
    if not inside.is_editable or _is_prose(site) or not inside.text:
        return
    for other, near in _words(site).items():
        if other != site.text():
            yield site.instead(other, weight=near)


def _words(site: Site) -> dict[str, float]:
    found: dict[str, float] = {}
    mine = site.text().strip("'\"")
    from .scope import similar

    for node in ast.walk(site.source.tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and 0 < len(node.value) <= 24
        ):
            if isinstance(site.source.parents.get(node), (ast.Expr, ast.JoinedStr)):
                continue
            text_: str | None = site.source.segment(node)
            if text_ and "\n" not in text_:
                found.setdefault(text_, 0.05 + 0.4 * similar(mine, node.value))
    return dict(sorted(found.items(), key=lambda item: -item[1])[:40])


LITERALS: tuple[tuple[str, float, Operator], ...] = (
    ("text", 0.4, text),
    ("format", 0.6, formatting),
    ("pattern", 0.7, pattern),
    ("flags", 0.4, flags),
    ("word", 0.3, sibling_literals),
)
