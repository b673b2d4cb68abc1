"""
The tests as they were before the change that edits them.

A change that exists is measured by its own tests, so it could take an old one out of its way. What
the base's own tests say of it is asked here, and told to a person; which of the two versions is
right, no run can tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.app.court import Court, Trial
from bot.app.preflight import own_modules
from bot.core.parts import Purpose, Remark
from bot.core.session import Session
from bot.core.verdict import Standing
from bot.ports import Workcopy

TOLD = 3
ON_BASE, ON_HEAD = 200, 201


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerTests:
    workcopy: Workcopy
    court: Court

    def remarks(self, session: Session) -> tuple[Remark, ...]:
        """One that blocks, where a test that passed on the base does not pass with the change."""
        edited = self._edited(session)
        if not edited or session.candidate is None:
            return ()
        before = self._passed(self._base(session), ON_BASE)
        with_change = self._passed(self._restored(session, edited), ON_HEAD)
        if before is None or with_change is None:
            what = "the change edits this, and it could not be judged with the tests as they were"
            return (Remark(path=edited[0], line=0, what=what, blocks=True),)
        lost = sorted(before - with_change)
        if not lost:
            return ()
        named = ", ".join(lost[:TOLD]) + (f" and {len(lost) - TOLD} more" if lost[TOLD:] else "")
        what = f"the change edits this, and as it was these do not pass any more: {named}"
        return (Remark(path=edited[0], line=0, what=what, blocks=True),)

    def _edited(self, session: Session) -> tuple[str, ...]:
        """Test files of the base that are not what they were, or are gone."""
        if session.reproduced is None:
            return ()
        there = self.workcopy.entries(self._base(session))
        return tuple(path for path in session.reproduced.paths if path in there)

    def _restored(self, session: Session, edited: tuple[str, ...]) -> str:
        assert session.candidate is not None  # noqa: S101  # remarks has looked
        there = self.workcopy.entries(self._base(session))
        put = [there[path] for path in edited]
        return self.workcopy.compose(session.candidate.tree, put=put, drop=())

    def _passed(self, tree: str, number: int) -> frozenset[str] | None:
        """None where a gate cannot judge the tree."""
        ours = own_modules(self.workcopy.entries(tree))
        trial = Trial(purpose=Purpose.ADJUDICATION, number=number, tree=tree)
        judged = self.court.of_base(trial, ours=ours)
        said = self.court.standings(judged, ours=ours).values()
        standing = [one for one in said if isinstance(one, Standing)]
        if len(standing) < len(said):
            return None
        return frozenset(i for one in standing for i in one.passed)

    def _base(self, session: Session) -> str:
        assert session.opened is not None, "there is no session without an opening"  # noqa: S101
        return session.opened.base_tree
