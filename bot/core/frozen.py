"""
What of a change is turned back before it is judged.

Decides which patterns a contract may freeze, and, for two trees, which entries come back and which
go. What *is* held, beside the contract's own words, is found by ``bot.core.surface``; nothing is
read or written here.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.core.tree import TreeEntry
from bot.errors import SpecError

_INVALID = "spec.frozen_path_invalid"
_MISSING = "spec.frozen_missing"
_LINK = "120000"
_SUBMODULE = "160000"


class Hold(StrEnum):
    """Why a path is read-only."""

    FROZEN = "frozen"  # tests and their data, by the contract or because the targets live there
    SURFACE = "surface"  # decides what the oracle means: configuration, collection, start-up


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of ``frozen:``. A folder is a closed set: what is new below it is an intruder."""

    text: str
    matches: re.Pattern[str]
    folder: str = ""  # set where the pattern is a folder by its plain name

    def holds(self, path: str) -> bool:
        return self.matches.fullmatch(path) is not None


def agree(texts: Iterable[str], base: Mapping[str, TreeEntry]) -> tuple[Pattern, ...]:
    """The contract's patterns, each of which holds something of ``base``. Raises ``SpecError``."""
    return tuple(_agree(text, base) for text in texts)


def _agree(text: str, base: Mapping[str, TreeEntry]) -> Pattern:
    plain = _plain(text)
    _demand_no_detour(text, plain, base)
    is_folder = _is_folder(plain, base)
    pattern = Pattern(
        text,
        re.compile(_regex(plain, folder=is_folder), re.DOTALL),
        folder=plain.rstrip("/") if is_folder and not set("*?[") & set(plain) else "",
    )
    if not any(pattern.holds(path) for path in base):
        near = difflib.get_close_matches(plain.rstrip("/"), _names(base), n=1, cutoff=0.6)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise SpecError(_MISSING, f"frozen: {text!r} matches nothing in the base{hint}")
    return pattern


def _plain(text: str) -> str:
    """The pattern without ``./`` and doubled slashes. Raises for what cannot be meant."""
    if text.startswith(("/", "~")) or re.match(r"[A-Za-z]:", text):
        raise _invalid(text, "is absolute; paths are relative to the repository's root")
    if "\\" in text or any(ord(letter) < 32 for letter in text):
        raise _invalid(text, "has a backslash or a control character in it")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise _invalid(text, "leaves the repository")
    if not parts or all(part in ("*", "**") for part in parts):
        raise _invalid(text, "would freeze everything; name the tests" if parts else "is empty")
    if ".git" in (part.casefold() for part in parts):
        raise _invalid(text, "is git's own")
    return "/".join(parts) + ("/" if text.endswith("/") else "")


def _invalid(text: str, why: str) -> SpecError:
    return SpecError(_INVALID, f"frozen: {text!r} {why}")


def _demand_no_detour(text: str, plain: str, base: Mapping[str, TreeEntry]) -> None:
    """A link or a submodule on the way would freeze a name and not what is behind it."""
    parts = plain.rstrip("/").split("/")
    for end in range(1, len(parts) + 1):
        entry = base.get("/".join(parts[:end]))
        if entry is None or entry.mode not in (_LINK, _SUBMODULE):
            continue
        what = "a link" if entry.mode == _LINK else "a submodule"
        raise _invalid(text, f"goes through {what} ({entry.path}); name what is behind it")


def _is_folder(plain: str, base: Mapping[str, TreeEntry]) -> bool:
    if plain.endswith("/"):
        return True
    return plain not in base and any(path.startswith(plain + "/") for path in base)


def _names(base: Mapping[str, TreeEntry]) -> list[str]:
    return [*base, *folders_of(base)]


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """Every folder above these, without a slash at the end; the root is ''."""
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _regex(plain: str, *, folder: bool) -> str:
    """``*`` and ``?`` stay within a name, ``**`` crosses folders, ``[...]`` is one character."""
    out = []
    place = 0
    body = plain.rstrip("/")
    while place < len(body):
        piece, length = _piece(body, place)
        out.append(piece)
        place += length
    return "".join(out) + ("/.*" if folder else "")


def _piece(body: str, place: int) -> tuple[str, int]:
    if body.startswith("**/", place):
        return "(?:.*/)?", 3
    if body.startswith("**", place):
        return ".*", 2
    if body[place] == "*":
        return "[^/]*", 1
    if body[place] == "?":
        return "[^/]", 1
    if body[place] == "[" and (end := body.find("]", place + 2)) > 0:
        inside = body[place + 1 : end].replace("!", "^", 1) if body[place + 1] == "!" else None
        return f"[{inside or body[place + 1 : end]}]", end + 1 - place
    return re.escape(body[place]), 1


def fold(path: str) -> str:
    """How a system that does not tell case or composition apart would name it."""
    return unicodedata.normalize("NFC", path).casefold()


class NewNames(Protocol):
    """Names that a new file may not have."""

    def hold(self, path: str) -> Hold | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """
    What may not change. ``held``: files of the base, by path. ``closed``: folders in which new
    files are intruders. ``patterns`` hold new paths too. ``new``: why a path that is not of the
    base would be held, by its name.
    """

    held: Mapping[str, Hold]
    closed: frozenset[str] = frozenset()
    patterns: tuple[Pattern, ...] = ()
    base_folders: frozenset[str] = frozenset()
    base: frozenset[str] = frozenset()
    new: NewNames | None = None
    _held_folded: frozenset[str] = field(default=frozenset())
    _closed_folded: frozenset[str] = field(default=frozenset())

    def hold(self, path: str) -> Hold | None:
        """Why ``path`` may not be changed, made or removed; None where it may."""
        if path in self.base:
            return self.held.get(path)
        return self._hold_new(path)

    def _hold_new(self, path: str) -> Hold | None:
        if self.new is not None and (why := self.new.hold(path)):
            return why
        if any(pattern.holds(path) for pattern in self.patterns) or self._in_closed(path):
            return Hold.FROZEN
        return None

    def _in_closed(self, path: str) -> bool:
        folder = path
        while folder := folder.rpartition("/")[0]:
            if folder in self.closed:
                return True
            if folder not in self.base_folders and fold(folder) in self._closed_folded:
                return True
        return fold(path) in self._held_folded


def rules(
    base: Mapping[str, TreeEntry],
    *,
    held: Mapping[str, Hold],
    closed: Iterable[str] = (),
    patterns: tuple[Pattern, ...] = (),
    new: NewNames | None = None,
) -> Rules:
    closed = frozenset(closed) | {pattern.folder for pattern in patterns if pattern.folder}
    by_pattern = {
        path: Hold.FROZEN for path in base if any(pattern.holds(path) for pattern in patterns)
    }
    everything = {**by_pattern, **held}
    return Rules(
        held=everything,
        closed=closed,
        patterns=patterns,
        base_folders=folders_of(base),
        base=frozenset(base),
        new=new,
        _held_folded=frozenset(map(fold, everything)),
        _closed_folded=frozenset(map(fold, closed)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """
    What makes a candidate of a tree. ``restored``: paths of the base that differed or were gone.
    ``intruders``: new paths that may not be. ``surface``: which of both are surface.
    """

    put: tuple[TreeEntry, ...] = ()
    drop: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    intruders: tuple[str, ...] = ()
    surface: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        return not self.put and not self.drop


def plan(base: Mapping[str, TreeEntry], tree: Mapping[str, TreeEntry], rules: Rules) -> Restoration:
    """What has to come back, and what has to go, for ``tree`` to be judged by ``base``'s oracle."""
    put = tuple(base[path] for path in sorted(rules.held) if tree.get(path) != base[path])
    held = {path: why for path in tree if path not in base and (why := rules.hold(path))}
    blocking = _in_the_way(put, tree)
    intruders = sorted(held)
    restored = tuple(entry.path for entry in put)
    surface = [path for path in intruders if held[path] is Hold.SURFACE]
    surface += [path for path in restored if rules.held[path] is Hold.SURFACE]
    return Restoration(
        put=put,
        drop=tuple(sorted({*held, *blocking})),
        restored=restored,
        intruders=tuple(intruders),
        surface=tuple(sorted(surface)),
    )


def _in_the_way(put: tuple[TreeEntry, ...], tree: Mapping[str, TreeEntry]) -> set[str]:
    """Files and links where a folder has to be, and whole folders where a file has to be."""
    names = {entry.path for entry in put}
    above = folders_of(names) - {""}
    found = {path for path in above if path in tree}
    if names:
        found |= {path for path in tree if folders_of([path]) & names}
    return found
