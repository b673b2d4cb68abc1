"""What a session knows is kept without the secrets that jam knows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from bot.app.discreet import DiscreetEvidence, DiscreetHands
from bot.core.entries import AnyFact, Published, Suspended
from bot.core.redact import MASK, Redactor
from bot.core.session import Session
from bot.core.steps import Finish, Step
from bot.errors import TransientError

CANARY = "canary-0123456789-abcdef"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Kept:
    """The ``Evidence`` port, in memory."""

    blobs: dict[str, bytes] = field(default_factory=dict)

    def put(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        self.blobs[digest] = content
        return digest

    def get(self, sha256: str) -> bytes:
        return self.blobs[sha256]


@dataclass
class Says:
    """Hands that say one thing, or fail with another."""

    fact: AnyFact
    error: Exception | None = None

    def before(self, session: Session) -> tuple[AnyFact, ...]:
        return (self.fact,)

    def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
        if self.error:
            raise self.error
        return (self.fact,)


def test_evidence_is_kept_under_the_digest_of_what_is_kept() -> None:
    evidence = DiscreetEvidence(Kept(), Redactor([CANARY]))
    digest = evidence.put(f"it said {CANARY[::-1]}\n".encode())

    assert evidence.get(digest) == f"it said {MASK}\n".encode()
    assert digest == hashlib.sha256(f"it said {MASK}\n".encode()).hexdigest()


def test_a_fact_is_the_same_fact_without_the_secret() -> None:
    hands = DiscreetHands(Says(Suspended(at=NOW, why=f"no: {CANARY}")), Redactor([CANARY]))

    expected = (Suspended(at=NOW, why=f"no: {MASK}"),)
    assert hands.perform(Finish(), Session()) == expected
    assert hands.before(Session()) == expected


def test_a_fact_without_one_is_the_very_same() -> None:
    fact = Published(branch="jam/x", commit="a" * 40, tree="b" * 40, head_tree="b" * 40, draft=True)

    assert DiscreetHands(Says(fact), Redactor([CANARY])).before(Session())[0] is fact


def test_an_error_and_what_caused_it_are_told_without_the_secret() -> None:
    error = TransientError(f"the model said {CANARY}")
    error.__cause__ = OSError(5, f"beneath: {CANARY.encode().hex()}")
    hands = DiscreetHands(Says(Suspended(at=NOW, why=""), error), Redactor([CANARY]))

    with pytest.raises(TransientError) as told:
        hands.perform(Finish(), Session())
    assert str(told.value) == f"the model said {MASK}"
    assert told.value.__cause__ is not None
    assert told.value.__cause__.args == (5, f"beneath: {MASK}")
