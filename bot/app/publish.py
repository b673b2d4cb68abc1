"""
Publishes what was adjudicated, bit for bit, and ends the session.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.app.case import Case
from bot.core.conclude import EXIT_CODES, clear
from bot.core.entries import Adjudicated, Ended, Published
from bot.core.session import Session
from bot.core.visible import one_line, see_prose
from bot.ports import Publisher, Say, Workcopy

SUBJECT = 72
LIVE = re.compile(r"(^|[^\w])(?:[\w.-]+/[\w.-]+)?(?:#|GH-)(?=[0-9])", re.IGNORECASE)
"""A reference to an issue, in this repository or another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    case: Case
    workcopy: Workcopy
    publisher: Publisher
    now: Callable[[], datetime]
    say: Say

    def publish(self, session: Session) -> Published:
        word = _word(session)
        commit = self._commits(session, word)
        branch = self.publisher.publish(self.case.opened.branch, commit)
        self.say(f"published on branch {branch}")
        return Published(
            branch=branch,
            commit=commit,
            tree=word.tree,
            head_tree=word.head_tree,
            draft=self._is_draft(session, word),
        )

    def finish(self, session: Session) -> Ended:
        word = _word(session)
        self.publisher.keep(self.case.session_id)
        return Ended(at=self.now(), end=word.end, exit_code=EXIT_CODES[word.end], why=word.why)

    def _is_draft(self, session: Session, word: Adjudicated) -> bool:
        edited = session.candidate is not None and session.candidate.restored_count > 0
        return clear(word) is None or edited or self.case.contract.publish.draft == "always"

    def _commits(self, session: Session, word: Adjudicated) -> str:
        """One commit for the change; the agent's own tests, where there are any, in another."""
        opened = self.case.opened
        trailers = f"Jam-Session: {opened.session}\nJam-Checkpoint: {session.head_number}"
        head = opened.base
        if session.reproduced:
            head = self._commit(session.reproduced.tree, head, f"test: {self._title()}", trailers)
        cleared = clear(word)
        first = cleared.tree if cleared else word.tree
        if word.head_tree != word.tree and cleared is None:
            first = word.head_tree  # a draft that needs its surface change is one commit
        head = self._commit(first, head, f"fix: {self._title()}", f"{word.why}.\n\n{trailers}")
        if word.head_tree != first:
            head = self._commit(
                word.head_tree,
                head,
                f"test: {self._title()}",
                f"New tests by the agent.\n\n{trailers}",
            )
        return head

    def _commit(self, tree: str, parent: str, subject: str, body: str) -> str:
        message = f"{one_line(subject, SUBJECT)}\n\n{body}\n"
        at = int(self.case.opened.at.timestamp())
        return self.workcopy.commit(tree, parent=parent, message=message, at=at)

    def _title(self) -> str:
        """Without what closes an issue on merge: a commit's message is live, too."""
        return LIVE.sub(r"\1no. ", see_prose(self.case.opened.title).text)


def _word(session: Session) -> Adjudicated:
    assert session.adjudicated is not None, "nothing is published before the last word"  # noqa: S101
    return session.adjudicated
