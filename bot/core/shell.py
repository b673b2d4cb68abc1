"""
The simple commands in a shell script, as far as reading can tell.

Decides which words a shell would try to run: across ``&&``, pipes, quotes, continuation lines,
substitutions, wrappers such as ``env`` and ``sh -c``. Refuses to know what variables hold: whoever
writes ``c=cu; ${c}rl`` is not seen through. When in doubt it reads more commands, never fewer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

DEPTH = 6  # scripts within scripts; deeper ones are not followed
FOLLOWED = 64  # places after a wrapper at which a command may begin
_SEPARATORS = ";|&()\n"
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?=")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RESERVED = _words("if then elif else fi do done while until for case esac in ! { } time coproc")
# They run what follows among their arguments; where it begins differs, so every place counts.
_WRAPPERS = _words("""
    env sudo doas su runuser setpriv chroot unshare nsenter nohup nice ionice chrt taskset timeout
    stdbuf unbuffer setsid exec command builtin busybox toybox xargs find parallel watch entr
    strace ltrace flock script
""")
_SHELLS = _words("sh bash dash zsh ksh ash fish mksh eval source . su runuser script")
# All that they name is changed, or only what they name last.
_CHANGERS = _words("""
    rm rmdir unlink shred mv tee touch truncate mkdir patch chmod chown chgrp setfacl
""")
_COPIERS = _words("cp install ln rsync scp")
_IN_PLACE = _words("sed perl ruby gawk ex ed")


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command: its words without quotes, and the files it writes by redirection."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Reads one script. Unbalanced quotes end with the text."""

    text: str
    place: int = 0
    word: list[str] = field(default_factory=list)
    begun: bool = False  # a word has begun, be it an empty one
    words: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    writing: bool = False  # the next word is the target of ``>``
    found: list[Command] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)  # scripts of substitutions

    def read(self) -> tuple[list[Command], list[str]]:
        while self.place < len(self.text):
            self._step(self.text[self.place])
        self._end_command()
        return self.found, self.inner

    def _step(self, mark: str) -> None:
        if mark == "`" or self.text.startswith(("$(", "<(", ">("), self.place):
            self._substitution()
        elif mark == "#" and not self.begun:
            self._comment()
        elif mark.isspace() and mark != "\n":
            self._end_word()
            self.place += 1
        else:
            _STEPS.get(mark, _Reader.plain)(self, mark)

    def backslash(self, _mark: str) -> None:
        """The next letter as it is; a line that goes on is no letter at all."""
        self._take(self.text[self.place + 1 : self.place + 2].replace("\n", ""), 2)

    def _take(self, letters: str, width: int) -> None:
        self.begun = self.begun or bool(letters)
        self.word.append(letters)
        self.place += width

    def plain(self, mark: str) -> None:
        if mark == "$" and self.text[self.place + 1 : self.place + 2] in ("'", '"'):
            self.place += 1  # $'…' and $"…": the quotes are what matters
            return
        self._take(mark, 1)

    def single(self, _mark: str) -> None:
        end = self.text.find("'", self.place + 1)
        end = len(self.text) if end < 0 else end
        self.begun = True
        self._take(self.text[self.place + 1 : end], end + 1 - self.place)

    def double(self, _mark: str) -> None:
        self.begun = True
        self.place += 1
        while self.place < len(self.text) and self.text[self.place] != '"':
            if self.text[self.place] == "\\":
                self.backslash("\\")
            elif self.text[self.place] == "`" or self.text.startswith("$(", self.place):
                self._substitution()
            else:
                self._take(self.text[self.place], 1)
        self.place += 1

    def _substitution(self) -> None:
        """What it prints is not known; what it runs is read as a script of its own."""
        ticks = self.text[self.place] == "`"
        start = self.place + (1 if ticks else 2)
        end = self.text.find("`", start) if ticks else _closing(self.text, start)
        end = len(self.text) if end < 0 else end
        self.inner.append(self.text[start:end])
        self.begun = True
        self.place = end + 1

    def redirection(self, _mark: str) -> None:
        if self.word and "".join(self.word).isdigit():
            self.word, self.begun = [], False  # the number of a descriptor
        self._end_word()
        run = re.match(r"[<>]+[|&]?", self.text[self.place :])
        marks = run.group() if run else ">"
        self.writing = ">" in marks
        self.place += len(marks)

    def separator(self, mark: str) -> None:
        if mark == "&" and self.text[self.place + 1 : self.place + 2] == ">":
            self._end_word()
            self.place += 1  # &> writes to a file
            return
        self._end_command()
        self.place += 1

    def _comment(self) -> None:
        end = self.text.find("\n", self.place)
        self.place = len(self.text) if end < 0 else end

    def _end_word(self) -> None:
        if self.begun:
            (self.writes if self.writing else self.words).append("".join(self.word))
            self.writing = False
        self.word, self.begun = [], False

    def _end_command(self) -> None:
        self._end_word()
        if self.words or self.writes:
            self.found.append(Command(tuple(self.words), tuple(self.writes)))
        self.words, self.writes, self.writing = [], [], False


_STEPS: dict[str, Callable[[_Reader, str], None]] = {
    "\\": _Reader.backslash,
    "'": _Reader.single,
    '"': _Reader.double,
    "<": _Reader.redirection,
    ">": _Reader.redirection,
    **dict.fromkeys(_SEPARATORS, _Reader.separator),
}


def _closing(text: str, start: int) -> int:
    """Where the parenthesis that is open at ``start`` ends; quotes inside are skipped."""
    depth, place = 1, start
    while place < len(text):
        mark = text[place]
        if mark == "\\":
            place += 1
        elif mark in "'\"":
            place = max(text.find(mark, place + 1), place)
        depth += (mark == "(") - (mark == ")")
        if depth == 0:
            return place
        place += 1
    return -1


def commands(script: str, *, depth: int = DEPTH) -> Iterator[Command]:
    """Every simple command that running ``script`` may start, wrappers' own commands too."""
    found, inner = _Reader(script).read()
    for command in found:
        yield from _unwrapped(command, depth=depth)
    if depth > 0:
        for nested in inner:
            yield from commands(nested, depth=depth - 1)


def _unwrapped(command: Command, *, depth: int) -> Iterator[Command]:
    words = _without_preamble(command.words)
    yield Command(words, command.writes)
    if not words or depth <= 0:
        return
    name = program(words[0])
    if name in _SHELLS:
        for script in (*words[1:FOLLOWED], " ".join(words[1:])):
            yield from commands(script, depth=depth - 1)
    if name in _WRAPPERS:
        for place in range(1, min(len(words), FOLLOWED)):
            yield from _inside(words[place:], depth=depth - 1)


def _inside(words: tuple[str, ...], *, depth: int) -> Iterator[Command]:
    """What a wrapper may run from here on. Wrappers within are among the later places."""
    words = _without_preamble(words)
    yield Command(words)
    if words and program(words[0]) in _SHELLS and depth > 0:
        for script in words[1:FOLLOWED]:
            yield from commands(script, depth=depth - 1)


def _without_preamble(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without assignments and the words of the grammar in front of a command."""
    place = 0
    while place < len(words) and (words[place] in _RESERVED or _ASSIGNMENT.match(words[place])):
        place += 1
    return words[place:]


def program(word: str) -> str:
    """``/usr/bin/curl`` and ``curl`` are the same program."""
    return word.rsplit("/", 1)[-1]


def written_by(command: Command) -> tuple[str, ...]:
    """The paths that a command says it will write, as they stand there."""
    if not command.words:
        return command.writes
    name, arguments = program(command.words[0]), command.words[1:]
    if name in _CHANGERS or (name in _IN_PLACE and any(_edits(word) for word in arguments)):
        return command.writes + arguments
    return command.writes + (arguments[-1:] if name in _COPIERS else ())


def _edits(word: str) -> bool:
    return word.startswith(("-i", "--in-place")) or bool(re.match(r"-[a-zA-Z]*i", word))
