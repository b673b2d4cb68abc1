"""
What goes out to the forge while a session runs, or after another one was there before.

Checkpoints follow one another as references, each sent once; a branch of jam's own that an earlier
attempt left is carried forward by one commit to the new tree, and never back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.adapters import outgoing, refs
from bot.adapters.git import Git
from bot.adapters.github_publisher import GithubPublisher
from bot.adapters.outgoing import Withheld
from bot.adapters.workcopy import GitWorkcopy
from bot.core.forge_values import NewCommit, Onto, Pushed
from bot.errors import RefTaken
from bot.forge_port import Commits


@dataclass(slots=True, kw_only=True)
class Keeper:
    """Checkpoints of one session. ``git`` holds them; ``base`` is known to the forge."""

    forge: Commits
    git: Git
    session: str
    base: str
    withheld: Withheld
    _last: int = 0
    _head: str = ""
    _tree: str = ""

    def keep(self) -> int:
        """All that were not sent yet; the number of the last one."""
        head = self._head or self.base
        tree = self._tree or outgoing.tree_of(self.git, self.base)
        for one in refs.kept(self.git, self.session):
            if one.number <= self._last:
                continue
            change = outgoing.thinned(
                self.git, one.commit, base=self.base, before=tree, withheld=self.withheld
            )
            if change is not None:
                made = self._push(one.ref, change, head)
                head, tree = made.commit, made.tree
            self._last, self._head, self._tree = one.number, head, tree
        return self._last

    def _push(self, ref: str, change: NewCommit, head: str) -> Pushed:
        """A turn that was cut short may have left its checkpoint under this number, and the ledger
        never heard of it."""
        try:
            return self.forge.push(ref, [change], base=head)
        except RefTaken:
            self.forge.drop(ref)
            return self.forge.push(ref, [change], base=head)


@dataclass(slots=True, kw_only=True)
class BranchPublisher:
    """The ``Publisher`` of a session. ``is_ours``: the branch is of an earlier attempt of jam's,
    and what it holds is in ``workcopy``'s reach."""

    forge: Commits
    workcopy: GitWorkcopy
    base: str
    is_ours: bool
    trailer: str
    at: int
    pushed: Callable[[str, Pushed], None]
    finish: Callable[[], object]  # the last checkpoints

    def publish(self, branch: str, commit: str) -> str:
        now = self.forge.ref(f"refs/heads/{branch}") if self.is_ours else None
        if now is None:
            return self._new(branch, commit)
        return self._forward(branch, commit, now)

    def keep(self, session_id: str) -> None:  # noqa: ARG002  known to whoever made this
        self.finish()

    def _new(self, branch: str, commit: str) -> str:
        publisher = GithubPublisher(forge=self.forge, git=self.workcopy.git, base=self.base)
        name = publisher.publish(branch, self._signed_off(commit))
        self.pushed(name, publisher.pushed[name])
        return name

    def _forward(self, branch: str, commit: str, now: str) -> str:
        git = self.workcopy.git
        tree = outgoing.tree_of(git, commit)
        if outgoing.tree_of(git, now) == tree:
            self.pushed(branch, Pushed(ref=f"refs/heads/{branch}", commit=now, tree=tree))
            return branch
        message = self._message(_message_of(git, commit))
        one = self.workcopy.commit(tree, parent=now, message=message, at=self.at)
        publisher = GithubPublisher(
            forge=self.forge, git=git, base=now, onto=Onto.FORWARD, fixed=True
        )
        publisher.publish(branch, one)
        self.pushed(branch, publisher.pushed[branch])
        return branch

    def _signed_off(self, commit: str) -> str:
        """The same commits, with the name of the person who asked in each message."""
        if not self.trailer:
            return commit
        git, parent = self.workcopy.git, self.base
        for sha in git.line("rev-list", "--reverse", f"{self.base}..{commit}").split():
            message = self._message(_message_of(git, sha))
            tree = outgoing.tree_of(git, sha)
            parent = self.workcopy.commit(tree, parent=parent, message=message, at=self.at)
        return parent

    def _message(self, message: str) -> str:
        return f"{message.rstrip()}\n{self.trailer}\n" if self.trailer else message


def _message_of(git: Git, commit: str) -> str:
    said = git.run("cat-file", "commit", commit).decode("utf-8", "replace")
    return said.partition("\n\n")[2]
