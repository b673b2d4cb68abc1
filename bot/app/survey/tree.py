"""
A repository's files as a finder sees them: names at once, contents when asked. What git ignores by
custom (environments, caches, vendored packages) is not looked at, and a huge tree only in part.
"""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

MOST_FILES = 50_000
MOST_BYTES = 1 << 20
NOT_OURS = {"node_modules", "vendor", "venv", "env", "build", "dist", "target", "site-packages"}
TEST_FOLDERS = {"test", "tests", "testing", "spec", "__tests__", "t"}


@dataclass(frozen=True, slots=True)
class Tree:
    root: Path
    files: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def named(self, *patterns: str) -> tuple[str, ...]:
        """Files whose own name matches one of the patterns."""
        wanted = re.compile("|".join(map(fnmatch.translate, patterns)))
        return tuple(file for file in self.files if wanted.match(PurePosixPath(file).name))

    def text(self, name: str) -> str:
        """'' where there is no such file, or it is no text."""
        if name not in self.files:
            return ""
        try:
            with (self.root / name).open("rb") as file:
                return file.read(MOST_BYTES).decode()
        except (OSError, UnicodeDecodeError):
            return ""

    def toml(self, name: str) -> Mapping[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except tomllib.TOMLDecodeError:
            return {}


def look(root: Path) -> Tree:
    return Tree(root, tuple(sorted(_walk(root))))


def _walk(root: Path) -> Iterator[str]:
    seen = 0
    for folder, folders, files in os.walk(root):
        here = Path(folder).relative_to(root)
        folders[:] = sorted(name for name in folders if _is_ours(name, here=here))
        for name in files:
            seen += 1
            if seen > MOST_FILES:
                return
            yield (here / name).as_posix()


def _is_ours(name: str, *, here: Path) -> bool:
    if name.startswith("."):
        return name == ".github" and here == Path()
    return name not in NOT_OURS and not name.endswith(".egg-info")


def homes(files: tuple[str, ...]) -> tuple[str, ...]:
    """The shortest folders named for tests that hold these files, and the files outside of any."""
    found: dict[str, None] = {}
    for file in files:
        parts = PurePosixPath(file).parts
        depth = next((n for n, part in enumerate(parts[:-1], 1) if part in TEST_FOLDERS), 0)
        found["/".join(parts[:depth]) + "/" if depth else file] = None
    return tuple(home.replace("[", "?") for home in found)  # a pattern would read [slug] as a set
