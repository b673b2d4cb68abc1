"""From a path to a template of the table, and back to its words. The most literal template wins."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from urllib.parse import unquote

#: words that may hold slashes
GREEDY = dict.fromkeys(("ref", "basehead", "branch", "name"), ".+") | {"path": ".*"}


@dataclass(frozen=True, slots=True)
class Match:
    name: str  # "GET /repos/{owner}/{repo}"
    words: dict[str, str]

    @property
    def template(self) -> str:
        return self.name.partition(" ")[2]


@cache
def _pattern(template: str) -> tuple[int, re.Pattern[str]]:
    parts = re.split(r"\{(\w+)\}", template)
    text = "".join(
        f"(?P<{part}>{GREEDY.get(part, '[^/]+')})" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    )
    literal = sum(len(part) for part in parts[::2])
    return literal, re.compile(text)


def match(names: Iterable[str], method: str, raw_path: str) -> Match | None:
    """``raw_path`` is still quoted, so that a slash inside a word is told from one between."""
    best: tuple[int, Match] | None = None
    for name in names:
        verb, _, template = name.partition(" ")
        if verb != method:
            continue
        literal, pattern = _pattern(template)
        found = pattern.fullmatch(raw_path)
        if found and (best is None or literal > best[0]):
            words = {word: unquote(text) for word, text in found.groupdict().items()}
            best = (literal, Match(name, words))
    return best[1] if best else None
