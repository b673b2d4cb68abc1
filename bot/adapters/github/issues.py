"""
jam's own issues: found by their first line, a hidden mark, and by who opened them.

Whoever else writes the mark is not heard. The oldest counts, should a lost answer ever have left
two. Nothing is written where it says so already.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.adapters.github.outlet import Ask
from bot.adapters.github.part import Home, Part
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.shapes import AccountAnswer, ThreadAnswer
from bot.adapters.github.talk import Talk
from bot.core import markers
from bot.core.forge_values import NewIssue, ThreadFacts


class Issues(Part):
    def __init__(self, talk: Talk, home: Home) -> None:
        super().__init__(talk, home)
        self._login = ""

    def issues(self, kind: str) -> tuple[ThreadFacts, ...]:
        with self._talk.within():
            found = [one for one in self._mine() if _mark(one).startswith(kind)]
            return tuple(self._whole(one).say() for one in found)

    def open_issue(self, new: NewIssue) -> ThreadFacts:
        body = {"title": self._told(new.title), "body": self._told(new.body)}
        mark = markers.first_line(body["body"])
        ask = Ask(method="POST", path=self._at("/issues"), body=body, creates=True)
        return self._talk.settle(
            ask, ThreadAnswer, purpose=Purpose.TALK, look=lambda: self._marked(mark)
        ).say()

    def edit_issue(self, number: int, *, title: str | None = None, body: str | None = None) -> None:
        title, body = self._told((title, body))
        self._alter(number, {"title": title, "body": body})

    def close_issue(self, number: int) -> None:
        self._alter(number, {"state": "closed"})

    def reopen_issue(self, number: int) -> None:
        self._alter(number, {"state": "open"})

    def _alter(self, number: int, wanted: dict[str, str | None]) -> None:
        path = self._at(f"/issues/{number}")
        with self._talk.within():
            now = self._talk.get(path, ThreadAnswer, purpose=Purpose.READ)
            there = {"title": now.title, "body": now.body or "", "state": now.state}
            change = {
                name: new for name, new in wanted.items() if new is not None and new != there[name]
            }
            if change:
                ask = Ask(method="PATCH", path=path, body=change)
                self._talk.write(ask, ThreadAnswer, purpose=Purpose.TALK)

    def _marked(self, mark: str) -> ThreadAnswer | None:
        return next((one for one in self._mine() if _mark(one) == mark), None)

    def _mine(self) -> Iterator[ThreadAnswer]:
        """The oldest first. A name may be somebody else's by now, so the number is looked at."""
        asked = {"state": "all", "creator": self._me(), "sort": "created", "direction": "asc"}
        pages = self._talk.pages(
            self._at("/issues"), ThreadAnswer, purpose=Purpose.READ, params=asked
        )
        for one in pages:
            if one.pull_request is None and self.own.wrote(one.say().thread.author):
                yield one

    def _me(self) -> str:
        if not self._login:
            path = f"/user/{self.own.account}"
            self._login = self._talk.get(path, AccountAnswer, purpose=Purpose.WHO).login
        return self._login

    def _whole(self, one: ThreadAnswer) -> ThreadAnswer:
        """A list does not always say who closed it."""
        if one.state == "open" or one.closed_by is not None:
            return one
        path = self._at(f"/issues/{one.number}")
        return self._talk.get(path, ThreadAnswer, purpose=Purpose.READ)


def _mark(one: ThreadAnswer) -> str:
    return markers.first_line(one.body or "")
