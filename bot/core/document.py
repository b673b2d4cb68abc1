"""What a session comes to, as data: the one JSON document of ``jam fix --json``."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.entries import Judged
from bot.core.ledger import Sealed, last_seal
from bot.core.parts import Purpose
from bot.core.session import Session, replay


def document(ledger: Sequence[Sealed], *, path: str, body: str) -> dict[str, object]:
    """``outcome`` and ``exit_code`` are None while the session has none."""
    session = replay(ledger)
    opened, word, published = session.opened, session.adjudicated, session.published
    return {
        "outcome": session.ended.end if session.ended else None,
        "exit_code": session.ended.exit_code if session.ended else None,
        "why": word.why if word else "",
        "level": word.level if word else "none",
        "session": opened.session if opened else "",
        "base": opened.base if opened else "",
        "commit": published.commit if published else None,
        "tree": word.tree if word else None,
        "head_tree": word.head_tree if word else None,
        "branch": published.branch if published else None,
        "draft": published.draft if published else None,
        "oracle": _oracle(session),
        "oracle_had_red_run": session.had_red_run,
        "guard_restores": session.guard_restores,
        "changed_files": [change.model_dump() for change in word.changes] if word else [],
        "changed_files_count": word.files if word else 0,
        "checks": [check.model_dump() for check in word.checks] if word else [],
        "review": list(word.review) if word else [],
        "remarks": [remark.model_dump() for remark in word.remarks] if word else [],
        "not_verified": list(word.not_verified) if word else [],
        "sandbox": opened.sandbox if opened else "",
        "usage": _usage(session),
        "ledger": path,
        "seal": last_seal(ledger),
        "body": body,
    }


def _oracle(session: Session) -> dict[str, object]:
    opened, baseline = session.opened, session.baseline
    final = session.adjudications[-1] if session.adjudications else session.gate
    return {
        "name": opened.oracle if opened else "",
        "final": final.colour.value if final else None,
        "gates": [gate.model_dump(mode="json") for gate in final.gates] if final else [],
        "runs": [_run(run) for run in session.adjudications],
        "baseline": {
            "targets": list(baseline.targets) if baseline else [],
            "targets_count": baseline.targets_count if baseline else 0,
            "passed": baseline.passed if baseline else 0,
            "failing": baseline.failing if baseline else 0,
            "wavering": list(baseline.wavering) if baseline else [],
        },
    }


def _run(run: Judged) -> dict[str, object]:
    return {
        "purpose": Purpose(run.purpose).value,
        "tree": run.tree,
        "seed": run.seed,
        "colour": run.colour.value,
        "passed": run.passed,
        "seconds": run.seconds,
    }


def _usage(session: Session) -> dict[str, object]:
    return {
        "turns": session.turns,
        "tokens": session.tokens,
        "usd": round(session.cents / 100, 4),
        "seconds": round(session.seconds, 3),
        "refusals": session.refusals,
    }
