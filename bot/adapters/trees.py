"""
git's trees in jam's words: what is in one, what differs between two, a new one made of an old one.

Reads and writes objects through whatever git it is handed; knows no working tree and no reference.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from bot.adapters import folders
from bot.adapters.git import Git, as_bytes, as_text, records
from bot.errors import GitFailed
from bot.ports import FileChange, TreeEntry

_ABSENT = "000000"
_DIFF = ("diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index")


def entries(git: Git, tree: str) -> dict[str, TreeEntry]:
    """Every file of ``tree`` (or of a commit's tree) by its path. Submodules are entries too."""
    found = {}
    for record in records(git.run("ls-tree", "-r", "-z", "--full-tree", tree)):
        what, _, name = record.partition(b"\t")
        mode, _, blob = what.split(b" ")
        path = as_text(name)
        found[path] = TreeEntry(path, mode.decode(), blob.decode())
    return found


def modes(git: Git, tree: str) -> dict[bytes, bytes]:
    """The mode of every file of ``tree``, by its name as bytes."""
    listed = records(git.run("ls-tree", "-r", "-z", "--full-tree", tree))
    return {line[line.index(b"\t") + 1 :]: line[:6] for line in listed}


def read(git: Git, tree: str, path: str) -> bytes | None:
    if not path or "\0" in path or {"", ".", ".."} & set(path.split("/")):
        return None
    listed = records(git.run("ls-tree", "-z", "--full-tree", tree, "--", as_bytes(path)))
    if not listed:
        return None
    _, kind, blob = listed[0].partition(b"\t")[0].split(b" ")
    return git.run("cat-file", "blob", blob) if kind == b"blob" else None


def blobs(git: Git, names: Sequence[str]) -> list[bytes]:
    """The bytes of each of these objects, in order."""
    if not names:
        return []
    stream = BytesIO(git.run("cat-file", "--batch", stdin="\n".join(names).encode()))
    found = []
    for name in names:
        said = stream.readline().split()
        if len(said) != 3:
            raise GitFailed(f"the object {name} is missing")
        found.append(stream.read(int(said[2])))
        stream.read(1)
    return found


def sizes(git: Git, names: Iterable[str]) -> dict[str, int]:
    """How many bytes each of these objects has."""
    asked = "\n".join(dict.fromkeys(names))
    said = git.run("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked.encode())
    pairs = (line.split() for line in said.decode().splitlines())
    return {name: int(size) for name, size in pairs if size.isdigit()}


def compose(git: Git, tree: str, *, put: Iterable[TreeEntry], drop: Iterable[str]) -> str:
    """A tree like ``tree`` but for these entries. What is put wins over what is dropped."""
    lines = [b"0 %s\t%s\0" % (b"0" * 40, as_bytes(path)) for path in drop]
    lines += [f"{e.mode} {e.blob}\t".encode() + as_bytes(e.path) + b"\0" for e in put]
    if not lines or git.git_dir is None:
        return tree
    index = Path(git.git_dir) / f"index.tmp-{uuid.uuid4().hex}"
    aside = replace(git, index=index)
    try:
        aside.run("read-tree", tree)
        aside.run("update-index", "--add", "--replace", "-z", "--index-info", stdin=b"".join(lines))
        return aside.line("write-tree")
    finally:
        folders.remove(index)


def commit(git: Git, tree: str, *, parent: str, message: str, at: int) -> str:
    """``at``: seconds since the epoch. The same arguments give the same commit."""
    date = f"@{at} +0000"  # the mark lets git take small numbers too
    dated = replace(git, env={**git.env, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date})
    said = message.encode("utf-8", "replace")
    return dated.line("commit-tree", tree, "-p", parent, "-F", "-", stdin=said)


def commit_facts(git: Git, commit: str) -> tuple[str, int]:
    """The tree of a commit, and when it was committed."""
    said = git.line("rev-list", "--no-walk", "--format=%T %ct", commit).split("\n")[1]
    tree, _, at = said.partition(" ")
    return tree, int(at)


def names_changed(git: Git, before: str, after: str) -> list[bytes]:
    return records(git.run(*_DIFF, "-z", "--name-only", before, after))


def changes(git: Git, before: str, after: str) -> tuple[FileChange, ...]:
    """Path by path, without guessing at renames."""
    parts = iter(records(git.run(*_DIFF, "-z", "--raw", "--numstat", before, after)))
    modes: dict[bytes, tuple[str, str]] = {}
    found = []
    for part in parts:
        if part.startswith(b":"):
            old, new, *_ = part[1:].decode().split(" ")
            modes[next(parts)] = (_mode(old), _mode(new))
            continue
        added, removed, name = part.split(b"\t", 2)
        old, new = modes[name]
        found.append(FileChange(as_text(name), _count(added), _count(removed), old, new))
    return tuple(found)


def _mode(mode: str) -> str:
    return "" if mode == _ABSENT else mode


def _count(lines: bytes) -> int | None:
    return None if lines == b"-" else int(lines)


def patch(git: Git, before: str, after: str, *, limit: int) -> str:
    """At most ``limit`` characters; what was cut is said in the last line."""
    read, more = git.head(*_DIFF, "-p", "--no-color", before, after, limit=limit)
    text = read.decode("utf-8", "replace")
    if not more:
        return text
    note = "\n(cut here: the change is longer)\n"
    kept = text[: max(0, limit - len(note))]
    return kept[: kept.rfind("\n") + 1].rstrip("\n") + note


def write(git: Git, tree: str, *, folder: Path) -> None:
    """Write ``tree`` into the empty ``folder``, byte for byte."""
    index = Path(git.git_dir or "") / f"index.tmp-{uuid.uuid4().hex}"
    try:
        replace(git, index=index).run("read-tree", tree)
        replace(git, index=index, work_tree=folder).run("checkout-index", "-a", "-q")
    finally:
        folders.remove(index)
