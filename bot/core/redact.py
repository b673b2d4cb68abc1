"""
Takes secrets out of whatever leaves jam: known ones in every spelling, and what looks like one.

Decides what is masked; who must ask is a matter of each way out. Known secrets are looked for in
letters and digits alone, so that no line's end, quote or escape hides them, and eight at a time,
so that the length of the list costs nothing. Digests and names of commits are never cut.
"""

from __future__ import annotations

import re
import struct
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from bot.core import token_shapes
from bot.core.redact_forms import IS_KEPT, forms, reduced
from bot.core.token_shapes import MASK

LEAST = 8
"""Whatever is shorter would be found everywhere."""
RUN = 24
"""So much of a longer one gives it away: part of a key is as bad as all of it."""
AT_MOST = 256
"""Learned ones that are remembered: tokens live an hour, and new ones come all day."""
_GRAM = 8
_AT_ONCE = 2 * _GRAM - 1  # every place of this length holds a whole aligned gram
_CODED = re.compile(
    rb"%([0-9A-Fa-f]{2})|\\x([0-9A-Fa-f]{2})|\\u00([0-9A-Fa-f]{2})|&#x([0-9A-Fa-f]{2});"
)

T = TypeVar("T")
Spot = tuple[int, int]


class Redactor:
    """``standing`` are known for good; ``learn`` is for what comes and goes."""

    def __init__(self, standing: Iterable[str] = ()) -> None:
        self._standing = _Index.of(standing)
        self._learned: OrderedDict[str, None] = OrderedDict()
        self._fresh = _Index.of(())
        self._lock = Lock()

    def learn(self, secret: str, *, for_good: bool = False) -> None:
        with self._lock:
            if for_good:
                self._standing = self._standing.with_one(secret)
                return
            if secret in self._learned:
                return
            self._learned[secret] = None
            if len(self._learned) <= AT_MOST:
                self._fresh = self._fresh.with_one(secret)
                return
            for _ in range(AT_MOST // 2):
                self._learned.popitem(last=False)
            self._fresh = _Index.of(self._learned)

    # what jam keeps: only what is known, since a file may hold an example of a token

    def holds(self, content: bytes) -> bool:
        return next(self._spots(content), None) is not None

    def content(self, content: bytes) -> bytes:
        spots = _merged(self._spots(content))
        return _masked(content, spots) if spots else content

    def kept(self, text: str) -> str:
        coded = text.encode("utf-8", "surrogatepass")
        clean = self.content(coded)
        return text if clean is coded else clean.decode("utf-8", "surrogatepass")

    # what people read

    def told(self, text: str) -> str:
        return token_shapes.mask(self.kept(text))

    def told_all(self, value: T) -> T:
        """The same value with every text in it fit to be read: JSON, or frozen records."""
        told: T = _each(value, self.told)
        return told

    def kept_all(self, value: T) -> T:
        kept: T = _each(value, self.kept)
        return kept

    def _spots(self, content: bytes) -> Iterator[Spot]:
        plain = reduced(content)
        indexes = (self._standing, self._fresh)
        yield from _placed(content, _hits(plain, indexes))
        for index in indexes:
            yield from index.exact(content)
        if _CODED.search(content):
            decoded = _CODED.sub(_one, content)
            if hits := _hits(reduced(decoded), indexes):
                yield from _decoded_spots(content, hits)


class _Index:
    """Where each run of eight letters or digits of a secret stands in one of its spellings."""

    def __init__(
        self,
        grams: Mapping[int, tuple[tuple[bytes, int], ...]],
        short: frozenset[bytes],
        odd: frozenset[bytes],
    ) -> None:
        self.grams = grams
        self.short = short
        self.odd = odd  # too few letters and digits to be told by them

    @classmethod
    def of(cls, secrets: Iterable[str]) -> _Index:
        made = cls({}, frozenset(), frozenset())
        for secret in secrets:
            made = made.with_one(secret)
        return made

    def with_one(self, secret: str) -> _Index:
        bare = secret.strip()
        if len(bare) < LEAST:
            return self
        spelled = [form for form in forms(bare) if len(form) >= LEAST]
        short = {form for form in spelled if len(form) < _AT_ONCE}
        grams = dict(self.grams)
        for form in (form for form in spelled if len(form) >= _AT_ONCE):
            for gram, at in _grams(form).items():
                grams[gram] = (*grams.get(gram, ()), (form, at))
        whole = bare.encode("utf-8", "surrogatepass")
        odd = {whole, whole[::-1]} if len(reduced(whole)) < LEAST else set()
        return _Index(grams, self.short | short, self.odd | odd)

    def exact(self, content: bytes) -> Iterator[Spot]:
        for one in self.odd:
            yield from ((at, at + len(one)) for at in _everywhere(one, content))


def _grams(form: bytes) -> dict[int, int]:
    found: dict[int, int] = {}
    for at in range(len(form) - _GRAM + 1):
        found.setdefault(int.from_bytes(form[at : at + _GRAM], "little"), at)
    return found


def _hits(plain: bytes, indexes: Iterable[_Index]) -> list[Spot]:
    blocks = struct.unpack_from(f"<{len(plain) // _GRAM}Q", plain)
    found: list[Spot] = []
    for index in indexes:
        if not index.grams.keys().isdisjoint(blocks):
            found += _runs(plain, blocks, index)
        for one in index.short:
            found += [(at, at + len(one)) for at in _everywhere(one, plain)]
    return found


def _runs(plain: bytes, blocks: tuple[int, ...], index: _Index) -> Iterator[Spot]:
    for number, block in enumerate(blocks):
        for form, at in index.grams.get(block, ()):
            start, end = _grown(plain, number * _GRAM, form, at)
            if end - start >= min(len(form), RUN):
                yield start, end


def _grown(plain: bytes, where: int, form: bytes, at: int) -> Spot:
    """As far as both agree, on either side."""
    start, left = where, at
    while start and left and plain[start - 1] == form[left - 1]:
        start, left = start - 1, left - 1
    end, right = where + _GRAM, at + _GRAM
    while end < len(plain) and right < len(form) and plain[end] == form[right]:
        end, right = end + 1, right + 1
    return start, end


def _everywhere(one: bytes, content: bytes) -> Iterator[int]:
    at = content.find(one)
    while at >= 0:
        yield at
        at = content.find(one, at + 1)


def _placed(content: bytes, hits: list[Spot]) -> Iterator[Spot]:
    """From places among letters and digits to places in the whole."""
    if not hits:
        return
    places = [place for place, byte in enumerate(content) if IS_KEPT[byte]]
    yield from ((places[start], places[end - 1] + 1) for start, end in hits)


def _one(found: re.Match[bytes]) -> bytes:
    return bytes([int(next(filter(None, found.groups())), 16)])


def _decoded_spots(content: bytes, hits: list[Spot]) -> Iterator[Spot]:
    places: list[Spot] = []
    last = 0
    for found in _CODED.finditer(content):
        places += [(at, at + 1) for at in range(last, found.start()) if IS_KEPT[content[at]]]
        if IS_KEPT[_one(found)[0]]:
            places.append(found.span())
        last = found.end()
    places += [(at, at + 1) for at in range(last, len(content)) if IS_KEPT[content[at]]]
    yield from ((places[start][0], places[end - 1][1]) for start, end in hits)


def _merged(spots: Iterable[Spot]) -> list[Spot]:
    merged: list[Spot] = []
    for start, end in sorted(spots):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _masked(content: bytes, spots: Iterable[Spot]) -> bytes:
    parts, last = [], 0
    for start, end in spots:
        parts += [content[last:start], MASK.encode()]
        last = end
    return b"".join([*parts, content[last:]])


def _each(value: Any, clean: Any) -> Any:
    match value:
        case str():
            # An enumeration's word is jam's own.
            return clean(value) if type(value) is str else value
        case Mapping():
            return {_each(name, clean): _each(one, clean) for name, one in value.items()}
        case tuple() | list():
            return type(value)(_each(one, clean) for one in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            named = {one.name: getattr(value, one.name) for one in fields(value)}
            return replace(value, **{name: _each(one, clean) for name, one in named.items()})
        case _:
            return value
