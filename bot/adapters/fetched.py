"""
Checkpoints of a session as they came back from the forge, in a bare repository of this machine.

They were sent without what a forge would not take, and say so themselves; what that means for the
session is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.adapters.git import Git
from bot.adapters.outgoing import LEFT_OUT
from bot.adapters.repository import Repository
from bot.core import moving
from bot.core.moving import Sent

FETCHED = "refs/jam/fetched/"


def checkpoints(repository: Repository, session: str) -> Mapping[int, Sent]:
    folder = FETCHED + moving.FOLDER.format(session=session).removeprefix("refs/")
    git = repository.references
    listed = git.line("for-each-ref", "--format=%(refname) %(objectname)", folder)
    found = {}
    for line in listed.splitlines():
        name, _, commit = line.partition(" ")
        number = name.removeprefix(folder)
        if number.isdecimal():
            found[int(number)] = _sent(git, commit)
    return found


def _sent(git: Git, commit: str) -> Sent:
    head, _, message = (
        git.run("cat-file", "commit", commit).decode("utf-8", "replace").partition("\n\n")
    )
    tree = next(line.removeprefix("tree ") for line in head.split("\n") if line.startswith("tree "))
    return Sent(commit=commit, tree=tree, is_thinned=LEFT_OUT in message)
