"""
Commits of jam's own git as differences that a forge can be given.

Decides what of a checkpoint stays behind because a forge would not take it, and says so in the
commit's own message. What is published is never thinned out: it goes whole, or is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.adapters import lfs, trees
from bot.adapters.git import Git
from bot.core import pushable
from bot.core.forge_values import GITLINK, MODES, FilePut, NewCommit
from bot.errors import ForgeRefused, RequestError
from bot.ports import TreeEntry

LARGEST = 100 << 20
NAMED = 50
LEFT_OUT = "Left-Out:"
"""How the message of a thinned checkpoint names what stayed behind."""
Withheld = Callable[[str, bytes], bool]


def chain(git: Git, commit: str, *, base: str) -> tuple[NewCommit, ...]:
    """What leads from ``base`` to ``commit``, one parent each."""
    listed = git.line("rev-list", "--reverse", f"{base}..{commit}").split()
    found, parent = [], base
    for sha in listed:
        tree, parents, message = _read(git, sha)
        if parents != [parent]:
            raise RequestError(f"{sha[:12]} does not follow from {parent[:12]} alone")
        found.append(_commit(git, tree, before=_read(git, parent)[0], message=message))
        parent = sha
    return tuple(found)


def thinned(git: Git, checkpoint: str, *, base: str, before: str, withheld: Withheld) -> NewCommit:
    """A checkpoint as a change to the tree ``before``, without what a forge would not take."""
    start = _read(git, base)[0]
    whole, _, message = _read(git, checkpoint)
    out = _left_out(git, start, whole, withheld)
    there = trees.entries(git, start)
    tree = trees.compose(
        git,
        whole,
        put=[there[path] for path in out if path in there],
        drop=[path for path in out if path not in there],
    )
    names = "".join(f"{LEFT_OUT} {path!r}\n" for path in out[:NAMED])
    return _commit(git, tree, before=before, message=f"{message.rstrip()}\n\n{names}".rstrip())


def tree_of(git: Git, commit: str) -> str:
    return _read(git, commit)[0]


def _left_out(git: Git, start: str, tree: str, withheld: Withheld) -> tuple[str, ...]:
    entries = trees.entries(git, tree)
    changed = [one.path for one in trees.changes(git, start, tree)]
    sizes = trees.sizes(git, (entries[path].blob for path in changed if path in entries))
    stored = frozenset(lfs.stored(git, tree, changed))

    def stays(path: str) -> bool:
        entry = entries.get(path)
        if pushable.is_workflow(path) or not pushable.is_path(path):
            return True
        if entry is None:
            return False
        if entry.mode not in MODES or sizes.get(entry.blob, 0) > LARGEST:
            return True
        content = _contents(git, [entry])[0]
        return withheld(path, content) or (path in stored and not lfs.is_pointer(content))

    return tuple(path for path in changed if stays(path))


def _commit(git: Git, tree: str, *, before: str, message: str) -> NewCommit:
    entries = trees.entries(git, tree)
    changes = trees.changes(git, before, tree)
    put = [entries[one.path] for one in changes if one.new_mode]
    files = tuple(
        FilePut(entry.path, entry.mode, content)
        for entry, content in zip(put, _contents(git, put), strict=True)
    )
    _demand_pointers(git, tree, files)
    drop = tuple(one.path for one in changes if not one.new_mode)
    return NewCommit(tree=tree, message=message, put=files, drop=drop)


def _demand_pointers(git: Git, tree: str, files: Sequence[FilePut]) -> None:
    """A file itself, where everybody else's git expects a pointer, breaks their checkouts."""
    stored = frozenset(lfs.stored(git, tree, [one.path for one in files]))
    for one in files:
        if one.path in stored and not lfs.is_pointer(one.content):
            raise ForgeRefused(
                f"{one.path} is kept in Git LFS, and the change holds the file itself: "
                "that needs a person"
            )


def _contents(git: Git, entries: Sequence[TreeEntry]) -> list[bytes]:
    """A submodule's pointer has none."""
    known = iter(trees.blobs(git, [one.blob for one in entries if one.mode != GITLINK]))
    return [b"" if one.mode == GITLINK else next(known) for one in entries]


def _read(git: Git, sha: str) -> tuple[str, list[str], str]:
    """A commit's tree, its parents and its message."""
    said = git.run("cat-file", "commit", sha).decode("utf-8", "replace")
    head, _, message = said.partition("\n\n")
    lines = [line.partition(" ") for line in head.split("\n")]
    named = [(name, word) for name, _, word in lines]
    tree = next(word for name, word in named if name == "tree")
    return tree, [word for name, word in named if name == "parent"], message
