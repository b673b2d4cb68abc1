"""
A review of the change itself, for the person who reads it.

Says what is odd in a diff, with file and line; never that anything is right. The few patterns with
no honest use in a repair block: what was called verified then needs a person. All else is only
shown first. Whatever the change holds, the review ends, and soon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.core.parts import Remark
from bot.core.review import held, letters, lines, literals, python
from bot.core.review.edited import Edited, Finding, Fresh, fresh_lines
from bot.core.surface_names import is_test_file

MOST = 40
"""Remarks that are kept; those that block come first."""
DOCUMENTS = (".md", ".rst", ".txt", ".adoc")
LONG = 3_000
"""Lines that nobody reads."""


def review(
    edits: Iterable[Edited], *, tests: Mapping[str, bytes], targets: Iterable[str]
) -> tuple[Remark, ...]:
    """``tests``: the files of the targets, whose literals a change should not know."""
    targets = tuple(targets)
    known = literals.of_targets(tests, targets)
    found = {
        Remark(path=edit.path, line=one.line, what=one.what, blocks=one.blocks)
        for edit in edits
        for one in (*_of_one(edit, known), *held.findings(edit, targets))
    }
    inorder = sorted(found, key=lambda r: (not r.blocks, r.path, r.line, r.what))
    return tuple(inorder[:MOST])


def _of_one(edit: Edited, known: frozenset[object]) -> Iterator[Finding]:
    yield from _of_file(edit)
    if edit.after is None or edit.new_mode in ("120000", "160000"):
        return
    text = edit.text
    if text is None:
        if edit.after != edit.before:
            yield Finding(0, "is binary or very long: a diff shows nothing of it")
        return
    fresh = fresh_lines(edit.old_text, text)
    if len(fresh.lines) > LONG:
        yield Finding(0, f"adds {len(fresh.lines):,} lines, more than anybody reads")
    yield from letters.findings(text, fresh)
    if edit.path.casefold().endswith(DOCUMENTS):
        return
    yield from lines.suppressions(edit.old_text, text)
    yield from _of_code(edit, text, fresh, known)


def _of_code(edit: Edited, text: str, fresh: Fresh, known: frozenset[object]) -> Iterator[Finding]:
    if not edit.path.endswith((".py", ".pyi", ".pyw")):
        yield from lines.findings(edit.path, edit.old_text, text, fresh)
        return
    found = python.findings(edit.before or b"", edit.after or b"", fresh)
    if is_test_file(edit.path):
        # Tests may know their framework; what is odd in a product is odd in them, too.
        yield from (
            Finding(one.line, one.what) for one in found if one.blocks and not _is_of_tests(one)
        )
        return
    yield from found
    yield from literals.findings(edit.before or b"", edit.after or b"", fresh, known)


def _is_of_tests(found: Finding) -> bool:
    return "test framework" in found.what or "SkipTest" in found.what


def of_tests(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Of tests that come with a change: the gravest only, and they hold nothing up."""
    return tuple(
        remark.model_copy(update={"blocks": False})
        for remark in remarks
        if (remark.blocks or is_test_file(remark.path)) and "test framework" not in remark.what
    )


def _of_file(edit: Edited) -> Iterator[Finding]:
    if edit.new_mode == "120000":
        yield Finding(0, "is a link: what it shows is elsewhere")
    elif edit.new_mode == "160000":
        yield Finding(0, "is another repository: its content is not in this change")
    elif edit.old_mode and edit.new_mode and edit.old_mode != edit.new_mode:
        yield Finding(0, f"its mode changes from {edit.old_mode} to {edit.new_mode}")
    yield from letters.of_name(edit.path)
    yield from lines.of_place(edit)
