"""
What an agent is told: the brief at the start of a turn, and the answer to its wish to finish.

Everything that others wrote is fenced here as data. Integrity findings are never told.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.app.case import Case
from bot.app.court import Court
from bot.core import fence, prompt
from bot.core.entries import Hooked, Judged
from bot.core.parts import Colour
from bot.core.session import Session
from bot.core.steps import Work
from bot.ports import Brief, Evidence, Suspect

TAIL = 6_000
TARGETS_TOLD = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    case: Case
    court: Court
    evidence: Evidence
    read_only: tuple[str, ...]  # patterns, as the contract spells them
    nonce: str

    def brief(self, step: Work, session: Session, suspects: tuple[Suspect, ...]) -> Brief:
        baseline = session.baseline
        return Brief(
            objective=self._data(self.case.objective, "objective", limit=20_000, tail=0.2),
            targets=baseline.targets if baseline else (),
            failure=self._failure(session),
            read_only=self.read_only,
            suspects=suspects,
            handover=self._handover(step, session),
        )

    def feedback(self, answer: Judged | Hooked | None, *, reproduce: bool) -> str:
        match answer:
            case None:
                return ""
            case Hooked():
                return prompt.vetoed(self._evidence_tail(answer.output_sha256, "hook"))
            case Judged(colour=Colour.ERROR):
                return prompt.could_not_judge()
            case Judged() if reproduce:
                return NOT_REPRODUCED
            case Judged():
                return self._red(answer)

    def _red(self, judged: Judged) -> str:
        gates = [gate for gate in judged.gates if gate.colour is Colour.RED]
        if any(gate.integrity for gate in gates):
            return prompt.refused()
        failing = [i for g in gates for i in (*g.unmended, *g.lost, *g.failing, *g.reasons)]
        if judged.cached:
            return prompt.red_again(failing)
        return prompt.red(failing, self._evidence_tail(gates[0].output_sha256, "tests"))

    def _failure(self, session: Session) -> str:
        red = [run for run in session.preflights if run.colour is Colour.RED]
        if not red:
            return ""
        gate = next(gate for gate in red[0].gates if gate.colour is Colour.RED)
        return self._evidence_tail(gate.output_sha256, "tests")

    def _handover(self, step: Work, session: Session) -> str:
        """What the agent before this one left as its last words."""
        last = session.last
        if last is None or last.agent == step.agent or not last.said:
            return ""
        return self._data(last.said, "handover", limit=8_000, tail=0.5)

    def _evidence_tail(self, sha256: str, about: str) -> str:
        text = self.evidence.get(sha256).decode(errors="replace")
        return self._data(text, about, limit=TAIL, tail=0.8)

    def _data(self, text: str, about: str, *, limit: int, tail: float) -> str:
        return fence.data(text, about=about, nonce=self.nonce, limit=limit, tail=tail)


NOT_REPRODUCED = (
    "jam ran your test on the unchanged code: it does not show the issue yet. It must fail on the "
    "unchanged code, by an assertion or by the exception that was reported, and break nothing "
    "else. What configures tests (a conftest.py, say) is not taken with it."
)
