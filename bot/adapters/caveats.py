"""
What the owner of a repository should hear before jam works on it: told, never refused.

Whether the checkout holds changes that are in no commit is found out on a copy of its index, so
that its own configuration has no say and nothing in it is written.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from bot.adapters import trees
from bot.adapters.git import Git, as_text, records
from bot.adapters.repository import Repository
from bot.errors import GitFailed, RequestError

_LFS = b"version https://git-lfs.github.com/spec/"
#: A pointer is about this long; nothing else of this size is read.
_POINTER_BYTES = range(110, 260)


def caveats(repository: Repository, commit: str) -> tuple[str, ...]:
    """One sentence each, about the commit that jam is to start from."""
    with repository.reader() as git:
        listed = records(git.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit))
        modules = [_name(line) for line in listed if line.startswith(b"160000 ")]
        rules = _attributes(git, listed)
        pointers = _pointers(git, listed) if b"filter=lfs" in rules else []
    said = []
    if repository.shallow:
        said.append("The history is shallow: what was cut off is not there for the tests either.")
    if modules:
        said.append(f"Submodules stay empty and as they are: {_some(modules)}.")
    if pointers:
        said.append(f"Large files (LFS) are there as pointers only: {_some(pointers)}.")
    if any(word in rules for word in (b"eol=crlf", b"working-tree-encoding", b" ident")):
        said.append("Files are laid out as they were committed: .gitattributes converts nothing.")
    return tuple(said)


def _attributes(git: Git, listed: list[bytes]) -> bytes:
    files = [line for line in listed if _name(line).rpartition("/")[2] == ".gitattributes"]
    return b"\n".join(trees.blobs(git, [_blob(line) for line in files[:100]]))


def _pointers(git: Git, listed: list[bytes]) -> list[str]:
    small = [line for line in listed if _size(line) in _POINTER_BYTES]
    read = trees.blobs(git, [_blob(line) for line in small])
    told = zip(small, read, strict=True)
    return [_name(line) for line, content in told if content.startswith(_LFS)]


def _blob(line: bytes) -> str:
    return line.split()[2].decode()


def _size(line: bytes) -> int:
    size = line.split()[3]
    return int(size) if size.isdigit() else -1


def _name(line: bytes) -> str:
    return as_text(line.partition(b"\t")[2])


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def uncommitted(repository: Repository, commit: str) -> tuple[str, ...] | None:
    """
    Paths of the checkout that differ from ``commit`` or are new, ignored ones left out.
    None where it could not be told.
    """
    if repository.bare:
        return ()
    try:
        with repository.reader() as git:
            return _differing(git, repository, commit)
    except (GitFailed, RequestError, OSError):
        return None


def _differing(git: Git, repository: Repository, commit: str) -> tuple[str, ...]:
    place = Path(git.git_dir or "")
    for name in (repository.git_dir / "index", *repository.git_dir.glob("sharedindex.*")):
        if name.exists():
            shutil.copy2(name, place / name.name)
    (place / "info/attributes").write_text("* -filter -ident\n")
    private = repository.common_dir / "info/exclude"
    if private.is_file():
        shutil.copyfile(private, place / "info/exclude")
    seen = Git(git_dir=place, work_tree=repository.top, index=place / "index", timeout_s=60)
    seen.run("update-index", "-q", "--refresh", ok=(0, 1))
    changed = records(seen.run("diff-index", "--name-only", "-z", commit))
    new = records(seen.run("ls-files", "-o", "-z", "--exclude-standard", "--directory"))
    return tuple(as_text(name) for name in sorted({*changed, *new}))
