"""
What a Python interpreter needs to be seen, and what the reporter has to know of it.

A virtual environment is read, never run: only the interpreter it was made from is, isolated,
without site packages, from the root folder, and only when it lies outside of the checkout.
"""

from __future__ import annotations

import itertools
import json
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.adapters.runner import Start, run
from bot.adapters.toolchain.places import Places, links
from bot.ports import Ended, Limits

NAME = re.compile(r"(python|pypy)[0-9.]*[a-z]?")
QUESTION = """
import json, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({
    "executable": sys.executable,
    "version": list(sys.version_info[:2]),
    "prefixes": [sys.base_prefix, sys.base_exec_prefix],
    "library": [paths["stdlib"], paths["platstdlib"]],
    "site": [paths["purelib"], paths["platlib"]],
}))
"""
QUICK = Limits(timeout_s=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """``executable`` as the command calls it; ``base`` the real one behind it. ``prefix`` is the
    virtual environment, or the installation where there is none."""

    executable: Path
    base: Path
    prefix: Path
    version: tuple[int, int]
    site_packages: tuple[Path, ...]
    is_environment: bool


@dataclass(frozen=True, slots=True)
class Found:
    interpreter: Interpreter
    needs: frozenset[Path]


def is_python(path: Path) -> bool:
    return NAME.fullmatch(path.name) is not None


def look_at(path: Path, places: Places) -> Found | str:
    """What it needs, or why that cannot be known."""
    environment = environment_of(path)
    base = _base(path, environment)
    if base is None:
        return f"{path}: the interpreter that this environment was made from is gone"
    if places.is_in_tree(base.resolve()):
        return f"{path}: an interpreter inside of the checkout is not run to ask what it needs"
    ran = run(Start(argv=(str(base), "-I", "-S", "-c", QUESTION)), limits=QUICK)
    if ran.ended is not Ended.EXITED or ran.exit_code != 0:
        return f"{path}: {base} does not start: {ran.output.strip()[-200:]}"
    said = json.loads(ran.output)
    prefixes = {Path(name) for name in said["prefixes"]}
    needs = {_as_is_or_parts(prefix, said, places) for prefix in prefixes}
    version = (said["version"][0], said["version"][1])
    library = environment and (environment / "lib" / f"python{version[0]}.{version[1]}")
    site = (
        (library / "site-packages",) if library else tuple(map(Path, dict.fromkeys(said["site"])))
    )
    interpreter = Interpreter(
        executable=path,
        base=base.resolve(),
        prefix=environment or Path(said["prefixes"][0]),
        version=version,
        site_packages=site,
        is_environment=environment is not None,
    )
    names = {*links(path), *links(base)}
    folders = {name.parent for name in names} | set(libraries(base))
    own = () if places.is_too_much(interpreter.prefix) else (interpreter.prefix,)
    return Found(interpreter, frozenset({*itertools.chain(*needs), *folders, *own}))


def environment_of(path: Path) -> Path | None:
    """The virtual environment that an executable belongs to, by its own place, not its link's."""
    for folder in (path.parent, path.parent.parent):
        if (folder / "pyvenv.cfg").is_file():
            return folder
    return None


def _base(path: Path, environment: Path | None) -> Path | None:
    if environment is None:
        return path
    settings = dict(_settings(environment / "pyvenv.cfg"))
    home = Path(settings.get("home", "/nonexistent"))
    named = (home / path.name, home / path.resolve().name, home / "python3", home / "python")
    candidates: tuple[Path, ...] = (
        Path(settings.get("executable", "")),
        *named,
        path.resolve(),
    )
    for candidate in candidates:
        if is_python(candidate) and candidate.is_absolute() and candidate.is_file():
            return candidate
    return None


def _settings(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text(errors="replace").splitlines():
        name, sign, value = line.partition("=")
        if sign:
            yield name.strip().lower(), value.strip()


def _as_is_or_parts(prefix: Path, said: dict[str, list[str]], places: Places) -> frozenset[Path]:
    """An interpreter installed straight into ``~/.local`` shares its prefix with much else."""
    if not places.is_too_much(prefix):
        return frozenset({prefix})
    return frozenset(Path(name) for name in (*said["library"], *said["site"]))


def libraries(program: Path) -> Iterator[Path]:
    """The shared libraries that the loader would take, by name and by folder."""
    ran = run(Start(argv=("ldd", str(program)), env={"PATH": "/usr/bin:/bin"}), limits=QUICK)
    for found in re.finditer(r"=> (/.*) \(0x", ran.output):
        yield from links(Path(found[1]))


def closed(found: Interpreter) -> Path | None:
    """The first part of it that somebody who is nobody special cannot read."""
    folders = (found.prefix, found.executable.parent, *found.site_packages)
    packages = (path for site in found.site_packages if site.is_dir() for path in site.iterdir())
    return next(filter(_is_shut, (*folders, found.executable, *sorted(packages))), None)


def _is_shut(path: Path) -> bool:
    wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    return path.exists() and path.stat().st_mode & wanted != wanted
