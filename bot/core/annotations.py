"""
Failing tests as notes beside the code, in the portions that GitHub takes.

The place is what the report says: the file of the id, and the last line of that file that the
message names. A test whose file is not known gets no note rather than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.core.report import SEVERITY, Mark, Report
from bot.core.visible import bound, one_line, see

AT_ONCE = 50
MANY = 200
MESSAGE_BYTES = 60_000
TITLE = 250
_BAD = (Mark.FAILED, Mark.ERRORED)


@dataclass(frozen=True, slots=True)
class Annotation:
    path: str
    line: int
    title: str
    message: str


def annotate(report: Report, *, files: Collection[str]) -> tuple[Annotation, ...]:
    """``files``: the paths of the tree that was judged."""
    bad = sorted(
        (case for case in report.cases if case.mark in _BAD),
        key=lambda case: (SEVERITY[case.mark], case.id),
    )
    told = [_annotation(case.id, case.message, files) for case in bad]
    told += [_annotation(one.path, one.message, files) for one in report.uncollectable]
    return tuple(note for note in told if note is not None)[:MANY]


def batches(notes: Sequence[Annotation]) -> tuple[tuple[Annotation, ...], ...]:
    """Each request adds its portion to those before."""
    starts = range(0, len(notes), AT_ONCE)
    return tuple(tuple(notes[start : start + AT_ONCE]) for start in starts)


def _annotation(test: str, message: str, files: Collection[str]) -> Annotation | None:
    path = test.partition("::")[0]
    if path not in files:
        return None
    lines = re.findall(rf"(?m)^\s*{re.escape(path)}:([0-9]{{1,7}})\b", message)
    said = _bytes(bound(see(message).text.strip(), MESSAGE_BYTES, tail=1))
    return Annotation(
        path=path,
        line=max(int(lines[-1]), 1) if lines else 1,
        title=one_line(test, TITLE),
        message=said or "It failed without a word.",
    )


def _bytes(text: str) -> str:
    """The end of ``text`` that fits."""
    return text.encode()[-MESSAGE_BYTES:].decode(errors="ignore")
