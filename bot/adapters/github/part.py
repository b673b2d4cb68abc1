"""What every part of the forge holds: whom it talks to, about which repository, and as whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from bot.adapters.github.talk import Talk
from bot.core.facts import Own

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Home:
    """``repository`` by its number, which stays when names change."""

    repository: int
    own: Own


class Part:
    def __init__(self, talk: Talk, home: Home) -> None:
        self._talk = talk
        self._home = home

    @property
    def own(self) -> Own:
        return self._home.own

    def _told(self, value: T) -> T:
        """As people will read it there: what is looked for must be what was written."""
        return self._talk.redactor.told_all(value)

    def _at(self, path: str = "") -> str:
        return f"/repositories/{self._home.repository}{path}"
