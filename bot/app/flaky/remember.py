"""
Reads what CI left of earlier runs, and writes it so: a folder of JUnit files, laid out as artifacts
are downloaded.

``DIR/COMMIT/JOB/ATTEMPT/….xml``: the first folder is the commit, the next the job with its matrix,
the next the attempt; a level that is not there is taken as the same for all. This is what a
workflow gets that downloads artifacts by run, and the only thing that two attempts have to tell
apart is their folder or their file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element, SubElement, tostring

from bot.core.contract import Dialect, Gate
from bot.core.flaky.history import Attempt
from bot.core.report import Mark, Report
from bot.oracles import PARSERS, Raw

NOT_XML = re.compile("[^\t\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
FOLDER = 80
GATE = Gate(run="history", report=Dialect.JUNIT, report_file="history.xml")


def attempts(files: Mapping[PurePosixPath, bytes]) -> tuple[tuple[Attempt, ...], tuple[str, ...]]:
    """And the files that cannot be read, with why."""
    found: list[Attempt] = []
    refused: list[str] = []
    for path, content in sorted(files.items()):
        raw = Raw(exit_code=0, output="", recording=b"", report_file=content, gate=GATE)
        reading = PARSERS[Dialect.JUNIT](raw)
        if not isinstance(reading, Report):
            refused.append(f"{path}: {reading.reason}")
        elif len(path.parts) < 2:
            refused.append(f"{path}: it lies in no folder that names its commit")
        else:
            found.append(_attempt(path, reading))
    return tuple(found), tuple(refused)


def files(known: Iterable[Attempt]) -> Mapping[PurePosixPath, bytes]:
    """What ``attempts`` reads as these, as far as they say what was run again."""
    return {
        PurePosixPath(one.commit, _folder(one.job), f"{_folder(one.attempt)}.xml"): _xml(one)
        for one in known
    }


def _folder(name: str) -> str:
    return re.sub(r"[^\w .()+-]", "-", name).strip(" .")[:FOLDER] or "job"


def _xml(attempt: Attempt) -> bytes:
    suite = Element("testsuite")
    for test in sorted(attempt.again):
        SubElement(SubElement(suite, "testcase", name=NOT_XML.sub("", test)), "rerunFailure")
    written: bytes = tostring(suite, encoding="utf-8")
    return written


def _attempt(path: PurePosixPath, report: Report) -> Attempt:
    commit, *folders = path.parts[:-1]
    return Attempt(
        commit=commit,
        job="".join(folders[:1]),
        attempt="/".join((*folders[1:], path.name)),
        passed=report.ids(Mark.PASSED),
        failed=report.ids(Mark.FAILED, Mark.ERRORED),
        again=frozenset(case.id for case in report.cases if case.doubled),
    )
