"""
One run under a condition, from what the gate left behind.

A report that no verdict could rest on makes an invalid run. Skipped and expectedly failing tests
have neither passed nor failed.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.flaky.condition import Condition
from bot.core.flaky.runs import Leaked, Run
from bot.core.flaky.signature import signature_of, signature_of_text
from bot.core.report import Mark, Report, Unreadable
from bot.oracles import PARSERS
from bot.oracles.lines import Malformed, Session, read_sessions
from bot.oracles.raw import Raw

TEXT = 2000
BAD = (Mark.FAILED, Mark.ERRORED)


def read_run(raw: Raw, condition: Condition, *, number: int, seconds: float, load: float) -> Run:
    reading = PARSERS[raw.gate.report](raw)
    facts = {"number": number, "seconds": round(seconds, 3), "load_average": round(load, 2)}
    if isinstance(reading, Unreadable):
        return Run(condition=condition, failures={}, invalid=reading.reason, **facts)  # type: ignore[arg-type]
    if not reading.cases:
        broken = reading.uncollectable[0]
        why = f"{broken.path} cannot be collected: {_last(broken.message)}"
        return Run(condition=condition, failures={}, invalid=why, **facts)  # type: ignore[arg-type]
    return _run(reading, _sessions(raw), condition, facts)


def _run(
    report: Report, sessions: Sequence[Session], condition: Condition, facts: dict[str, float]
) -> Run:
    raised = {
        one.id: signature_of(one.kind, one.message, one.place)
        for session in sessions
        for one in reversed(session.raised)  # the first one stays
    }
    failed = [case for case in report.cases if case.mark in BAD]
    return Run(
        condition=condition,
        passed=report.ids(Mark.PASSED),
        failures={
            case.id: raised.get(case.id) or signature_of_text(case.message) for case in failed
        },
        order=tuple(name for session in sessions for name in session.ran)
        or tuple(case.id for case in report.cases),
        texts={case.id: case.message[-TEXT:] for case in failed},
        lasted={case.id: case.seconds for case in report.cases if case.seconds},
        leaked=tuple(
            Leaked(where=left.where, before=left.before, after=left.after, by=left.id)
            for session in sessions
            for left in session.left
        ),
        number=int(facts["number"]),
        seconds=facts["seconds"],
        load_average=facts["load_average"],
    )


def _sessions(raw: Raw) -> tuple[Session, ...]:
    try:
        return read_sessions(raw.recording) if raw.recording else ()
    except Malformed:
        return ()


def _last(text: str) -> str:
    return text.strip().rpartition("\n")[2][-200:]
