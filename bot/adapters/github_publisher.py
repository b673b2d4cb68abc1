"""
Publishes to the forge: a branch of signed commits, and the checkpoints as references beside it.

Every tree arrives bit for bit or not at all. The commits are other ones than on this machine, since
the forge signs and dates them; ``Pushed`` says what they are called there.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from bot.adapters import outgoing, refs
from bot.adapters.git import Git
from bot.adapters.outgoing import Withheld
from bot.core.forge_values import Onto, Pushed
from bot.errors import RefTaken
from bot.forge_port import Commits

SUFFIXES = 100


def _nothing(path: str, content: bytes) -> bool:  # noqa: ARG001  the default: all may be seen
    return False


@dataclass(slots=True, kw_only=True)
class GithubPublisher:
    """
    ``base``: the commit that the session began at, which the forge has. ``onto`` FORWARD: the
    branch is jam's already and holds ``base``. ``fixed``: no other name will do. ``withheld``: what
    must not leave this machine with a checkpoint, by path and content.
    """

    forge: Commits
    git: Git
    base: str
    onto: Onto = Onto.NEW
    fixed: bool = False
    withheld: Withheld = _nothing
    pushed: dict[str, Pushed] = field(default_factory=dict)  # by branch

    def publish(self, branch: str, commit: str) -> str:
        commits = outgoing.chain(self.git, commit, base=self.base)
        for number in itertools.count(1):
            name = branch if number == 1 else f"{branch}-{number}"
            ref = f"refs/heads/{name}"
            try:
                made = self.forge.push(ref, commits, base=self.base, onto=self.onto)
            except RefTaken:
                if self.fixed or number == SUFFIXES:
                    raise
            else:
                self.pushed[name] = made
                return name
        raise AssertionError("counting does not end")

    def keep(self, session_id: str) -> None:
        head, tree = self.base, outgoing.tree_of(self.git, self.base)
        for one in refs.kept(self.git, session_id):
            change = outgoing.thinned(
                self.git, one.commit, base=self.base, before=tree, withheld=self.withheld
            )
            made = self.forge.push(one.ref, [change], base=head)
            head, tree = made.commit, made.tree
