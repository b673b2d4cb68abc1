"""
The check *sabotage*: what was changed is made to raise, and the targets must notice.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.app.trying import Aim, Trier
from bot.core.sensitivity.braces import break_functions, language_of
from bot.core.sensitivity.sabotage import Depth, Sabotaged, sabotage
from bot.core.sensitivity.sighting import Sighting, Word, of_sabotage
from bot.core.sensitivity.spoiled import spoil
from bot.core.tree import FileChange, TreeEntry
from bot.ports import Workcopy

NAMED = 4  # functions in a sentence
REGULAR = ("100644", "100755")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Broken:
    """A candidate with its change broken."""

    tree: str
    what: tuple[str, ...]  # that raises
    turned: int  # places turned back


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """``ground`` and ``tree``: without and with the change."""

    trier: Trier
    workcopy: Workcopy
    ground: str
    tree: str

    def check(self, aims: Sequence[Aim]) -> Word:
        marker = f"Jam{secrets.token_hex(6)}"
        tried: set[str] = {self.tree, self.ground}
        why = "the change has nothing that could be made to raise; without it the tree is the base"
        last = ""
        unspecific = [aim.gate.name for aim in aims if not aim.gate.report.has_ids]
        for depth in Depth:
            broken = self._break(marker, depth)
            if broken.tree in tried:
                continue
            tried.add(broken.tree)
            seen = {aim.gate.name: self._run(broken.tree, aim) for aim in aims}
            targets = {aim.gate.name: aim.targets for aim in aims}
            last = self._named(broken)
            word = of_sabotage(
                seen, targets, marker, turned=broken.turned > 0, only_output=unspecific
            )
            if word is not None:
                return Word(word.result, f"{last}: {word.why}", word.blind)
        if not last:
            return self._spoiled(marker, aims, unspecific) or Word("not applicable", why)
        return Word(
            "failed",
            f"the targets pass although what was changed is broken ({last}): they do not test it",
        )

    def _spoiled(self, marker: str, aims: Sequence[Aim], unspecific: Sequence[str]) -> Word | None:
        """Nothing else could be broken: whole files are. None where those cannot be, either."""
        contents = {
            change.path: spoiled
            for change in self.workcopy.changes(self.ground, self.tree)
            if change.new_mode in REGULAR
            and (new := self.workcopy.read(self.tree, change.path)) is not None
            and (spoiled := spoil(change.path, new, marker=marker)) is not None
        }
        if not contents:
            return None
        tree = self._put(self.tree, contents)
        seen = {aim.gate.name: self._run(tree, aim) for aim in aims}
        targets = {aim.gate.name: aim.targets for aim in aims}
        word = of_sabotage(seen, targets, marker, turned=False, only_output=unspecific)
        what = f"{', '.join(sorted(contents)[:NAMED])} made to raise at the end"
        if word is None:
            why = f"the targets pass although the change cannot be loaded ({what})"
            return Word("failed", why)
        return Word(word.result, f"{what}: {word.why}", word.blind)

    def _run(self, tree: str, aim: Aim) -> Sighting:
        return self.trier.run(tree, aim, aim.targets)

    def _named(self, broken: _Broken) -> str:
        few = ", ".join(broken.what[:NAMED])
        more = f" and {len(broken.what) - NAMED} more" if len(broken.what) > NAMED else ""
        places = "place" if broken.turned == 1 else "places"
        turned = f"{broken.turned} {places} turned back" if broken.turned else ""
        made = f"{few}{more} made to raise" if few else ""
        return ", ".join(filter(None, (made, turned)))

    def _break(self, marker: str, depth: Depth) -> _Broken:
        contents: dict[str, bytes] = {}
        what: list[str] = []
        turned = 0
        rest: list[FileChange] = []
        for change in self.workcopy.changes(self.ground, self.tree):
            result = self._sabotaged(change, marker, depth)
            if result is None:
                rest.append(change)
            else:
                contents[change.path] = result.content
                what += result.what
                turned += result.turned
        rest = rest if depth is Depth.ALL else []
        tree = self._put(self._turned_back(rest), contents)
        return _Broken(tree=tree, what=tuple(what), turned=turned + len(rest))

    def _sabotaged(self, change: FileChange, marker: str, depth: Depth) -> Sabotaged | None:
        if change.new_mode not in REGULAR:
            return None
        old = self.workcopy.read(self.ground, change.path) if change.old_mode in REGULAR else b""
        new = self.workcopy.read(self.tree, change.path) or b""
        if change.path.endswith(".py"):
            result = sabotage(old or b"", new, marker=marker, depth=depth)
        elif language := language_of(change.path):
            result = break_functions(old or b"", new, language, marker=marker)
        else:
            return None
        return result if isinstance(result, Sabotaged) else None

    def _turned_back(self, changes: Sequence[FileChange]) -> str:
        if not changes:
            return self.tree
        before = self.workcopy.entries(self.ground)
        put = [before[c.path] for c in changes if c.path in before]
        drop = [c.path for c in changes if c.path not in before]
        return self.workcopy.compose(self.tree, put=put, drop=drop)

    def _put(self, tree: str, contents: Mapping[str, bytes]) -> str:
        if not contents:
            return tree
        modes = {path: entry.mode for path, entry in self.workcopy.entries(tree).items()}
        put = [TreeEntry(p, modes[p], self.workcopy.write(c)) for p, c in contents.items()]
        return self.workcopy.compose(tree, put=put, drop=())
