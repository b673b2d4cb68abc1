"""
What jam may put on a forge at all, found out before anything is written.

Refuses names that git or GitHub would not take, submodule pointers, and workflow files: the last
need a permission that jam never asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.core import branch_name
from bot.core.forge_values import MODES, WORKFLOWS, NewCommit
from bot.errors import ForgeRefused

_HEADS = "refs/heads/"
_OURS = re.compile(r"refs/jam(?:/[A-Za-z0-9][A-Za-z0-9._-]*)+")
TOLD = 5


def demand(ref: str, commits: Sequence[NewCommit]) -> None:
    """Raises ``ForgeRefused`` with one sentence."""
    if not is_writable(ref):
        raise ForgeRefused(f"{ref!r} is not a name that jam writes to")
    if not commits:
        raise ForgeRefused("there is nothing to publish")
    if workflows := touched(commits):
        raise ForgeRefused(
            f"{_listed(workflows)} would be changed: jam holds no permission for workflow files, "
            "so that needs a person"
        )
    for commit in commits:
        for why in _wrong(commit):
            raise ForgeRefused(why)


def is_writable(ref: str) -> bool:
    if ref.startswith(_HEADS):
        return branch_name.is_valid(ref.removeprefix(_HEADS))
    return bool(_OURS.fullmatch(ref)) and ".." not in ref and not ref.endswith((".lock", "."))


def is_workflow(path: str) -> bool:
    """Whatever the case: some systems see no difference."""
    return path.casefold().startswith(WORKFLOWS)


def touched(commits: Sequence[NewCommit]) -> tuple[str, ...]:
    return tuple(path for commit in commits for path in commit.paths if is_workflow(path))


def _wrong(commit: NewCommit) -> Iterator[str]:
    for path in commit.paths:
        if not is_path(path):
            yield f"{path!r} is a name that GitHub's API cannot carry"
    for one in commit.put:
        if one.mode not in MODES:
            yield f"{one.path} is a submodule's pointer: a change of one needs a person"
    if not commit.message.strip() or "\0" in commit.message:
        yield "a commit needs a message"


def is_path(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    parts = path.split("/")
    return "\0" not in path and not {"", ".", ".."} & set(parts) and ".git" not in parts


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - TOLD} more" if len(paths) > TOLD else ""
    return ", ".join(paths[:TOLD]) + more
