"""
Does a new test show the issue? Red alone is not enough: it must be red for the issue's reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.core.report import Mark, Reading, Report

_ASSERTION = re.compile(r"\bassert(ion)?\b|AssertionError|DID NOT (RAISE|WARN)", re.IGNORECASE)
_EXCEPTION = re.compile(r"\b[A-Za-z_][A-Za-z0-9_.]*(?:Error|Exception|Warning|Exit)\b")


def shows(readings: Iterable[Reading], *, known: frozenset[str], objective: str) -> bool:
    """
    Some test that the base does not have fails in the call phase, by an assertion or by an
    exception that the objective names; and no new test fails in any other way.
    """
    reported = {word.rpartition(".")[2] for word in _EXCEPTION.findall(objective)}
    new = [
        case
        for reading in readings
        if isinstance(reading, Report)
        for case in reading.cases
        if case.id not in known and case.mark in (Mark.FAILED, Mark.ERRORED)
    ]
    return bool(new) and all(
        case.mark is Mark.FAILED and _is_for_the_reason(case.message, reported) for case in new
    )


def _is_for_the_reason(message: str, reported: set[str]) -> bool:
    raised = {word.rpartition(".")[2] for word in _EXCEPTION.findall(message)}
    return bool(_ASSERTION.search(message)) or bool(raised & reported)
