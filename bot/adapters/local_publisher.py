"""Publishes into the repository on this machine: a branch, and the checkpoints beside it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from bot.adapters import refs
from bot.adapters.repository import Repository
from bot.adapters.workcopy import GitWorkcopy
from bot.errors import RequestError

SUFFIXES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPublisher:
    """``fixed``: the person named the branch, so no other name will do."""

    repository: Repository
    workcopy: GitWorkcopy
    base: str
    fixed: bool = False

    def publish(self, branch: str, commit: str) -> str:
        name = branch if self.fixed else self._free(branch, commit)
        self.repository.publish(name, commit, source=self.workcopy.git, base=self.base)
        return name

    def keep(self, session_id: str) -> None:
        kept = refs.kept(self.workcopy.git, session_id)
        if kept:
            named = {one.ref: one.commit for one in kept}
            self.repository.keep(named, source=self.workcopy.git, base=self.base)

    def _free(self, branch: str, commit: str) -> str:
        """
        The first of ``branch``, ``branch-2``, … that is free, or is this very commit. A branch
        called ``jam`` leaves no room for ``jam/…``: then it is ``jam-…``.
        """
        stem = branch.replace("/", "-") if self.repository.in_the_way_of(branch) else branch
        for number in itertools.islice(itertools.count(1), SUFFIXES):
            name = stem if number == 1 else f"{stem}-{number}"
            there = refs.value(self.repository.references, f"refs/heads/{name}")
            if there in (None, commit):
                return name
        raise RequestError(
            f"{branch} and {SUFFIXES} names like it are taken: name one with --branch"
        )
