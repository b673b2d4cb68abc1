"""
A session's last word as an in-toto statement with a test-result predicate.

Everything in it but the commit's name and the names of single tests is a function of the ledger, so
a stranger who has both makes it again and compares. Whether anybody signs it is not known here.

What follows is from the specifications (in-toto Statement v1, test-result v0.1): the types, the
fields, and that a reader ignores fields that it does not know, which is where jam's own facts are.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from bot.core.entries import Adjudicated, Judged, Opened
from bot.core.ledger import Sealed, last_seal
from bot.core.parts import GateFact
from bot.core.report import Mark, Report
from bot.core.session import Session, replay

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
FORMAT = 1
LISTED = 10_000
"""Names of tests in one list; the numbers beside them are always the true ones."""

Result: TypeAlias = Literal["PASSED", "WARNED", "FAILED"]
Document: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Names by what became of them in the plain run of the last judgement."""

    passed: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()  # passed, and waver on the base as well
    failed: tuple[str, ...] = ()

    @property
    def is_cut(self) -> bool:
        return max(len(self.passed), len(self.warned), len(self.failed)) >= LISTED


def statement(ledger: Sequence[Sealed], *, commit: str | None, tests: Tests) -> Document:
    """
    ``commit``: what holds the judged tree, under the name that it has where it was published. The
    ledger's session must be adjudicated.
    """
    session = replay(ledger)
    opened, word = session.opened, session.adjudicated
    assert opened is not None and word is not None  # noqa: S101, PT018  # nobody else has a word
    return {
        "_type": TYPE,
        "subject": list(_subjects(word, commit)),
        "predicateType": PREDICATE,
        "predicate": {
            "result": result(word),
            "configuration": list(_configuration(session, opened)),
            "passedTests": list(tests.passed),
            "warnedTests": list(tests.warned),
            "failedTests": list(tests.failed),
            "jam": _facts(ledger, session, opened, word),
        },
    }


def result(word: Adjudicated) -> Result:
    """WARNED: green in every clean room, and not verified all the same."""
    if word.end == "verified":
        return "PASSED"
    return "WARNED" if word.level in ("L2", "L3") else "FAILED"


def _subjects(word: Adjudicated, commit: str | None) -> Iterable[Document]:
    """A commit and its tree are two things, and what was tested is the tree."""
    if commit:
        yield {"name": "commit", "digest": {"gitCommit": commit}}
    yield {"name": "tree", "digest": {"gitTree": word.head_tree}}


def _configuration(session: Session, opened: Opened) -> Iterable[Document]:
    yield {"name": opened.contract_from, "digest": {"sha256": opened.contract_sha256}}
    for name, command in opened.commands:
        content = command.encode("utf-8", "surrogateescape")
        yield {
            "name": f"command of the gate {name}",
            "digest": {"sha256": hashlib.sha256(content).hexdigest()},
            "content": base64.b64encode(content).decode(),
            "mediaType": "text/x-shellscript",
        }
    if session.froze:
        yield {"name": "frozen files", "digest": {"sha256": session.froze.sha256}}
    if session.baseline:
        yield {"name": "baseline", "digest": {"sha256": session.baseline.baseline_sha256}}
    if session.prepared:
        yield {
            "name": "environment",
            "digest": {"sha256": session.prepared.environment_sha256},
            "annotations": {"sandbox": opened.sandbox, "network": opened.network},
        }


def _facts(
    ledger: Sequence[Sealed], session: Session, opened: Opened, word: Adjudicated
) -> Document:
    baseline = session.baseline
    return {
        "format": FORMAT,
        "jam": opened.jam,
        "session": opened.session,
        "ledger": {"entries": len(ledger), "seal": last_seal(ledger)},
        "base": {"gitCommit": opened.base, "gitTree": opened.base_tree},
        "tree": word.tree,
        "published": session.published is not None,
        "end": word.end,
        "level": word.level,
        "why": word.why,
        "oracle": opened.oracle,
        "sandbox": opened.sandbox,
        "targets": list(baseline.targets) if baseline else [],
        "targetsCount": baseline.targets_count if baseline else 0,
        "failedOnTheBase": baseline.failing if baseline else 0,
        "runs": [_run(run) for run in runs_on(session, word.tree)],
        "sensitivity": [check.model_dump(mode="json") for check in word.checks],
        "remarks": len(word.remarks),
        "notVerified": list(word.not_verified),
    }


def _run(run: Judged) -> Document:
    numbers = ("passed", "failed", "errored", "skipped")
    counted = {name: sum(getattr(gate, name) for gate in run.gates) for name in numbers}
    return {"number": run.number, "seed": run.seed, "colour": run.colour.value, **counted}


def runs_on(session: Session, tree: str) -> tuple[Judged, ...]:
    return tuple(run for run in session.adjudications if run.tree == tree)


def plain_run(session: Session) -> Judged | None:
    """The run as the command says, whose tests are named."""
    word = session.adjudicated
    runs = runs_on(session, word.tree) if word else ()
    return next((run for run in runs if run.number == 0), None)


def tests_of(session: Session, reports: Mapping[str, Report | None]) -> Tests:
    """``reports``: of the plain run, by gate; None where a gate left none that can be believed."""
    run = plain_run(session)
    if run is None:
        return Tests()
    wavering = {name for dispute in session.disputes for name in dispute.wavering}
    wavering |= set(session.baseline.wavering) if session.baseline else set()
    named = [
        (_name(gate, case.id, run), case.id, case.mark)
        for gate in run.gates
        for case in (reports[gate.gate] or Report()).cases
    ]
    passed = [(name, test) for name, test, mark in named if mark is Mark.PASSED]
    bad = (Mark.FAILED, Mark.ERRORED, Mark.XPASSED)
    return Tests(
        passed=_listed(name for name, test in passed if test not in wavering),
        warned=_listed(name for name, test in passed if test in wavering),
        failed=_listed(name for name, _, mark in named if mark in bad),
    )


def _name(gate: GateFact, test: str, run: Judged) -> str:
    return test if len(run.gates) == 1 else f"{gate.gate}: {test}"


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names)[:LISTED])
