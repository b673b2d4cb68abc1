"""
References of a repository: named, compared and swapped, by a git that runs none of its hooks.

Decides which names are jam's to write: ``refs/jam/…``, and a branch that nobody has checked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.adapters.git import Git, records
from bot.errors import RequestError

_NOTHING = "0" * 40
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_HEX = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Kept:
    """A checkpoint that a repository holds. ``at``: seconds since the epoch."""

    number: int
    commit: str
    ref: str
    at: int


def checkpoint_ref(session: str, number: int) -> str:
    return f"{_folder(session)}{number}"


def evidence_ref(session: str) -> str:
    return f"refs/jam/evidence/{_name(session)}"


def _folder(session: str) -> str:
    return f"refs/jam/checkpoints/{_name(session)}/"


def _name(session: str) -> str:
    if not _SESSION.fullmatch(session) or ".." in session or session.endswith((".", ".lock")):
        raise RequestError(f"{session!r} is not a session's name")
    return session


def value(git: Git, ref: str) -> str | None:
    """The object that ``ref`` names, by its full name."""
    return git.run("rev-parse", "--verify", "-q", ref, ok=(0, 1)).decode().strip() or None


def swap(git: Git, ref: str, *, new: str, old: str | None) -> None:
    """Compare and swap: fails unless ``ref`` is ``old`` now (None: absent)."""
    git.run("update-ref", "-m", "jam", ref, new, old or _NOTHING)


def put(git: Git, named: Mapping[str, str]) -> None:
    """Set all of these, or none."""
    lines = "".join(f"update {ref} {commit}\n" for ref, commit in named.items())
    git.run("update-ref", "-m", "jam", "--stdin", stdin=lines.encode())


def forget(git: Git, named: Iterable[str]) -> None:
    git.run("update-ref", "--stdin", stdin="".join(f"delete {ref}\n" for ref in named).encode())


def kept(git: Git, session: str) -> tuple[Kept, ...]:
    """The checkpoints of ``session``, in order."""
    listed = git.line(
        "for-each-ref", "--format=%(refname) %(objectname) %(committerdate:unix)", _folder(session)
    )
    found = []
    for line in listed.splitlines():
        ref, commit, at = line.split(" ")
        number = ref.rpartition("/")[2]
        if number.isdecimal():
            found.append(Kept(int(number), commit, ref, int(at)))
    return tuple(sorted(found, key=lambda one: one.number))


def tags(git: Git, *, reachable: str) -> dict[str, tuple[str, str]]:
    """Tags of ``reachable`` and what came before: name -> (object, the commit it wraps or '')."""
    listed = git.run(
        "for-each-ref",
        f"--merged={reachable}",
        "--format=%(refname:lstrip=2)%00%(objectname)%00%(*objectname)%00",
        "refs/tags",
    )
    parts = [part.lstrip(b"\n").decode("utf-8", "surrogateescape") for part in records(listed)]
    named = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return {name: (tagged, wrapped) for name, tagged, wrapped in named}


def demand_ours(named: Iterable[str]) -> None:
    if foreign := [ref for ref in named if not ref.startswith("refs/jam/")]:
        raise RequestError(f"{foreign[0]} is not jam's to write")


def demand_valid(git: Git, branch: str) -> None:
    """A name that git takes for a branch, and that nothing else takes for something else."""
    fine = not branch.startswith("-") and branch != "HEAD" and not _HEX.fullmatch(branch)
    if not (fine and git.says("check-ref-format", f"refs/heads/{branch}")):
        raise RequestError(f"{branch!r} cannot be the name of a branch")


def demand_free(git: Git, branch: str) -> None:
    """Moving a branch under a checkout would make its owner's work look like a change."""
    listed = git.line("worktree", "list", "--porcelain")
    if f"branch refs/heads/{branch}" in listed.splitlines():
        raise RequestError(f"the branch {branch} is checked out: jam does not move it")
