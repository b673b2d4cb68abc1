"""
One tree out of another, through the git data API, in portions.

Text goes along with the tree that names it, everything else as a blob of its own: fewer writes, and
GitHub wants them a second apart. The tree that comes out is compared with the one that was judged.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from bot.adapters.github.git_shapes import Made
from bot.adapters.github.outlet import Ask
from bot.adapters.github.part import Part
from bot.adapters.github.purpose import Purpose
from bot.core.forge_values import FilePut, NewCommit
from bot.errors import ForgeMistaken, ForgeRefused

AT_ONCE = 200
INLINE_BYTES = 256 << 10
PORTION_BYTES = 2 << 20
LARGEST = 100 << 20

Entry = dict[str, Any]


class Trees(Part):
    def build(self, wanted: NewCommit, *, base: str) -> str:
        """The tree that ``wanted`` names, made from the tree ``base``."""
        for inline in (True, False):  # should text arrive changed, bytes will not
            tree = base
            for portion in self._portions(wanted, inline=inline):
                ask = Ask(
                    method="POST",
                    path=self._at("/git/trees"),
                    body={"base_tree": tree, "tree": portion},
                )
                tree = self._talk.write(ask, Made, purpose=Purpose.PUSH).sha
            if tree == wanted.tree:
                return tree
        raise ForgeMistaken(f"GitHub made another tree than {wanted.tree}: {tree}")

    def _portions(self, wanted: NewCommit, *, inline: bool) -> Iterator[list[Entry]]:
        gone: list[Entry] = [_gone(path) for path in wanted.drop]
        if _stand_in_the_way(wanted):  # a file where a folder was, or the other way round
            yield gone
            gone = []
        portion, size = gone, 0
        for one in wanted.put:
            entry = self.entry(one, inline=inline)
            grows = len(one.content) if "content" in entry else 0
            if portion and (len(portion) >= AT_ONCE or size + grows > PORTION_BYTES):
                yield portion
                portion, size = [], 0
            portion.append(entry)
            size += grows
        if portion:
            yield portion

    def entry(self, one: FilePut, *, inline: bool) -> Entry:
        entry: Entry = {"path": one.path, "mode": one.mode, "type": "blob"}
        text = _text(one.content) if inline else None
        if text is not None:
            return entry | {"content": text}
        return entry | {"sha": self._blob(one)}

    def _blob(self, one: FilePut) -> str:
        if len(one.content) > LARGEST:
            raise ForgeRefused(f"{one.path} is larger than GitHub takes")
        body = {"content": base64.b64encode(one.content).decode(), "encoding": "base64"}
        ask = Ask(method="POST", path=self._at("/git/blobs"), body=body)
        return self._talk.write(ask, Made, purpose=Purpose.PUSH).sha


def _gone(path: str) -> Entry:
    return {"path": path, "mode": "100644", "type": "blob", "sha": None}


def _text(content: bytes) -> str | None:
    """What JSON carries unchanged for sure."""
    if len(content) > INLINE_BYTES or not content or b"\0" in content or b"\r" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _stand_in_the_way(wanted: NewCommit) -> bool:
    put, drop = {one.path for one in wanted.put}, set(wanted.drop)
    return bool(
        {above for path in put for above in _above(path)} & drop
        or {above for path in drop for above in _above(path)} & put
    )


def _above(path: str) -> Sequence[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
