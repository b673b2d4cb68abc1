"""
Sensitivity checks on a green candidate: would the oracle have noticed, had the change been wrong?
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.app.case import Case
from bot.app.court import Court
from bot.core.entries import Probed
from bot.core.session import Session
from bot.core.steps import Probe
from bot.ports import Evidence, Say, Workcopy


@dataclass(frozen=True, slots=True, kw_only=True)
class Prober:
    case: Case
    court: Court
    workcopy: Workcopy
    evidence: Evidence
    say: Say
    side_by_side: int

    def probe(self, step: Probe, _: Session) -> tuple[Probed, ...]:
        return tuple(
            Probed(name=name, result="not applicable", why="not applicable yet")
            for name in step.names
        )
