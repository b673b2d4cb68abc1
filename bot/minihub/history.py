"""
Questions about how commits relate: ancestry, differences, test merges. Knows only git.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.minihub.bare import EMPTY_TREE as EMPTY_TREE
from bot.minihub.bare import Bare, GitRefused, Signature

STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied"}
PATCH_LIMIT = 20_000  # beyond this GitHub gives no patch either


@dataclass(frozen=True, slots=True)
class FileDelta:
    sha: str | None
    path: str
    previous: str | None
    status: str
    additions: int
    deletions: int
    patch: str | None


def contains(git: Bare, *, old: str, new: str) -> bool:
    """Whether ``old`` is ``new`` or one of its ancestors."""
    return old == new or merge_base(git, old, new) == old


def merge_base(git: Bare, one: str, other: str) -> str | None:
    def ask() -> str | None:
        try:
            return git.say("merge-base", one, other)
        except GitRefused:
            return None  # no common history

    return git.once(("base", one, other), ask)


def between(git: Bare, old: str, new: str) -> list[str]:
    """The commits that ``new`` has and ``old`` has not, oldest first."""
    arguments = ("--reverse", "--topo-order", f"{old}..{new}", "--")
    return git.once(("between", old, new), lambda: git.say("rev-list", *arguments).split())


def log(git: Bare, start: str, *, path: str = "") -> list[str]:
    return git.say("rev-list", start, "--", *([path] if path else [])).split()


def merged_tree(git: Bare, base: str, head: str) -> str | None:
    """The tree of a merge, None where it conflicts."""
    try:
        return git.say("merge-tree", "--write-tree", base, head).splitlines()[0]
    except GitRefused:
        return None


def test_merge(git: Bare, *, base: str, head: str, at: int) -> str | None:
    tree = merged_tree(git, base, head)
    if tree is None:
        return None
    who = Signature("GitHub", "noreply@github.com", at)
    message = f"Merge {head} into {base}"
    return git.commit(tree, parents=[base, head], message=message, author=who)


def deltas(git: Bare, before: str, after: str) -> list[FileDelta]:
    """What differs between two trees, as GitHub lists it: renames found, one patch per file."""
    return git.once(("deltas", before, after), lambda: _deltas(git, before, after))


def _deltas(git: Bare, before: str, after: str) -> list[FileDelta]:
    raw = git.git("diff-tree", "-r", "-M", "-z", "--raw", "--numstat", before, after)
    words = raw.decode(errors="replace").split("\0")[:-1]
    patches = _patches(git, before, after)
    places: dict[str, tuple[str, str, str | None]] = {}
    counts: dict[str, tuple[int, int]] = {}
    rest = iter(words)
    for word in rest:
        if word.startswith(":"):
            *_, old, new, status = word.split(" ")
            first = next(rest)
            second = next(rest) if status[0] in "RC" else None
            sha = old if status == "D" else new
            places[second or first] = (status[0], sha, first if second else None)
        else:
            added, removed, path = word.split("\t", 2)
            if not path:
                next(rest)
                path = next(rest)
            counts[path] = (_count(added), _count(removed))
    return [
        FileDelta(
            sha=sha,
            path=path,
            previous=previous,
            status=STATUS.get(letter, "changed"),
            additions=counts[path][0],
            deletions=counts[path][1],
            patch=patches.get(path),
        )
        for path, (letter, sha, previous) in places.items()
    ]


def _count(word: str) -> int:
    return 0 if word == "-" else int(word)  # "-": a binary file


def _patches(git: Bare, before: str, after: str) -> dict[str, str]:
    text = git.git("diff-tree", "-r", "-M", "-p", "--full-index", before, after)
    found: dict[str, str] = {}
    for part in re.split(r"^diff --git ", text.decode(errors="replace"), flags=re.M)[1:]:
        head, hunk, body = part.partition("\n@@ ")
        name = re.search(r"^\+\+\+ b/(.*)$", head, re.M) or re.search(r"^--- a/(.*)$", head, re.M)
        if hunk and name and len(body) < PATCH_LIMIT:
            found[name[1].rstrip("\t")] = f"@@ {body}".rstrip("\n")
    return found
