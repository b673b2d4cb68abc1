"""
Where build tools keep what they downloaded, found again though the home inside is another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.adapters.toolchain.python import Interpreter


@dataclass(frozen=True, slots=True)
class Cache:
    needs: tuple[Path, ...]
    env: Mapping[str, str]


def of_tree(tree: Path, *, home: Path) -> Iterator[Cache]:
    """By what the checkout is made of, since a command may call anything."""
    modules = home / "go" / "pkg" / "mod"
    if (tree / "go.mod").is_file() and modules.is_dir():
        yield Cache((modules,), {"GOMODCACHE": str(modules), "GOPROXY": "off"})
    crates = home / ".cargo"
    parts = tuple(part for name in ("registry", "git") if (part := crates / name).is_dir())
    if (tree / "Cargo.toml").is_file() and parts:
        yield Cache(parts, {"CARGO_HOME": str(crates), "CARGO_NET_OFFLINE": "true"})


def of_user(interpreter: Interpreter, *, home: Path) -> Iterator[Cache]:
    """What was installed with ``pip install --user``, which environments do not see."""
    base = home / ".local"
    site = base / "lib" / f"python{interpreter.version[0]}.{interpreter.version[1]}"
    if not interpreter.is_environment and (site / "site-packages").is_dir():
        yield Cache((site,), {"PYTHONUSERBASE": str(base)})
