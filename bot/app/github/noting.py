"""
What jam's check run says beside the code, from the ledger and the reports that it cites.

A file that the commit does not have gets no note, so each is looked for there once; a report whose
evidence is gone says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from bot.core.annotations import MANY, Annotation, annotate, held, judged, of_remarks, paths
from bot.core.parts import GateFact
from bot.core.report import Report
from bot.core.report_json import load
from bot.core.session import Session
from bot.errors import EvidenceMissing
from bot.forge_port import Forge
from bot.ports import Evidence

FILES = 20
"""How many files are looked for; each is a request."""


def notes(
    session: Session, evidence: Evidence, forge: Forge, *, commit: str
) -> tuple[Annotation, ...]:
    word = session.adjudicated
    if word is None:
        return ()
    reports = tuple(_reports(session, evidence))
    named = dict.fromkeys(paths(reports))
    there = {path for path in islice(named, FILES) if _is_there(path, forge, commit)}
    failing = [
        note for gate, report in reports for note in annotate(report, files=there, only=held(gate))
    ]
    told = [*of_remarks(word.remarks), *failing]
    return tuple(dict.fromkeys(told))[:MANY]


def _reports(session: Session, evidence: Evidence) -> Iterator[tuple[GateFact, Report]]:
    for gate in judged(session):
        try:
            reading = load(evidence.get(gate.report_sha256))
        except EvidenceMissing:
            continue
        if isinstance(reading, Report):
            yield gate, reading


def _is_there(path: str, forge: Forge, commit: str) -> bool:
    return bool(path) and forge.file(path, commit=commit) is not None
