"""
YAML into plain values that remember where they stood.

Less than YAML on purpose: no aliases, tags, merge keys or second documents, every key is text,
only ``true`` and ``false`` are booleans (so ``on``, ``off``, ``yes`` and ``12:30`` are what they
look like), and no key is said twice. What is refused is told in one sentence with its place. It
knows no key of any file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import yaml

MAX_BYTES = 256 << 10
MAX_DEPTH = 12

Path: TypeAlias = tuple[str | int, ...]
Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"


@dataclass(frozen=True, slots=True)
class Place:
    """Counted from 1, as editors do."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Slip:
    """Something that cannot be read, and where."""

    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class Page:
    """``places``: where each path's key stands (its value, inside a list)."""

    value: Value = None
    places: Mapping[Path, Place] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()


def read(content: bytes | str) -> Page:
    """A page with slips holds what could be read besides them."""
    size = len(content) if isinstance(content, bytes) else len(content.encode(errors="replace"))
    if size > MAX_BYTES:
        return _unreadable(Place(), f"the file has {size} bytes, more than {MAX_BYTES}")
    try:
        text = content.decode() if isinstance(content, bytes) else content
    except UnicodeDecodeError as odd:
        return _unreadable(_place_of(odd), f"byte 0x{odd.object[odd.start]:02x} is not UTF-8")
    reader = _Reader()
    try:
        text = _spaced(text.removeprefix("\ufeff"))
        reader.document(yaml.parse(text, Loader=yaml.SafeLoader))
    except _TooDeep as deep:
        return _unreadable(deep.place, f"nested more than {MAX_DEPTH} deep")
    except yaml.MarkedYAMLError as broken:
        return _unreadable(_mark(broken.problem_mark or broken.context_mark), _plainly(broken))
    except yaml.reader.ReaderError as odd:
        why = f"character U+{odd.character:04X} is not allowed"
        return _unreadable(_end_of(text[: odd.position]), why)
    return Page(reader.value, reader.places, tuple(reader.slips))


def _spaced(text: str) -> str:
    """JSON may be indented with tabs, and holds none elsewhere; YAML's may not."""
    if "\t" not in text or not text.lstrip().startswith("{"):
        return text
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text.replace("\t", " ")


def _unreadable(place: Place, why: str) -> Page:
    return Page(slips=(Slip(place, why),))


def _place_of(odd: UnicodeDecodeError) -> Place:
    return _end_of(odd.object[: odd.start].decode(errors="replace"))


def _end_of(before: str) -> Place:
    return Place(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


class _Mark(Protocol):
    line: int
    column: int


def _mark(mark: _Mark | None) -> Place:
    return Place(mark.line + 1, mark.column + 1) if mark else Place()


def _plainly(broken: yaml.MarkedYAMLError) -> str:
    problem = broken.problem or "this is not YAML"
    if "'\\t'" in problem:
        return "a tab stands here; YAML indents with spaces only"
    return f"this is not YAML: {problem}"


class _TooDeep(Exception):
    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place


# YAML 1.2's core schema: what looks like text is text.
SCALARS: tuple[tuple[re.Pattern[str], Callable[[str], Value]], ...] = (
    (re.compile(r"~|null|Null|NULL|"), lambda _: None),
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]{1,18}"), int),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)([eE][-+]?[0-9]{1,3})?"), float),
)


def scalar(text: str) -> Value:
    """What a plain (unquoted) scalar means."""
    return next((mean(text) for look, mean in SCALARS if look.fullmatch(text)), text)


class _Reader:
    """Walks the parser's events, which never nest, so that no input can exhaust the stack."""

    def __init__(self) -> None:
        self.value: Value = None
        self.places: dict[Path, Place] = {}
        self.slips: list[Slip] = []

    def document(self, events: Iterator[yaml.Event]) -> None:
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._slip(event, "a second document begins here; only one is read")
                    return
            elif isinstance(event, yaml.NodeEvent):
                self.value = self._node(event, events, ())

    def _slip(self, event: yaml.Event, why: str) -> None:
        self.slips.append(Slip(_mark(event.start_mark), why))

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], path: Path) -> Value:
        self.places.setdefault(path, _mark(event.start_mark))
        self._refuse_cleverness(event)
        if isinstance(event, yaml.CollectionStartEvent) and len(path) >= MAX_DEPTH:
            raise _TooDeep(_mark(event.start_mark))
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, path)
        if isinstance(event, yaml.ScalarEvent):
            return scalar(event.value) if event.implicit[0] else self._text(event)
        return None

    def _text(self, event: yaml.ScalarEvent) -> str:
        """JSON escapes what lies beyond U+FFFF as two surrogates, which only mean it together."""
        try:
            return str(event.value).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            self._slip(event, "half of a surrogate pair stands here")
            return ""

    def _refuse_cleverness(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._slip(event, f"aliases are not read (*{event.anchor}); write the value out")
        elif isinstance(event, yaml.NodeEvent) and event.anchor:
            self._slip(event, f"anchors are not read (&{event.anchor}); write the value out")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            self._slip(event, f"tags are not read ({event.tag}); leave it out")

    def _sequence(self, events: Iterator[yaml.Event], path: Path) -> Value:
        items: list[Value] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._node(event, events, (*path, len(items))))
        return items

    def _mapping(self, events: Iterator[yaml.Event], path: Path) -> Value:
        entries: dict[str, Value] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, events, path, known=entries)
            value = self._node(next(events), events, (*path, key))
            entries.setdefault(key, value)
        return entries

    def _key(
        self,
        event: yaml.Event,
        events: Iterator[yaml.Event],
        path: Path,
        *,
        known: Mapping[str, Value],
    ) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self._node(event, events, (*path, "?"))
            self._slip(event, "a key must be text")
            return "?"
        self._refuse_cleverness(event)
        key = self._text(event)
        if key == "<<" and event.implicit[0]:
            self._slip(event, "merge keys are not read (<<); write the keys out")
        elif key in known:
            first = self.places[(*path, key)].line
            self._slip(event, f"{key!r} is said twice; first on line {first}")
        self.places.setdefault((*path, key), _mark(event.start_mark))
        return key
