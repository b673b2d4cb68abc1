"""
Which files a repository keeps in Git LFS, by its own attributes at one tree.

Asks git itself, through a directory that holds no attributes of jam's. Nothing is filtered here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.adapters import gitdir, trees
from bot.adapters.git import Git, as_bytes, as_text, records
from bot.errors import GitFailed

POINTER = b"version https://git-lfs.github.com/spec/"
POINTER_BYTES = 1024


def is_pointer(content: bytes) -> bool:
    return len(content) < POINTER_BYTES and content.startswith(POINTER)


def stored(git: Git, tree: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Those of ``paths`` that the attributes of ``tree`` give to LFS."""
    if not paths or git.git_dir is None or not _mentions(git, tree):
        return ()
    with (
        tempfile.TemporaryDirectory(prefix="jam-lfs-") as scratch,
        gitdir.glass(git.git_dir / "objects") as plain,
    ):
        if plain.git_dir is None:
            raise GitFailed
        (plain.git_dir / "info" / "attributes").unlink()
        asking = Git(git_dir=plain.git_dir, index=Path(scratch) / "index")
        asking.run("read-tree", tree)
        names = b"".join(as_bytes(path) + b"\0" for path in paths)
        said = records(asking.run("check-attr", "--cached", "-z", "--stdin", "filter", stdin=names))
    triples = zip(said[::3], said[2::3], strict=True)
    return tuple(as_text(path) for path, value in triples if value == b"lfs")


def _mentions(git: Git, tree: str) -> bool:
    """Whether any attributes file speaks of it: most repositories have none."""
    entries = trees.entries(git, tree)
    files = [one for path, one in entries.items() if path.rpartition("/")[2] == ".gitattributes"]
    return any(b"lfs" in content for content in trees.blobs(git, [one.blob for one in files]))
