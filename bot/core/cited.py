"""
Which evidence a ledger cites, what matters most first.

A stranger is given as much of it as there is room for: what the judgement rests on before what was
printed beside it. What an agent remembers between its turns is nobody's evidence and not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.core.entries import Baselined, Hooked, Judged, Opened, Prepared, Probed
from bot.core.ledger import Sealed
from bot.core.parts import Purpose


def cited(ledger: Sequence[Sealed]) -> tuple[str, ...]:
    """Digests, each once."""
    facts = [sealed.fact for sealed in ledger]
    judged = [fact for fact in facts if isinstance(fact, Judged)]
    first = (Purpose.ADJUDICATION, Purpose.PREFLIGHT)
    judged.sort(key=lambda run: first.index(run.purpose) if run.purpose in first else len(first))
    found = [
        *(one for fact in facts if isinstance(fact, Opened) for one in _of_opening(fact)),
        *(fact.baseline_sha256 for fact in facts if isinstance(fact, Baselined)),
        *(gate.report_sha256 for run in judged for gate in run.gates),
        *(fact.report_sha256 for fact in facts if isinstance(fact, Probed)),
        *(gate.output_sha256 for run in judged for gate in run.gates),
        *(fact.output_sha256 for fact in facts if isinstance(fact, Hooked)),
        *(fact.setup_output_sha256 for fact in facts if isinstance(fact, Prepared)),
    ]
    return tuple(dict.fromkeys(one for one in found if one))


def _of_opening(opened: Opened) -> Iterable[str]:
    yield opened.contract_sha256
    yield opened.objective_sha256
