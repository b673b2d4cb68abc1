"""
Programs that only look up another one: the shims of version managers.

A shim needs its manager's whole folder to work; the program that it would start needs only its own
version's. So the real program is found by the manager's rules, and the shim is left out.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

VERSION_FILES = {
    "rbenv": ".ruby-version",
    "nodenv": ".node-version",
    "goenv": ".go-version",
    "pyenv": ".python-version",
}
OTHERS = ("asdf", "mise", "volta", "proto")


@dataclass(frozen=True, slots=True)
class Real:
    """The ``bin`` folders that stand for the shim, and what they need to be seen with."""

    bins: tuple[Path, ...]
    needs: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class PassedBy:
    """The manager would go on looking further down PATH."""


def resolve(program: Path, *, tree: Path, home: Path) -> Real | PassedBy | str | None:
    """``None``: not a shim. Text: a shim that cannot be seen through."""
    root = program.parent.parent
    if program.parent.name == "shims" and (root / "versions").is_dir():
        return _versions(program.name, root=root, tree=tree)
    if program.name != "rustup" and _is_rustup(program):
        return _rust(program, tree=tree, home=home)
    if program.parent.name == "shims" or program.resolve().name in (*OTHERS, "volta-shim"):
        return (
            f"{program} only looks up another program: put the real one's folder first on PATH, "
            "and name it under sandbox.read if it is not found"
        )
    return None


def _is_rustup(program: Path) -> bool:
    """A link to it, or, as newer ones do, the same file under another name."""
    rustup = program.with_name("rustup")
    return rustup.is_file() and rustup.samefile(program)


def _versions(name: str, *, root: Path, tree: Path) -> Real | PassedBy | str:
    wanted = _wanted(root, tree)
    for version in wanted:
        if version == "system":
            return PassedBy()
        for folder in _matching(root / "versions", version):
            if (folder / "bin" / name).exists():
                return Real((folder / "bin",), (folder,))
    said = ", ".join(wanted)
    return f"{root / 'shims' / name}: no chosen version ({said}) has {name}"


def _wanted(root: Path, tree: Path) -> tuple[str, ...]:
    """The nearest version file above the checkout, then the manager's own choice."""
    files = (file for manager, file in VERSION_FILES.items() if manager in root.name)
    file = next(files, VERSION_FILES["pyenv"])
    for folder in (tree, *tree.parents):
        if found := _lines(folder / file):
            return found
    return _lines(root / "version") or ("system",)


def _lines(file: Path) -> tuple[str, ...]:
    if not file.is_file():
        return ()
    lines = file.read_text(errors="replace").splitlines()
    return tuple(word for line in lines if not line.startswith("#") for word in line.split())


def _matching(versions: Path, wanted: str) -> list[Path]:
    """``3.11`` means the newest 3.11."""
    if "/" in wanted or wanted.startswith("."):
        return []
    exact = versions / wanted
    if exact.is_dir():
        return [exact]
    return sorted(versions.glob(f"{wanted}.*"), key=_natural, reverse=True)


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part) if part.isdigit() else -1, part) for part in path.name.split(".")]


def _rust(program: Path, *, tree: Path, home: Path) -> Real | str:
    """Its toolchains lie in the home of whom it was installed for, which may be another one."""
    roots = (home / ".rustup", program.parent.parent.parent / ".rustup")
    root = next((root for root in roots if (root / "toolchains").is_dir()), roots[0])
    channel = _rust_channel(tree) or _toml(root / "settings.toml").get("default_toolchain", "")
    for folder in sorted((root / "toolchains").glob(f"{channel or 'none'}*")):
        if (folder / "bin" / program.name).exists():
            return Real((folder / "bin",), (folder,))
    return f"{program.name}: rustup has no toolchain {channel!r} with it"


def _rust_channel(tree: Path) -> str:
    plain = tree / "rust-toolchain"
    if plain.is_file() and re.fullmatch(r"[\w.-]+", text := plain.read_text().strip()):
        return text
    for file in (plain, tree / "rust-toolchain.toml"):
        chosen = _toml(file).get("toolchain", {})
        if isinstance(chosen, dict) and re.fullmatch(r"[\w.-]+", str(chosen.get("channel", ""))):
            return str(chosen["channel"])
    return ""


def _toml(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text())
    except (OSError, ValueError):
        return {}
