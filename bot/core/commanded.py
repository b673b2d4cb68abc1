"""
What a gate's command names: programs, scripts, configuration, tests.

Reads the command, and the Makefiles, package scripts and shell scripts that it leads to, as far as
reading can tell. A file counts only when the base has it. What these files hold is not understood
beyond the commands in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.core.frozen import folders_of
from bot.core.shell import Command, commands, program
from bot.core.surface_names import Family, family_of, is_test_file
from bot.core.tree import TreeEntry

_FOLLOWED = 40  # files; a command that leads to more is not understood anyway
_INTERPRETERS = re.compile(r"(python|pypy|node|ruby|perl|php|sh|bash|dash|zsh|source|\.)[\d.]*")
_COLLECTORS = frozenset({"pytest", "py.test", "unittest", "nose2", "trial"})
_STEERING = re.compile(
    r".*\.(sh|bash|zsh|mk|ini|toml|cfg|conf|ya?ml|json|txt|xml|env|bats|rc)|.*/?makefile", re.I
)
_MAKEFILE = re.compile(r"(.*/)?((gnu)?makefile|[^/]*\.mk)", re.I)
_PREFIX = re.compile(r"(\./)+|\{toxinidir\}/|\{envtmpdir\}/|\$\(?\{?(CURDIR|PWD|ROOT)\}?\)?/")
_PYTHONPATH = re.compile(r"PYTHONPATH=[\"']?([^\s\"';&]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    families: frozenset[Family]
    steering: frozenset[str]  # scripts and configuration
    tests: frozenset[str]  # files that a runner is told to collect
    folders: frozenset[str]
    import_roots: frozenset[str]


def by(
    scripts: Iterable[str],
    base: Mapping[str, TreeEntry],
    *,
    read: Callable[[str], bytes | None],
) -> Named:
    found = _Found(base=base, folders_there=folders_of(base))
    waiting = list(scripts)
    texts = list(waiting)
    followed: set[str] = set()
    while waiting and len(followed) < _FOLLOWED:
        said = list(commands(waiting.pop()))
        leads_to = {path for command in said for path in found.learn(command)}
        leads_to |= {path for command in said for path in _implied(command, base)}
        for path in sorted(leads_to - followed):
            followed.add(path)
            inside = (read(path) or b"").decode("utf-8", "replace")
            waiting += (led := list(_scripts_in(path, inside)))
            texts += led
    roots = {root for text in texts for root in _import_roots(text)}
    return Named(
        families=frozenset(found.families),
        steering=frozenset(found.steering),
        tests=frozenset(found.tests),
        folders=frozenset(found.folders),
        import_roots=frozenset(roots),
    )


class _Found:
    """What the commands so far have named."""

    def __init__(self, *, base: Mapping[str, TreeEntry], folders_there: frozenset[str]) -> None:
        self.base = base
        self.folders_there = folders_there
        self.families: set[Family] = set()
        self.steering: set[str] = set()
        self.tests: set[str] = set()
        self.folders: set[str] = set()
        self.moved_to: list[str] = [""]

    def learn(self, command: Command) -> Iterator[str]:
        """Yields the files whose text is to be read for further commands."""
        words = command.words
        if not words:
            return
        if words[0] in ("cd", "pushd") and len(words) > 1:
            self.moved_to.append(_plain(words[1]).rstrip("/"))
        if family := family_of(program(words[0])):
            self.families.add(family)
        started = _started(words)
        for place, word in enumerate(words):
            for path in self._paths(word):
                self._sort(path, started=place in started, collected=_collects(words))
                if place in started or _MAKEFILE.fullmatch(path):
                    yield path

    def _paths(self, word: str) -> Iterator[str]:
        """Files of the base that a word may mean; folders are noted."""
        for text in {word, word.partition("::")[0], word.rpartition("=")[2], word[2:]}:
            plain = _plain(text.partition("::")[0])
            for moved in self.moved_to:
                path = f"{moved}/{plain}".strip("/") if moved else plain.rstrip("/")
                if path in self.base:
                    yield path
                elif path and path in self.folders_there:
                    self.folders.add(path)
                elif "*" in path:
                    yield from _globbed(path, self.base)
        dotted = word.replace(".", "/") + ".py"
        if dotted in self.base and is_test_file(dotted):
            yield dotted

    def _sort(self, path: str, *, started: bool, collected: bool) -> None:
        if is_test_file(path):
            self.tests.add(path)
        elif started or _STEERING.fullmatch(path):
            self.steering.add(path)
        elif path.endswith(".py") and collected:
            self.tests.add(path)


def _started(words: tuple[str, ...]) -> set[int]:
    """The places of words that are run: the program, and an interpreter's script."""
    places = {0}
    for place, word in enumerate(words):
        if not _INTERPRETERS.fullmatch(program(word)):
            continue
        after = range(place + 1, len(words))
        script = next((there for there in after if not words[there].startswith("-")), None)
        if script is not None and "-m" not in words[place:script]:
            places.add(script)
    return places


def _collects(words: tuple[str, ...]) -> bool:
    """Whether a file among these words is one of tests, whatever its name."""
    runner = any(program(word) in _COLLECTORS for word in words)
    return runner and not any(word.startswith("--doctest") for word in words)


def _plain(text: str) -> str:
    return _PREFIX.sub("", text, count=1) if text else text


def _globbed(pattern: str, base: Mapping[str, TreeEntry]) -> Iterator[str]:
    regex = re.compile(re.escape(pattern).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*"))
    return (path for path in base if regex.fullmatch(path))


def _implied(command: Command, base: Mapping[str, TreeEntry]) -> Iterator[str]:
    """Files that a program reads without being told."""
    if not command.words:
        return
    name = program(command.words[0])
    if name in ("make", "gmake"):
        yield from (path for path in base if _MAKEFILE.fullmatch(path) and path.count("/") < 2)
    if name in ("npm", "yarn", "pnpm", "bun"):
        yield from {"package.json"} & base.keys()
    if name == "tox" and "tox.ini" in base:
        yield "tox.ini"


def _scripts_in(path: str, text: str) -> Iterator[str]:
    """The shell commands in a file, by what kind of file it is."""
    if path.endswith("package.json"):
        yield from _package_scripts(text)
    elif _MAKEFILE.fullmatch(path):
        for line in text.replace("\\\n", " ").splitlines():
            if line.startswith("\t"):
                yield line.lstrip("\t @-+").replace("$(MAKE)", "make").replace("$$", "$")
            elif line.lstrip("-s").startswith("include"):
                yield line.lstrip("-s")
    elif path.endswith("tox.ini"):
        yield from (line.rpartition("=")[2] if "commands" in line else line
                    for line in text.splitlines())  # fmt: skip
    elif path.endswith((".sh", ".bash", ".bats")) or re.match(r"#!.*\b(ba|da|z|k)?sh\b", text):
        yield text


def _package_scripts(text: str) -> Iterator[str]:
    try:
        scripts = json.loads(text).get("scripts", {})
        yield from (script for script in scripts.values() if isinstance(script, str))
    except (ValueError, AttributeError):
        return


def _import_roots(text: str) -> Iterator[str]:
    for value in _PYTHONPATH.findall(text):
        for root in value.split(":"):
            plain = _plain(root).strip("/")
            yield "" if plain in (".", "$PWD", "$PYTHONPATH") else plain
