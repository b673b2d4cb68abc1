"""
Sets of files under references of their own: what a job leaves in the repository for the next one.

Each is a commit that holds these files and nothing of the repository's, after the one before it.
Nothing is forced: of two jobs that write, the second is refused. What the files mean is not known
here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.adapters import trees
from bot.adapters.github.git_shapes import CommitAnswer, Made
from bot.adapters.github.outlet import Ask
from bot.adapters.github.publish import Commits
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.trees import AT_ONCE, PORTION_BYTES, Trees
from bot.adapters.repository import Repository
from bot.core.forge_values import FilePut
from bot.errors import ForgeRefused, RefTaken

FETCHED = "refs/jam/fetched/"
LARGEST = 64 << 20


class SessionRefs(Commits):
    """One job's hand: it remembers what it wrote, and writes only what is new."""

    def __init__(self, talk: Any, home: Any) -> None:
        super().__init__(talk, home)
        self._heads: dict[str, str] = {}
        self._there: set[str] = set()  # blobs that the forge has

    def keep(self, ref: str, files: Mapping[str, bytes], *, message: str) -> str:
        """The commit that ``ref`` is now."""
        before = self._heads.get(ref) or self.ref(ref)
        tree = self._tree(files)
        body = {"message": message, "tree": tree, "parents": [before] if before else []}
        ask = Ask(method="POST", path=self._at("/git/commits"), body=body)
        made = self._talk.write(ask, CommitAnswer, purpose=Purpose.PUSH).sha
        try:
            self._move(ref, made) if before else self._create(ref, made)
        except ForgeRefused:
            self._heads.pop(ref, None)
            raise
        if self.ref(ref) != made:
            self._heads.pop(ref, None)
            raise RefTaken(f"{ref} was written by another job at the same time")
        self._heads[ref] = made
        return made

    def _tree(self, files: Mapping[str, bytes]) -> str:
        tree = ""
        for portion in self._portions(files):
            body = {"tree": portion, **({"base_tree": tree} if tree else {})}
            ask = Ask(method="POST", path=self._at("/git/trees"), body=body)
            tree = self._talk.write(ask, Made, purpose=Purpose.PUSH).sha
        self._there |= {blob_name(content) for content in files.values()}
        return tree

    def _portions(self, files: Mapping[str, bytes]) -> Iterator[list[dict[str, Any]]]:
        maker = Trees(self._talk, self._home)
        portion: list[dict[str, Any]] = []
        size = 0
        for path, content in sorted(files.items()):
            known = blob_name(content)
            if known in self._there:
                entry = {"path": path, "mode": "100644", "type": "blob", "sha": known}
            else:
                entry = maker.entry(FilePut(path, "100644", content), inline=True)
                size += len(content)
            if portion and (len(portion) >= AT_ONCE or size > PORTION_BYTES):
                yield portion
                portion, size = [], len(content)
            portion.append(entry)
        yield portion


def blob_name(content: bytes) -> str:
    """As git calls it."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324  git's own


def read(repository: Repository, refs: Sequence[str]) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """What is under references that were brought into ``repository``."""
    with repository.reader() as git:
        for ref in refs:
            held = repository.references.run(
                "rev-parse", "--verify", "-q", FETCHED + ref.removeprefix("refs/"), ok=(0, 1)
            )
            if not held.strip():
                continue
            entries = list(trees.entries(git, held.decode().strip()).values())
            sizes = trees.sizes(git, (one.blob for one in entries))
            if sum(sizes.get(one.blob, LARGEST) for one in entries) <= LARGEST:
                contents = trees.blobs(git, [one.blob for one in entries])
                yield ref, {e.path: c for e, c in zip(entries, contents, strict=True)}
