"""
Commits through the git data API: signed by GitHub, modes kept, nothing ever forced.

A commit's name varies with time, its tree's does not: what a lost answer left behind is known again
by its trees. A reference is set once everything below it is there, and read back. Workflow files
are never written: jam does not hold the permission, so a change of one needs a person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

from bot.adapters.github.git_shapes import CommitAnswer, RefAnswer
from bot.adapters.github.outlet import Ask
from bot.adapters.github.part import Part
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.trees import Trees
from bot.core import pushable
from bot.core.forge_values import NewCommit, Onto, Pushed, RefFacts
from bot.errors import ForgeMistaken, ForgeRefused, RefTaken

SECONDS = 1800.0
OURS = "refs/jam/"


class Commits(Part):
    def ref(self, name: str) -> str | None:
        path = self._at(f"/git/ref/{quote(name.removeprefix('refs/'))}")
        found = self._talk.find(path, RefAnswer, purpose=Purpose.READ)
        return found.object.sha if found and found.ref == name else None

    def refs(self, prefix: str) -> tuple[RefFacts, ...]:
        path = self._at(f"/git/matching-refs/{quote(prefix.removeprefix('refs/'))}")
        return tuple(one.say() for one in self._talk.pages(path, RefAnswer, purpose=Purpose.READ))

    def drop(self, ref: str) -> None:
        if not ref.startswith(OURS):
            raise ForgeRefused(f"{ref} is not jam's to delete")
        with self._talk.within():
            if self.ref(ref) is None:
                return
            try:
                path = self._at(f"/git/refs/{quote(ref.removeprefix('refs/'))}")
                self._talk.delete(path, purpose=Purpose.PUSH)
            except ForgeRefused:
                if self.ref(ref) is not None:
                    raise

    def push(
        self, ref: str, commits: Sequence[NewCommit], *, base: str, onto: Onto = Onto.NEW
    ) -> Pushed:
        pushable.demand(ref, commits)
        with self._talk.within(SECONDS):
            now = self.ref(ref)
            if now is not None and not self._is(now, commits, base=base):
                if onto is not Onto.FORWARD or now != base:
                    raise RefTaken(f"{ref} holds something else: {now[:12]}")
                self._move(ref, self._build(commits, base=base))
            elif now is None:
                self._create(ref, self._build(commits, base=base))
            return self._read_back(ref, commits, base=base)

    # what is there

    def _commit(self, sha: str) -> CommitAnswer:
        return self._talk.get(self._at(f"/git/commits/{sha}"), CommitAnswer, purpose=Purpose.READ)

    def _is(self, sha: str, commits: Sequence[NewCommit], *, base: str) -> bool:
        """Whether ``sha`` is these commits on ``base``, whatever they are called."""
        for wanted in reversed(commits):
            if sha == base:
                return False
            found = self._commit(sha)
            if found.tree.sha != wanted.tree or len(found.parents) != 1:
                return False
            sha = found.parents[0].sha
        return sha == base

    def _read_back(self, ref: str, commits: Sequence[NewCommit], *, base: str) -> Pushed:
        now = self.ref(ref)
        if now is None or not self._is(now, commits, base=base):
            raise RefTaken(f"{ref} was changed by somebody else at the same time")
        return Pushed(ref=ref, commit=now, tree=commits[-1].tree)

    # what is made

    def _build(self, commits: Sequence[NewCommit], *, base: str) -> str:
        trees = Trees(self._talk, self._home)
        head, tree = base, self._commit(base).tree.sha
        for wanted in commits:
            tree = trees.build(wanted, base=tree)
            body = {"message": wanted.message, "tree": tree, "parents": [head]}
            # Without an author, GitHub signs it as the App's.
            path = self._at("/git/commits")
            ask = Ask(method="POST", path=path, body=body, creates=True)
            made = self._talk.write(ask, CommitAnswer, purpose=Purpose.PUSH)
            if made.tree.sha != wanted.tree:
                raise ForgeMistaken(f"{made.sha} holds another tree than {wanted.tree}")
            head = made.sha
        return head

    def _create(self, ref: str, sha: str) -> None:
        path = self._at("/git/refs")
        self._talk.write(
            Ask(method="POST", path=path, body={"ref": ref, "sha": sha}),
            RefAnswer,
            purpose=Purpose.PUSH,
            look=self._look(ref),
        )

    def _move(self, ref: str, sha: str) -> None:
        path = self._at(f"/git/refs/{quote(ref.removeprefix('refs/'))}")
        try:
            self._talk.write(
                Ask(method="PATCH", path=path, body={"sha": sha, "force": False}),
                RefAnswer,
                purpose=Purpose.PUSH,
            )
        except ForgeRefused as refused:
            raise RefTaken(f"{ref} could not be moved forward: {refused}") from None

    def _look(self, ref: str) -> Callable[[], RefAnswer | None]:
        path = self._at(f"/git/ref/{quote(ref.removeprefix('refs/'))}")
        return lambda: self._talk.find(path, RefAnswer, purpose=Purpose.READ)
