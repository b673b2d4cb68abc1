"""Shapes of the git data API's answers, and of files: objects by their names."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from pydantic import StringConstraints

from bot.adapters.github.shapes import Shape, Text, Whole
from bot.core.forge_values import RefFacts
from bot.core.spoken import ShaGit


class Made(Shape):
    sha: ShaGit


class CommitAnswer(Shape):
    sha: ShaGit
    tree: Made
    parents: list[Made]


class ObjectAnswer(Shape):
    sha: ShaGit
    type: Text


class RefAnswer(Shape):
    ref: Annotated[str, StringConstraints(pattern=r"^refs/")]
    object: ObjectAnswer

    def say(self) -> RefFacts:
        return RefFacts(self.ref, self.object.sha)


class ContentAnswer(Shape):
    type: Text
    sha: ShaGit
    size: Whole
    encoding: Text | None = None
    content: Text | None = None


class BlobAnswer(Shape):
    sha: ShaGit
    encoding: Text
    content: Text

    def read(self) -> bytes:
        return decode(self.content) if self.encoding == "base64" else self.content.encode()


def decode(content: str) -> bytes:
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except binascii.Error as broken:
        raise ValueError("not base64") from broken
