"""
git's objects in memory: enough to name files, trees and commits exactly as git does.

For the fake forge. Decides nothing; a sha here is the sha that git would give.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

File = tuple[str, bytes]  # mode, content
Files = Mapping[str, File]
_WHO = "jam[bot] <jam[bot]@users.noreply.github.com>"


@dataclass(frozen=True, slots=True)
class Kept:
    tree: str
    parents: tuple[str, ...]
    message: str
    files: Files


def name(kind: str, content: bytes) -> str:
    whole = f"{kind} {len(content)}\0".encode() + content
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def tree(files: Files) -> str:
    return _tree({tuple(path.split("/")): file for path, file in files.items()})


def _tree(files: Mapping[tuple[str, ...], File]) -> str:
    below: dict[str, dict[tuple[str, ...], File]] = {}
    lines: dict[bytes, bytes] = {}
    for path, (mode, content) in files.items():
        if len(path) > 1:
            below.setdefault(path[0], {})[path[1:]] = mode, content
        else:
            entry = path[0].encode()
            lines[entry] = f"{mode} ".encode() + entry + b"\0" + _bytes(name("blob", content))
    for folder, inside in below.items():
        entry = folder.encode()
        lines[entry + b"/"] = b"40000 " + entry + b"\0" + _bytes(_tree(inside))
    return name("tree", b"".join(lines[entry] for entry in sorted(lines)))


def _bytes(sha: str) -> bytes:
    return bytes.fromhex(sha)


@dataclass(slots=True)
class MemoryGit:
    commits: dict[str, Kept] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)

    def commit(self, files: Files, *, parents: tuple[str, ...], message: str) -> str:
        """Each a second later than the last, so that the same twice has two names."""
        root, at = tree(files), 1_700_000_000 + len(self.commits)
        said = [f"tree {root}", *(f"parent {one}" for one in parents)]
        said += [f"author {_WHO} {at} +0000", f"committer {_WHO} {at} +0000", "", message]
        sha = name("commit", "\n".join(said).encode())
        self.commits[sha] = Kept(root, parents, message, dict(files))
        return sha
