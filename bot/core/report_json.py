"""A reading as bytes and back: what the evidence store keeps of every gate run."""

from __future__ import annotations

from pydantic import TypeAdapter

from bot.core.canonical import spell, unspell
from bot.core.report import Reading, Report, Unreadable

_READING: TypeAdapter[Report | Unreadable] = TypeAdapter(Report | Unreadable)


def dump(reading: Reading) -> bytes:
    return spell(_READING.dump_python(reading, mode="json")).encode()


def load(content: bytes) -> Reading:
    return _READING.validate_python(unspell(content))
