"""
Gates whose report lies where the code under test can write, too: a file, or what is printed.

Decides what it takes to believe one. jam's own reporters are not among them: what they said cannot
be taken back, and code that is tested is caught there by identity and by all sensitivity checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.core.parts import CheckFact, Colour
from bot.core.session import Session
from bot.core.steps import PROBES


def gates(session: Session) -> tuple[str, ...]:
    """Those that were red, and report where the code under test can write, too."""
    reds = [g for run in session.preflights for g in run.gates if g.colour is Colour.RED]
    return tuple(sorted({gate.gate for gate in reds if gate.report.is_written}))


def unanswered(session: Session, results: Mapping[str, str]) -> str:
    """
    A report that code under test can write is believed only where checks really told: a test that
    always fails was told to fail, and either the broken change was noticed or the targets pass
    under other names. Where only an exit code is told, the broken change has to be noticed. And no
    report is believed that told nothing when the change was broken, if no other check told. Or ''.
    """
    blind = any(probe.blind for probe in session.probes)
    if blind and not any(results.get(name) == "passed" for name in PROBES):
        return "sabotage"
    reports = {g.gate: g.report for run in session.preflights for g in run.gates}
    written = [reports[name] for name in gates(session)]
    if any(report.has_ids for report in written):
        if results.get("twin") != "passed":
            return "twin"
        return "" if "passed" in (results.get("sabotage"), results.get("renamed")) else "sabotage"
    return "sabotage" if written and results.get("sabotage") != "passed" else ""


def doubt(session: Session, checks: Iterable[CheckFact]) -> str:
    """Why such a report is not believed. Or ''."""
    by_name = {check.name: check for check in checks}
    name = unanswered(session, {check.name: check.result for check in by_name.values()})
    if not name or by_name["neutrality"].result != "passed":
        return ""
    told = ", ".join(gates(session))
    if not told:
        return f"no check could tell whether the tests would notice ({by_name[name].why})"
    return (
        f"the report of {told} is written where the tested code can write, and the check {name} "
        f"could not tell whether it did ({by_name[name].why})"
    )


def caveats(session: Session) -> Iterator[str]:
    if told := gates(session):
        yield f"The report of {', '.join(told)} comes from where the tested code can write."
