"""
Brings a change to its review: the files that differ, as they were and as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.core.parts import Remark
from bot.core.review import held, review
from bot.core.review.edited import LARGEST, Edited
from bot.core.surface_names import is_test_file
from bot.core.tree import FileChange
from bot.ports import Workcopy

FILES = 200
BYTES = 8 << 20
"""Of all files together; what is over is told as not looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    workcopy: Workcopy

    def remarks(self, ground: str, tree: str, *, targets: Iterable[str]) -> tuple[Remark, ...]:
        targets = tuple(targets)
        changes = self.workcopy.changes(ground, tree)
        edits = tuple(self._edits(changes, ground, tree))
        tests = self._tests(ground, targets)
        found = (*review(edits, tests=tests, targets=targets), *self._data(edits, tree, tests))
        left = [change.path for change in changes[len(edits) :]]
        if not left:
            return found
        what = f"this and {len(left) - 1} more changed files were not looked into"
        return (*found, Remark(path=left[0], line=0, what=what))

    def _edits(self, changes: Iterable[FileChange], ground: str, tree: str) -> Iterator[Edited]:
        room = BYTES
        for place, change in enumerate(changes):
            if place == FILES or room <= 0:
                return
            before = self.workcopy.read(ground, change.path) if change.old_mode else None
            after = self.workcopy.read(tree, change.path) if change.new_mode else None
            room -= sum(min(len(content or b""), LARGEST) for content in (before, after))
            yield Edited(
                path=change.path,
                before=before,
                after=after,
                old_mode=change.old_mode,
                new_mode=change.new_mode,
            )

    def _data(
        self, edits: Iterable[Edited], tree: str, tests: Mapping[str, bytes]
    ) -> Iterator[Remark]:
        """Frozen data has been set back before; this is what lies elsewhere."""
        folders = {folder for path in tests for folder in _above(path)}
        starts = {
            f"{folder}conftest.py": self._text(tree, f"{folder}conftest.py") for folder in folders
        }
        texts = [*(text.decode(errors="replace") for text in tests.values()), *starts.values()]
        for edit in edits:
            if held.only_of_tests(edit.path, texts, self._product(tree, {*tests, *starts})):
                yield Remark(path=edit.path, line=0, what=held.READ_BY_TESTS, blocks=True)

    def _product(self, tree: str, tests: Collection[str]) -> Iterator[str]:
        """The text of all code that is not a test's, as it is asked for."""
        for path in self.workcopy.entries(tree):
            if held.CODE.fullmatch(path) and not is_test_file(path) and path not in tests:
                yield self._text(tree, path)

    def _text(self, tree: str, path: str) -> str:
        return (self.workcopy.read(tree, path) or b"").decode(errors="replace")

    def _tests(self, ground: str, targets: Iterable[str]) -> Mapping[str, bytes]:
        """The files of the targets, whether their ids are pytest's or dotted names."""
        entries = self.workcopy.entries(ground)
        names = {path for target in targets for path in _files(target) if path in entries}
        return {name: self.workcopy.read(ground, name) or b"" for name in sorted(names)}


def _above(path: str) -> Iterator[str]:
    """The folders of a path, each with its stroke, and the root as ''."""
    parts = path.split("/")[:-1]
    yield from ("".join(f"{part}/" for part in parts[:end]) for end in range(len(parts) + 1))


def _files(target: str) -> Iterator[str]:
    yield target.partition("::")[0]
    parts = target.split(".")
    for end in range(1, len(parts)):
        yield "/".join(parts[:end]) + ".py"
