"""
What a stranger is given of an ended session: its ledger, a statement on it, and the evidence that
both stand on. And what the stranger makes of it.

The statement is made once and kept beside the ledger: a signature may be another one every time.
Evidence that would carry a secret stays here; a ledger that would, stays with all of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.core import attested, ledger
from bot.core.attested import Committed
from bot.core.canonical import spell
from bot.core.cited import cited
from bot.core.ledger import Sealed
from bot.core.report import Report
from bot.core.report_json import load
from bot.core.session import Session, replay
from bot.core.statement import PAYLOAD_TYPE, Document, Tests, plain_run, statement, tests_of
from bot.errors import EvidenceMissing, RequestError, StatementBroken
from bot.ports import Envelope, Evidence, Signer

LEDGER, STATEMENT, EVIDENCE = "ledger.jsonl", "statement.dsse.json", "evidence"
ONE_BYTES, ALL_BYTES = 1 << 20, 8 << 20
"""Of evidence that goes along: the largest piece, and all of it."""
Files = Mapping[str, bytes]
Withheld = Callable[[bytes], bool]


class Keepsake(Protocol):
    """Where an ended session's statement is kept on this machine."""

    def statement(self) -> bytes | None: ...

    def keep(self, content: bytes) -> None:
        """Whole, or not at all."""
        ...


def attest(
    entries: Sequence[Sealed],
    *,
    commit: str | None,
    evidence: Evidence,
    signer: Signer,
    kept: Keepsake,
) -> bytes:
    """The statement on this session in its envelope: the one that was made before, or a new one."""
    if (made := kept.statement()) is not None:
        return made
    session = replay(entries)
    said = statement(entries, commit=commit, tests=_tests(session, evidence.get))
    made = signer.sign(spell(said).encode(), kind=PAYLOAD_TYPE)
    kept.keep(made)
    return made


def bundle(lines: Sequence[str], made: bytes, *, evidence: Evidence, withheld: Withheld) -> Files:
    """What may leave this machine, by name. Nothing where the ledger itself may not. ``lines``: the
    ledger's as they were written, since an earlier jam may have, and seals are over that."""
    written = "".join(f"{line}\n" for line in lines).encode()
    if withheld(written) or withheld(made):
        return {}
    files = {LEDGER: written, STATEMENT: made}
    room = ALL_BYTES
    for digest in cited(ledger.read(lines)):
        try:
            content = evidence.get(digest)
        except EvidenceMissing:
            continue
        if len(content) > min(ONE_BYTES, room) or withheld(content):
            continue
        files[f"{EVIDENCE}/{digest}"] = content
        room -= len(content)
    return files


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found. ``wrong`` empty: everything that could be looked at holds."""

    said: Document
    wrong: tuple[str, ...]
    cited: int = 0
    given: int = 0  # of the cited evidence
    names_checked: bool = False


def check(
    envelope: Envelope,
    lines: Sequence[str],
    given: Files,
    *,
    look: Callable[[str], Committed] | None,
) -> Checked:
    """
    ``given``: evidence by its digest, as somebody says. ``look``: what a repository has under a
    commit's name. ``LedgerBroken`` and ``StatementBroken`` where nothing further can be said.
    """
    if envelope.kind != PAYLOAD_TYPE:
        raise RequestError(f"the envelope holds {envelope.kind!r}, and no {PAYLOAD_TYPE}")
    said = attested.read(envelope.payload)
    entries = ledger.read(lines)
    if not entries:
        raise StatementBroken("the ledger holds no entry, and the statement is about some")
    digests = cited(entries)
    wrong = list(_wrong_evidence(given, digests))
    good = {name: content for name, content in given.items() if _digest(content) == name}
    tests = _tests_given(replay(entries), good)
    wrong += attested.wrong_with_ledger(said, entries, tests=tests)
    commit = attested.commit_of(said)
    committed = look(commit) if look and commit else None
    wrong += attested.wrong_with_commit(said, committed)
    return Checked(
        said=said,
        wrong=tuple(wrong),
        cited=len(digests),
        given=len(good.keys() & set(digests)),
        names_checked=tests is not None,
    )


def _wrong_evidence(given: Files, digests: Sequence[str]) -> Iterable[str]:
    for name, content in sorted(given.items()):
        if name not in digests:
            yield f"the evidence {name[:12]} is cited by no entry"
        elif _digest(content) != name:
            yield f"the evidence {name[:12]} was changed"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _tests(session: Session, get: Callable[[str], bytes]) -> Tests:
    run = plain_run(session)
    reports: dict[str, Report | None] = {}
    for gate in run.gates if run else ():
        reading = load(get(gate.report_sha256))
        reports[gate.gate] = reading if isinstance(reading, Report) else None
    return tests_of(session, reports)


def _tests_given(session: Session, given: Files) -> Tests | None:
    """None where a report that names the tests is not there."""
    run = plain_run(session)
    needed = {gate.report_sha256 for gate in run.gates} if run else set[str]()
    if not needed <= given.keys():
        return None
    try:
        return _tests(session, lambda digest: given[digest])
    except ValueError:
        return None
