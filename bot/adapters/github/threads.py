"""
Issues and what is said in them: comments, reactions, labels.

A comment of jam's is found again by its first line, a hidden mark, and by who wrote it; the oldest
counts. Names of labels are GitHub's: case does not tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never
from urllib.parse import quote

from bot.adapters.github.outlet import Ask
from bot.adapters.github.part import Home, Part
from bot.adapters.github.purpose import Purpose
from bot.adapters.github.shapes import CommentAnswer, LabelAnswer, ReactionAnswer, ThreadAnswer
from bot.adapters.github.talk import Talk
from bot.core import markers
from bot.core.forge_values import OfComment, OfThread, Spot, ThreadFacts
from bot.core.markers import Written
from bot.core.reactions import Reaction
from bot.errors import ForgeMissing


class Threads(Part):
    def __init__(self, talk: Talk, home: Home) -> None:
        super().__init__(talk, home)
        self._said: dict[tuple[int, str], int] = {}

    def thread(self, number: int) -> ThreadFacts | None:
        found = self._talk.find(self._at(f"/issues/{number}"), ThreadAnswer, purpose=Purpose.READ)
        return found.say() if found else None

    def comment(self, comment: int) -> Written | None:
        path = self._at(f"/issues/comments/{comment}")
        found = self._talk.find(path, CommentAnswer, purpose=Purpose.READ)
        return found.say() if found else None

    # saying

    def say(self, number: int, text: str) -> int:
        text = self._told(text)
        mark = markers.first_line(text)
        with self._talk.within():
            there = self._known(number, mark) or self._find_comment(number, mark)
            if there is None:
                there = self._make_comment(number, mark, text)
            self._said[number, mark] = there.id
            if _same(there.body or "", text):
                return there.id
            try:
                return self._edit(there.id, text)
            except ForgeMissing:  # somebody deleted it just now
                self._said[number, mark] = self._make_comment(number, mark, text).id
                return self._said[number, mark]

    def _make_comment(self, number: int, mark: str, text: str) -> CommentAnswer:
        path = self._at(f"/issues/{number}/comments")
        ask = Ask(method="POST", path=path, body={"body": text}, creates=True)
        return self._talk.write(
            ask, CommentAnswer, purpose=Purpose.TALK, look=lambda: self._find_comment(number, mark)
        )

    def _known(self, number: int, mark: str) -> CommentAnswer | None:
        """Where it was last time, if it is still there and still says what it is."""
        at = self._said.get((number, mark))
        if at is None:
            return None
        path = self._at(f"/issues/comments/{at}")
        found = self._talk.find(path, CommentAnswer, purpose=Purpose.READ)
        return found if found and self._is_my_comment(found, mark) else None

    def _find_comment(self, number: int, mark: str) -> CommentAnswer | None:
        """Comments are told in the order of their making, so the first is the oldest."""
        path = self._at(f"/issues/{number}/comments")
        found = self._talk.pages(path, CommentAnswer, purpose=Purpose.READ)
        return next((one for one in found if self._is_my_comment(one, mark)), None)

    def _is_my_comment(self, one: CommentAnswer, mark: str) -> bool:
        written = one.say()
        return self.own.wrote(written.author) and markers.first_line(written.text) == mark

    def _edit(self, comment: int, text: str) -> int:
        path = self._at(f"/issues/comments/{comment}")
        ask = Ask(method="PATCH", path=path, body={"body": text})
        return self._talk.write(ask, CommentAnswer, purpose=Purpose.TALK).id

    # reactions

    def react(self, spot: Spot, reaction: Reaction) -> None:
        path = self._at(f"{_spot(spot)}/reactions")
        with self._talk.within():
            mine = list(self._reactions(path))
            if not any(one.content == reaction for one in mine):
                ask = Ask(method="POST", path=path, body={"content": reaction.value})
                self._talk.write(ask, ReactionAnswer, purpose=Purpose.TALK)
            for one in mine:
                if one.content != reaction and one.content in set(Reaction):
                    self._talk.delete(f"{path}/{one.id}", purpose=Purpose.TALK)

    def _reactions(self, path: str) -> Iterator[ReactionAnswer]:
        for one in self._talk.pages(path, ReactionAnswer, purpose=Purpose.READ):
            if one.user is not None and self.own.wrote(one.user.say()):
                yield one

    # labels

    def label(self, number: int, name: str) -> None:
        ask = Ask(method="POST", path=self._at(f"/issues/{number}/labels"), body={"labels": [name]})
        self._talk.write(ask, list[LabelAnswer], purpose=Purpose.TALK)

    def unlabel(self, number: int, name: str) -> bool:
        path = self._at(f"/issues/{number}/labels/{quote(name, safe='')}")
        return self._talk.delete(path, purpose=Purpose.TALK)

    def make_label(self, name: str, *, color: str, description: str) -> None:
        body = {"name": name, "color": color, "description": description}
        self._talk.settle(
            Ask(method="POST", path=self._at("/labels"), body=body),
            LabelAnswer,
            purpose=Purpose.TALK,
            look=lambda: self._label(name),
        )

    def _label(self, name: str) -> LabelAnswer | None:
        path = self._at(f"/labels/{quote(name, safe='')}")
        return self._talk.find(path, LabelAnswer, purpose=Purpose.READ)


def _same(one: str, other: str) -> bool:
    """GitHub may keep line ends in its own way."""
    return one.replace("\r\n", "\n").rstrip() == other.replace("\r\n", "\n").rstrip()


def _spot(spot: Spot) -> str:
    match spot:
        case OfThread(number):
            return f"/issues/{number}"
        case OfComment(number):
            return f"/issues/comments/{number}"
        case _:
            assert_never(spot)
