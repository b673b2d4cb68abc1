"""
One changed file, before and after, and what can be said of it.

Knows which lines are new; a line that only moved is not.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass

LARGEST = 1 << 20
"""Bytes of a file that is looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """``None``: not there. Modes as git writes them, '' where there is no file."""

    path: str
    before: bytes | None = None
    after: bytes | None = None
    old_mode: str = ""
    new_mode: str = ""

    @property
    def old_text(self) -> str:
        """'' where there is none that can be compared: all of the new text is fresh then."""
        return _text(self.before) or ""

    @property
    def text(self) -> str | None:
        return _text(self.after)


@dataclass(frozen=True, slots=True)
class Finding:
    """``line`` 0 stands for the file itself."""

    line: int
    what: str
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Fresh:
    """The numbers of new lines, in order."""

    lines: tuple[int, ...]

    def __contains__(self, number: int) -> bool:
        place = bisect_left(self.lines, number)
        return place < len(self.lines) and self.lines[place] == number

    def touches(self, node: ast.AST) -> bool:
        first = getattr(node, "lineno", 0)
        last = getattr(node, "end_lineno", None) or first
        place = bisect_left(self.lines, first)
        return place < len(self.lines) and self.lines[place] <= last


def fresh_lines(before: str, after: str) -> Fresh:
    """Lines that ``after`` has oftener than ``before``, all of a kind together."""
    old = Counter(line.strip() for line in before.split("\n"))
    lines = [line.strip() for line in after.split("\n")]
    new = Counter(lines)
    return Fresh(
        tuple(number for number, line in enumerate(lines, 1) if line and new[line] > old[line])
    )


def _text(content: bytes | None) -> str | None:
    if content is None or len(content) > LARGEST or b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
