"""How a tree is put together, against a GitHub that is careless with it."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.adapters import memory_git
from bot.adapters.github.gateway import Ask
from bot.adapters.github.git_shapes import Made
from bot.adapters.github.part import Home
from bot.adapters.github.trees import Trees
from bot.adapters.memory_git import File
from bot.core.facts import Own
from bot.errors import ForgeMistaken
from tests.ports.test_forge import commit

BASE: dict[str, File] = {"a.py": ("100644", b"1\n"), "docs/link": ("120000", b"../a.py")}


@dataclass
class Careless:
    """Takes trees and blobs. ``spoils``: which of them arrive with their line ends changed."""

    spoils: tuple[str, ...] = ()
    asked: list[Ask] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    trees: dict[str, dict[str, File]] = field(default_factory=dict)

    def write(self, ask: Ask, shape: type[Made], **_: Any) -> Made:
        self.asked.append(ask)
        body = ask.body or {}
        if ask.path.endswith("/git/blobs"):
            content = self._kept(base64.b64decode(body["content"]), "blob")
            sha = memory_git.name("blob", content)
            self.blobs[sha] = content
            return shape(sha=sha)
        files = dict(self.trees[body["base_tree"]])
        for entry in body["tree"]:
            self._put(files, entry)
        sha = memory_git.tree(files)
        self.trees[sha] = files
        return shape(sha=sha)

    def _put(self, files: dict[str, File], entry: dict[str, Any]) -> None:
        if "content" in entry:
            content = self._kept(entry["content"].encode(), "text")
            files[entry["path"]] = entry["mode"], content
        elif entry["sha"] is None:
            del files[entry["path"]]
        else:
            files[entry["path"]] = entry["mode"], self.blobs[entry["sha"]]

    def _kept(self, content: bytes, kind: str) -> bytes:
        return content.replace(b"\n", b"\r\n") if kind in self.spoils else content

    @property
    def portions(self) -> list[list[str]]:
        return [
            [entry["path"] for entry in (ask.body or {})["tree"]]
            for ask in self.asked
            if ask.path.endswith("/git/trees")
        ]


def build(talk: Careless, change: dict[str, File | None]) -> tuple[str, str]:
    """What came out, and what should."""
    start = memory_git.tree(BASE)
    talk.trees[start] = dict(BASE)
    wanted, _ = commit(BASE, change)
    made = Trees(talk, Home(1, Own(account=1))).build(wanted, base=start)  # type: ignore[arg-type]
    return made, wanted.tree


def test_text_that_arrives_changed_is_sent_again_as_bytes() -> None:
    talk = Careless(spoils=("text",))
    made, wanted = build(talk, {"a.py": ("100644", b"2\n")})

    assert made == wanted
    assert [ask.path.rpartition("/")[2] for ask in talk.asked] == ["trees", "blobs", "trees"]


def test_another_tree_than_was_judged_is_never_taken() -> None:
    with pytest.raises(ForgeMistaken):
        build(Careless(spoils=("text", "blob")), {"a.py": ("100644", b"2\n")})


def test_what_stands_in_the_way_goes_first() -> None:
    talk = Careless()
    made, wanted = build(talk, {"docs/link": None, "docs": ("100644", b"x\n")})

    assert made == wanted
    assert talk.portions == [["docs/link"], ["docs"]]


def test_many_files_go_in_portions_and_the_rest_in_one() -> None:
    many, few = Careless(), Careless()
    build(many, {f"{at}.py": ("100644", b"x\n") for at in range(450)})
    build(few, {"docs/link": None, "b.py": ("100644", b"x\n")})

    assert [len(portion) for portion in many.portions] == [200, 200, 50]
    assert few.portions == [["docs/link", "b.py"]]
