"""One suite of tests, as a finder recognised it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.contract import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    run: str
    report: Dialect
    because: str  # what gave it away, for the person who reads the file
    frozen: tuple[str, ...] = ()
    setup: str = ""
    report_file: str = ""
    called_in_ci: tuple[str, ...] = ()  # expressions: a job that says one runs it
