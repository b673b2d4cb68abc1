"""
What a check run says beside the code, in the portions that GitHub takes: tests that the change
fails, and what a person should look at first.

The place is what the report says: the file of the id, and the last line of that file that the
message names. A test whose file is not known gets no note rather than a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.core.parts import GateFact, Remark
from bot.core.report import SEVERITY, Mark, Report
from bot.core.session import Session
from bot.core.visible import bound, one_line, see

AT_ONCE = 50
MANY = 200
MESSAGE_BYTES = 60_000
TITLE = 250
_BAD = (Mark.FAILED, Mark.ERRORED)


class Level(StrEnum):
    """As GitHub calls them."""

    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    path: str
    line: int
    title: str
    message: str
    level: Level = Level.FAILURE


def judged(session: Session) -> tuple[GateFact, ...]:
    """The gates of the last run on the tree that the last word is about."""
    word = session.adjudicated
    runs = [run for run in session.adjudications if word and run.tree == word.tree]
    return runs[-1].gates if runs else ()


def held(gate: GateFact) -> frozenset[str]:
    """What is held against the change: what failed before as well is nobody's fault here."""
    return frozenset((*gate.lost, *gate.unmended, *gate.failing))


def annotate(
    report: Report, *, files: Collection[str], only: Collection[str] | None = None
) -> tuple[Annotation, ...]:
    """``files``: the paths of the tree that was judged. ``only``: these ids, and files whole."""
    bad = sorted(
        (case for case in report.cases if case.mark in _BAD and (only is None or case.id in only)),
        key=lambda case: (SEVERITY[case.mark], case.id),
    )
    told = [_annotation(case.id, case.message, files) for case in bad]
    told += [_annotation(one.path, one.message, files) for one in report.uncollectable]
    return tuple(note for note in told if note is not None)[:MANY]


def of_remarks(remarks: Iterable[Remark]) -> tuple[Annotation, ...]:
    """The words of the pull request's "look at this first", where they belong."""
    return tuple(
        Annotation(
            path=one.path,
            line=max(one.line, 1),
            title="Needs a person" if one.blocks else "Look at this first",
            message=one_line(one.what, MESSAGE_BYTES // 4),
            level=Level.FAILURE if one.blocks else Level.WARNING,
        )
        for one in remarks
    )[:MANY]


def paths(reports: Iterable[tuple[GateFact, Report]]) -> Iterator[str]:
    """Files that notes on these would stand in, if they are there."""
    for gate, report in reports:
        yield from (file_of(one) for one in sorted(held(gate)))
        yield from (one.path for one in report.uncollectable)


def batches(notes: Sequence[Annotation]) -> tuple[tuple[Annotation, ...], ...]:
    """Each request adds its portion to those before."""
    starts = range(0, len(notes), AT_ONCE)
    return tuple(tuple(notes[start : start + AT_ONCE]) for start in starts)


def file_of(test: str) -> str:
    return test.partition("::")[0]


def _annotation(test: str, message: str, files: Collection[str]) -> Annotation | None:
    path = file_of(test)
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
