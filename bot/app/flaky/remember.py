"""
Reads what CI left of earlier runs: a folder of JUnit files, laid out as artifacts are downloaded.

``DIR/COMMIT/JOB/ATTEMPT/….xml``: the first folder is the commit, the next the job with its matrix,
the next the attempt; a level that is not there is taken as the same for all. This is what a
workflow gets that downloads artifacts by run, and the only thing that two attempts have to tell
apart is their folder or their file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from bot.core.contract import Dialect, Gate
from bot.core.flaky.history import Attempt
from bot.core.report import Mark, Report
from bot.oracles import PARSERS, Raw

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
