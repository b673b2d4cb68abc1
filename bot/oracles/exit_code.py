"""The exit code alone: one case that bears the gate's name."""

from __future__ import annotations

from bot.core.report import Case, Mark, Reading, Report, Unreadable
from bot.oracles.raw import MESSAGE, SIGNALS, Raw, not_judged


def read_exit(raw: Raw) -> Reading:
    if problem := not_judged(raw):
        return problem
    if raw.exit_code in SIGNALS:
        return Unreadable(f"a signal ended the command (exit {raw.exit_code})", cut=True)
    if raw.exit_code == 0:
        return Report(cases=(Case(raw.gate.name, Mark.PASSED),))
    message = f"exit {raw.exit_code}\n{raw.output}"[-MESSAGE:]
    return Report(cases=(Case(raw.gate.name, Mark.FAILED, message),))
