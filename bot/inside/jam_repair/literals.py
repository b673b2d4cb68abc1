"""
Operators on text in quotes: what people misspell in strings.

Edits happen in the characters between the quotes, so prefix, quotes and escapes stay as they are.
"""

from __future__ import annotations

import ast
import re
from typing import Iterator

from .names import similar
from .site import Change, Site

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
        (now + " ", 0.4), (" " + now, 0.4), (now + "\\n", 0.3), ("", 0.5),
        (now[:-1], 0.4), (now[1:], 0.4),
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
    for node in site.source.nodes:
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
