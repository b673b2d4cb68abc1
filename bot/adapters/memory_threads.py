"""
Issues and what is said in them, of a repository in memory: a part of ``MemoryForge``.
"""

from __future__ import annotations

from dataclasses import replace

from bot.adapters.memory_hub import Hub
from bot.core import markers
from bot.core.facts import Own
from bot.core.forge_values import NewIssue, OfThread, Spot, ThreadFacts
from bot.core.markers import Written
from bot.core.reactions import Reaction
from bot.core.thread import Account
from bot.errors import ForgeMissing


class MemoryThreads:
    def __init__(self, hub: Hub, *, login: str = "jam[bot]") -> None:
        self.hub = hub
        self._me = Account(hub.own.account, login, is_bot=True)

    @property
    def own(self) -> Own:
        return self.hub.own

    # threads

    def thread(self, number: int) -> ThreadFacts | None:
        return self.hub.threads.get(number)

    def comment(self, comment: int) -> Written | None:
        return self.hub.comments[comment][1] if comment in self.hub.comments else None

    def say(self, number: int, text: str) -> int:
        mark = markers.first_line(text)
        mine = [
            written
            for at, written in self.hub.comments.values()
            if at == number and self._is_mine(written, mark)
        ]
        if not mine:
            self.hub.writes.append(f"comment on #{number}")
            return self.hub.comment(number, text, by=self._me)
        first = min(mine, key=lambda one: one.id)
        if first.text != text:
            self.hub.writes.append(f"edit of a comment on #{number}")
            self.hub.comments[first.id] = number, replace(first, text=text)
        return first.id

    def _is_mine(self, written: Written, mark: str) -> bool:
        return self.own.wrote(written.author) and markers.first_line(written.text) == mark

    def react(self, spot: Spot, reaction: Reaction) -> None:
        if isinstance(spot, OfThread):
            self.hub.demand_thread(spot.number)
        elif spot.id not in self.hub.comments:
            raise ForgeMissing("there is no such comment")
        there = self.hub.reactions.setdefault(spot, set())
        there -= {(one.value, self.own.account) for one in Reaction}
        there.add((reaction.value, self.own.account))

    def label(self, number: int, name: str) -> None:
        facts = self.hub.demand_thread(number)
        known = self.hub.labels.setdefault(name.lower(), name)
        if known not in facts.labels:
            self._set_labels(number, (*facts.labels, known))

    def unlabel(self, number: int, name: str) -> bool:
        facts = self.hub.threads.get(number)
        left = tuple(one for one in facts.labels if one.lower() != name.lower()) if facts else ()
        if facts is None or left == facts.labels:
            return False
        self._set_labels(number, left)
        return True

    def _set_labels(self, number: int, labels: tuple[str, ...]) -> None:
        self.hub.threads[number] = replace(self.hub.threads[number], labels=labels)
        if number in self.hub.pulls:
            self.hub.pulls[number] = replace(self.hub.pulls[number], labels=labels)

    def make_label(self, name: str, *, color: str, description: str) -> None:  # noqa: ARG002
        self.hub.labels.setdefault(name.lower(), name)

    # issues

    def issues(self, kind: str) -> tuple[ThreadFacts, ...]:
        return tuple(
            facts
            for _, facts in sorted(self.hub.threads.items())
            if not facts.thread.is_pull
            and self.own.wrote(facts.thread.author)
            and markers.first_line(facts.thread.body).startswith(kind)
        )

    def open_issue(self, new: NewIssue) -> ThreadFacts:
        mark = markers.first_line(new.body)
        for facts in self.issues(mark):
            if markers.first_line(facts.thread.body) == mark:
                return facts
        self.hub.writes.append(f"issue {new.title}")
        return self.hub.threads[self.hub.open_issue(new.title, new.body, by=self._me)]

    def edit_issue(self, number: int, *, title: str | None = None, body: str | None = None) -> None:
        now = self.hub.demand_thread(number).thread
        new = (now.title if title is None else title, now.body if body is None else body)
        if new != (now.title, now.body):
            self.hub.writes.append(f"edit of #{number}")
            self.hub.rewrite(number, title=new[0], body=new[1])

    def close_issue(self, number: int) -> None:
        if self.hub.demand_thread(number).thread.is_open:
            self.hub.close(number, by=self._me)

    def reopen_issue(self, number: int) -> None:
        self.hub.reopen(number)
