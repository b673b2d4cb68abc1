"""
Where the evidence of an ended session lies: beside its ledger, and under a reference of its own in
the repository, so that whoever has the pull request and the repository has it too.

The commit under ``refs/jam/evidence/<session>`` is the session's base with one folder more. A
reference is made once and never moved; the same files make the same commit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.adapters import refs, trees
from bot.adapters.git import Git
from bot.adapters.repository import Repository
from bot.core.tree import TreeEntry
from bot.errors import RequestError, StateUnusable

FOLDER = ".jam/evidence"
NAME = "statement.dsse.json"
LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class StateKeepsake:
    """The ``Keepsake`` of one session: a file beside its ledger."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / NAME

    def statement(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StateUnusable(f"{self.path} cannot be read: {error.strerror}") from error

    def keep(self, content: bytes) -> None:
        part = self.path.with_name(f"{NAME}.{os.getpid()}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise StateUnusable(f"{self.path} cannot be written: {error.strerror}") from error


def commit(git: Git, files: Mapping[str, bytes], *, session: str, base: str) -> str:
    """The commit that holds these files, in a git that has ``base``."""
    tree, at = trees.commit_facts(git, base)
    put = [
        TreeEntry(
            f"{FOLDER}/{session}/{name}",
            "100644",
            git.line("hash-object", "-w", "--no-filters", "--stdin", stdin=content),
        )
        for name, content in sorted(files.items())
    ]
    made = trees.compose(git, tree, put=put, drop=())
    message = f"Evidence of {session}\n\nJam-Evidence: {session}\n"
    return trees.commit(git, made, parent=base, message=message, at=at + 1)


def read(repository: Repository, session: str) -> Mapping[str, bytes]:
    """The files of a session. ``RequestError`` where the repository has none of it."""
    ref = refs.evidence_ref(session)
    found = refs.value(repository.references, ref)
    if found is None:
        raise RequestError(
            f"{repository.top} has no {ref}: `git fetch <remote> {ref}:{ref}` brings it"
        )
    below = f"{FOLDER}/{session}/"
    with repository.reader() as git:
        entries = [e for path, e in trees.entries(git, found).items() if path.startswith(below)]
        sizes = trees.sizes(git, (entry.blob for entry in entries))
        if sum(sizes.get(entry.blob, LARGEST) for entry in entries) > LARGEST:
            raise RequestError(f"{ref} holds more than {LARGEST >> 20} MB: that is not jam's")
        contents = trees.blobs(git, [entry.blob for entry in entries])
    named = (entry.path.removeprefix(below) for entry in entries)
    return dict(zip(named, contents, strict=True))


def look(repository: Repository, name: str) -> tuple[str, str] | None:
    """The tree and the message of a commit, by its full name."""
    with repository.reader() as git:
        if git.run("cat-file", "-t", name, ok=(0, 128)).strip() != b"commit":
            return None
        message = git.run("cat-file", "commit", name).decode("utf-8", "replace")
        return trees.commit_facts(git, name)[0], message.partition("\n\n")[2]
