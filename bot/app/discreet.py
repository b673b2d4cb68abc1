"""
Between a session and what is kept of it: no known secret gets into a ledger or into evidence.

What a gate, an agent or an error said is kept without it, before it is sealed or its digest is
taken. Only what is known is taken out: a test may be named after an example of a token.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from bot.app.engine import Beginning
from bot.core.entries import AnyFact
from bot.core.redact import Redactor
from bot.core.session import Session
from bot.core.steps import Step
from bot.ports import Evidence


@dataclass(frozen=True, slots=True)
class DiscreetEvidence:
    """The ``Evidence`` port."""

    evidence: Evidence
    redactor: Redactor

    def put(self, content: bytes) -> str:
        return self.evidence.put(self.redactor.content(content))

    def get(self, sha256: str) -> bytes:
        return self.evidence.get(sha256)


@dataclass(frozen=True, slots=True)
class DiscreetHands:
    """The same hands; facts and errors without secrets."""

    hands: Beginning
    redactor: Redactor

    def before(self, session: Session) -> tuple[AnyFact, ...]:
        with self._errors():
            return tuple(self.fact(one) for one in self.hands.before(session))

    def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:
        with self._errors():
            return tuple(self.fact(one) for one in self.hands.perform(step, session))

    def fact(self, fact: AnyFact) -> AnyFact:
        plain = fact.model_dump()
        said = "\n".join(_texts(plain)).encode("utf-8", "surrogatepass")
        if not self.redactor.holds(said):
            return fact
        return type(fact).model_validate(self.redactor.kept_all(plain))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            told: BaseException | None = error
            while told is not None:
                told.args = self.redactor.told_all(told.args)
                told = told.__cause__ or told.__context__
            raise


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from _texts(one)
        case BaseModel():
            yield from _texts(value.model_dump())
        case tuple() | list() | set() | frozenset():
            for one in value:
                yield from _texts(one)
        case _:
            pass
