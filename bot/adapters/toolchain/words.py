"""
Which programs a shell command may mean. It reads text only and would rather name one too many.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
PATHS = ("/", "./", "../", "~/")
DEPTH = 4  # sh -c 'bash -c "…"'


@dataclass(frozen=True, slots=True)
class Words:
    """``programs``: every word that could name one. ``path``: folders that the command itself puts
    on PATH. ``folders``: where it says that it goes."""

    programs: tuple[str, ...]
    path: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def read(command: str) -> Words:
    programs: dict[str, None] = {}
    path: list[str] = []
    folders: list[str] = []
    before = ""
    for word in _words(command, DEPTH):
        if before == "cd":
            folders.append(word)
        elif found := ASSIGNMENT.fullmatch(word):
            if found[1] == "PATH":
                path += [part for part in found[2].split(":") if part and "$" not in part]
            elif found[2].startswith(PATHS) and "$" not in found[2]:
                programs[found[2]] = None  # ``make test PYTHON=/opt/python/bin/python``
        elif word != "cd" and not word.startswith("-") and "$" not in word:
            programs[word] = None
        before = word
    return Words(tuple(programs), tuple(path), tuple(folders))


def _words(command: str, depth: int) -> Iterator[str]:
    for word in _split(command):
        word = word.strip("`")
        if re.search(r"\s", word) and not ASSIGNMENT.fullmatch(word):
            # A path with a space in it, or a command for another shell; it may be either.
            if word.startswith(PATHS):
                yield word
            if depth and word != command:
                yield from _words(word, depth - 1)
        elif word and not set(word) <= set("();<>|&"):
            yield word


def _split(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # a quote that is not closed: the shell will say so
        return re.split(r"[\s;&|()<>\"']+", command)
