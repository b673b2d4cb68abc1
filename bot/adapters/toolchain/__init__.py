"""
What a gate's command must be able to read besides its checkout, found without being told.

It looks at the command's words and at the user's PATH, and names the smallest set of folders that
holds the programs which could run. It never names a home, nor what is known to hold secrets. What
it cannot find out is a sentence for a person, never a guess.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters.toolchain import caches, python, shims, words
from bot.adapters.toolchain.places import Places, links, minimal
from bot.adapters.toolchain.python import Interpreter
from bot.adapters.toolchain.script import interpreter_words
from bot.ports import Bind

__all__ = ["Interpreter", "Toolchain", "closed_to_others", "readable_for"]

#: what a Makefile or a script may call though the command does not name it
USUAL = (
    *("python3", "python", "pytest", "tox", "nox", "uv", "hatch", "make", "cmake", "ninja"),
    *("node", "npm", "npx", "yarn", "pnpm", "deno", "bun", "go", "cargo", "rustc", "ruby"),
    *("bundle", "java", "mvn", "gradle", "php", "composer", "dotnet", "git"),
)
DEEP = 8  # a script that names a script that names …
NODE_MODULES = "node_modules"
SYSTEM_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """``path`` is PATH inside. ``binds``: what lies inside of the checkout and was not written by
    its authors, to be laid read-only over every tree. ``env``: what lets tools find their caches
    though HOME is another one."""

    path: str
    readable: tuple[Path, ...] = ()
    binds: tuple[Bind, ...] = ()
    interpreters: tuple[Interpreter, ...] = ()
    problems: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def readable_for(
    command: str,
    *,
    path: str,
    home: Path,
    tree: Path,
    at: Path | None = None,
    extra: Sequence[Path] = (),
) -> Toolchain:
    """``tree`` is the checkout on this machine, ``at`` where it will be seen, ``extra`` what the
    contract names."""
    named = words.read(command)
    search = _Search(Places(home=home, tree=tree), path=[*named.path, *path.split(":")])
    folders = [tree, *(tree / folder for folder in named.folders)]
    for word in named.programs:
        search.word(word, folders=folders)
    for name in USUAL:
        search.usual(name)
    for asked in extra:
        search.asked_for(asked)
    search.caches()
    return search.result(at=at or tree)


def closed_to_others(toolchain: Toolchain) -> tuple[str, ...]:
    """What commands cannot read when they run under another user number than the owner's."""
    told = {
        found.prefix: f"{found.prefix} cannot be read by the user that commands run as "
        f"({shut} is closed to others): chmod -R go+rX '{found.prefix}'"
        for found in toolchain.interpreters
        if (shut := python.closed(found)) is not None
    }
    return tuple(told.values())


class _Search:
    def __init__(self, places: Places, *, path: Sequence[str]) -> None:
        self._places = places
        self._path = [Path(part) for part in dict.fromkeys(path) if part.startswith("/")]
        self._instead: dict[Path, list[Path]] = {}
        self._needs: set[Path] = set()
        self._interpreters: dict[Path, Interpreter] = {}
        self._problems: dict[str, None] = {}
        self._seen: set[Path] = set()
        self._env: dict[str, str] = {}

    def word(self, word: str, *, folders: Sequence[Path]) -> None:
        if word.startswith("~/"):
            word = str(self._places.home / word[2:])
        if "/" not in word:
            self._on_path(word, depth=0, speak=True)
            return
        for folder in folders:
            # Not resolved: a virtual environment is known by where the name is, not the file.
            program = Path(os.path.normpath(folder / word))
            if _is_program(program):
                self._program(program, depth=0, speak=True)

    def usual(self, name: str) -> None:
        self._on_path(name, depth=0, speak=False)

    def asked_for(self, path: Path) -> None:
        whole = self._places.home / path.relative_to("~") if path.parts[:1] == ("~",) else path
        if not whole.exists():
            self._problems[f"sandbox.read names {path}, which does not exist"] = None
        elif self._places.is_too_much(whole, asked_for=True):
            self._problems[f"sandbox.read names {path}, which is never shown"] = None
        else:
            self._needs.update(links(whole))

    def caches(self) -> None:
        places = self._places
        found = [*caches.of_tree(places.tree, home=places.home)]
        for interpreter in self._interpreters.values():
            found += caches.of_user(interpreter, home=places.home)
        for cache in found:
            self._needs.update(cache.needs)
            self._env.update(cache.env)

    def result(self, *, at: Path) -> Toolchain:
        needs = {need for need in self._needs if not self._places.is_too_much(need)}
        outside = minimal(need for need in needs if not self._places.is_in_tree(need))
        binds = self._inside(at=at)
        visible = [*outside, *(bind.source for bind in binds), self._places.tree]
        path = [
            str(_moved(folder, self._places.tree, at))
            for folder in self._final_path()
            if self._places.is_system(folder)
            or any(place in (folder, *folder.parents) for place in visible)
        ]
        return Toolchain(
            path=":".join(dict.fromkeys((*path, *SYSTEM_PATH))),
            readable=outside,
            binds=binds,
            interpreters=tuple(self._interpreters.values()),
            problems=tuple(self._problems),
            env=self._env,
        )

    def _inside(self, *, at: Path) -> tuple[Bind, ...]:
        tree = self._places.tree
        environments = {
            found.prefix
            for found in self._interpreters.values()
            if found.is_environment and self._places.is_in_tree(found.prefix)
        }
        modules = {tree / NODE_MODULES} if (tree / NODE_MODULES).is_dir() else set()
        return tuple(
            Bind(source=folder, target=_moved(folder, tree, at))
            for folder in minimal(environments | modules)
        )

    def _final_path(self) -> Iterator[Path]:
        for folder in self._path:
            yield from self._instead.get(folder, ())
            yield folder

    def _on_path(self, name: str, *, depth: int, speak: bool) -> None:
        for folder in self._path:
            if _is_program(program := folder / name) and self._program(
                program, depth=depth, speak=speak
            ):
                return

    def _program(self, program: Path, *, depth: int, speak: bool) -> bool:
        """False where a shim would look further down PATH."""
        if program in self._seen or depth > DEEP:
            return True
        behind = shims.resolve(program, tree=self._places.tree, home=self._places.home)
        match behind:
            case shims.PassedBy():
                return False
            case str():
                if speak:
                    self._problems[behind] = None
            case shims.Real(bins=bins, needs=needs):
                self._needs.update(needs)
                self._replace(program.parent, bins)
                for folder in bins:
                    self._program(folder / program.name, depth=depth + 1, speak=speak)
            case None:
                self._seen.add(program)
                self._real(program, depth=depth, speak=speak)
        return True

    def _replace(self, shim_folder: Path, bins: Sequence[Path]) -> None:
        known = self._instead.setdefault(shim_folder, [])
        known += [folder for folder in bins if folder not in known]

    def _real(self, program: Path, *, depth: int, speak: bool) -> None:
        if python.is_python(program):
            self._python(program, speak=speak)
            return
        if not self._places.is_system(program):
            self._needs.update(_around(program, self._places))
        for name in interpreter_words(program):
            if "/" in name and _is_program(Path(name)):
                self._program(Path(name), depth=depth + 1, speak=speak)
            elif "/" not in name:
                self._on_path(name, depth=depth + 1, speak=speak)

    def _python(self, program: Path, *, speak: bool) -> None:
        match python.look_at(program, self._places):
            case str(problem):
                if speak:
                    self._problems[problem] = None
            case found:
                self._needs.update(found.needs)
                self._interpreters[program] = found.interpreter


def _is_program(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and mode & 0o111 != 0


def _around(program: Path, places: Places) -> Iterator[Path]:
    """The folder of every name it goes by, and the installation that the real file is part of."""
    for name in links(program):
        yield name.parent
        yield name
    real = program.resolve()
    prefix = real.parent.parent
    if real.parent.name == "bin" and not places.is_too_much(prefix):
        yield prefix
    if not places.is_in_tree(real):
        yield from python.libraries(real)


def _moved(path: Path, tree: Path, at: Path) -> Path:
    return at / path.relative_to(tree) if tree in (path, *path.parents) else path
