"""
Operators on regular expressions: the small slips in counts, anchors, classes, escapes.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Iterator

from .literals import Inside
from .names import path_of
from .site import Change, Site

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


TOKEN = re.compile(
    r"\\[0-7]{2,3}|\\x[0-9a-fA-F]{2}|\\.|\(\?P<\w+>|\(\?[:=!iLmsux]+\)?|\(\?<[=!]"
    r"|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.",
    re.S,
)


CLASSES = {
    "\\d": ("\\w", "\\D", "[0-9]"),
    "\\w": ("\\S", "\\d", "[^\\W\\d_]", "."),
    "\\s": (" ", "\\S", "[ \\t]", "[ ]"),
    ".": ("\\.", "[^\\n]", "[\\s\\S]", "\\S"),
    "$": ("\\Z", ""),
    "^": ("\\A", ""),
    "\\Z": ("$",),
    "\\b": ("", "\\B"),
    " ": ("\\s", "\\s*", "\\s+", " *"),
    "\\.": (".",),
    "\\S": ("\\w", "."),
    "\\W": ("[^\\w]", "\\s"),
}


COUNTS = {"*": ("+", "?", "*?", ""), "+": ("*", "?", "+?", ""), "?": ("*", "+", "")}


BEFORE = ("\\b", "^", "(?<!\\w)", "(?<![\\w-])", "(?:\\s*)", "\\s*")


AFTER = ("\\b", "$", "(?!\\w)", "\\s*", "\\Z", "(?=\\s|$)", "\\s")


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text if "r" in prefix else ast.literal_eval(f'"""{text}"""'))
    except (re.error, OverflowError, RecursionError, ValueError, SyntaxError):
        return False
    return True


def _slips(text: str) -> Iterator[tuple[int, int, str, float]]:
    tokens = [(found.start(), found.end(), found.group()) for found in TOKEN.finditer(text)]
    for at, end, token in tokens:
        yield from _token_slips(text, at, end, token)
        yield from _group_slips(at, end, token)
    for more in BEFORE:
        yield 0, 0, more, 0.3
    for more in AFTER:
        yield len(text), len(text), more, 0.4


def _token_slips(text: str, at: int, end: int, token: str) -> Iterator[tuple[int, int, str, float]]:
    for other in COUNTS.get(token, ()):
        yield at, end, other, 0.8
    for other in CLASSES.get(token, ()):
        yield at, end, other, 0.6
    if token[0] == "[":
        yield from _class_slips(at, end, token)
    if token[0] == "{":
        yield from _count_slips(at, end, token)
    elif token not in COUNTS and token[0] not in "(|^$":
        counted = text[end : end + 1]
        if counted not in ("*", "+", "?", "{"):
            for count in ("?", "*", "+"):
                yield end, end, count, 0.5
        elif counted != "{" and text[end + 1 : end + 2] != "?":
            yield end + 1, end + 1, "?", 0.4
    if token not in COUNTS and token != ")" and token[0] != "(":
        yield at, end, "", 0.3


def _count_slips(at: int, end: int, token: str) -> Iterator[tuple[int, int, str, float]]:
    low, comma, high = token[1:-1].partition(",")
    for number in (int(low) + 1, max(int(low) - 1, 0)) if low else ():
        yield at, end, f"{{{number}{comma}{high}}}", 0.4
    yield at, end, "+", 0.4
    yield at, end, "*", 0.4


def _group_slips(at: int, end: int, token: str) -> Iterator[tuple[int, int, str, float]]:
    if token == ")":
        yield end, end, "?", 0.5
        for more in ("\\b", "$", "(?!\\w)", "\\s*"):
            yield at, at, more, 0.3
            yield end, end, more, 0.3
    elif token[0] == "(":
        for more in ("\\b", "^", "\\s*", "(?<!\\w)"):
            yield at, at, more, 0.3
        if token == "(":
            yield end, end, "?:", 0.2


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
