"""
The ledger: everything a session knows, in the order that it came to know it.

Facts are only ever appended. Each is sealed over the one before it, so that a reader who holds the
last seal holds the whole story. Nothing here reads or writes a store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, PrivateAttr, TypeAdapter, ValidationError

from bot.core.canonical import spell, unspell
from bot.core.entries import AnyFact
from bot.core.parts import Fact
from bot.errors import LedgerBroken

ORIGIN = "0" * 64


class Sealed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    place: int
    seal: str
    fact: AnyFact
    # The fact as it was first written: a later jam, which knows more fields, passes it on so.
    _written: str = PrivateAttr("")

    @property
    def written(self) -> str:
        return self._written or spell(self.fact)

    def as_written(self, spelled: str) -> Sealed:
        self._written = spelled
        return self


_SEALED: TypeAdapter[Sealed] = TypeAdapter(Sealed)


def seal(fact: Fact, *, place: int, after: str) -> str:
    """Over the seal before it, the place and the fact's canonical spelling."""
    return _over(spell(fact), place=place, after=after)


def _over(spelled: str, *, place: int, after: str) -> str:
    return hashlib.sha256(f"{after}\n{place}\n{spelled}".encode()).hexdigest()


def last_seal(ledger: Sequence[Sealed]) -> str:
    return ledger[-1].seal if ledger else ORIGIN


def append(ledger: Sequence[Sealed], fact: AnyFact) -> tuple[Sealed, ...]:
    place = len(ledger)
    sealed = Sealed(place=place, seal=seal(fact, place=place, after=last_seal(ledger)), fact=fact)
    return (*ledger, sealed.as_written(spell(fact)))


def line(sealed: Sealed) -> str:
    """The entry as it is kept: one line of JSON, without the line's end."""
    return f'{{"fact":{sealed.written},"place":{sealed.place},"seal":"{sealed.seal}"}}'


def seal_of(line: str) -> str:
    """The seal that a line says it has; '' where it says none."""
    try:
        return str(unspell(line)["seal"])
    except (ValueError, KeyError, TypeError):
        return ""


def read(lines: Iterable[str]) -> tuple[Sealed, ...]:
    """
    Entries from their lines, seals checked. ``LedgerBroken`` names the first bad place. A seal is
    over the fact as it was written: a later jam may know more fields than the one that wrote it.
    """
    ledger: list[Sealed] = []
    for place, text in enumerate(lines):
        try:
            written = unspell(text)
            sealed = _SEALED.validate_python(written)
            spelled = spell(written["fact"])
            _check(sealed, spelled, place=place, after=last_seal(ledger))
            ledger.append(sealed.as_written(spelled))
        except ValidationError as error:
            where = ".".join(str(part) for part in error.errors()[0]["loc"])
            raise LedgerBroken(
                f"entry {place} cannot be read ({where}: {error.errors()[0]['msg']})"
            ) from error
        except ValueError as error:
            raise LedgerBroken(f"entry {place} is not JSON: {error}") from error
    return tuple(ledger)


def _check(sealed: Sealed, spelled: str, *, place: int, after: str) -> None:
    if sealed.place != place:
        raise LedgerBroken(f"entry {place} says that it is entry {sealed.place}")
    if sealed.seal != _over(spelled, place=place, after=after):
        raise LedgerBroken(
            f"entry {place} ({sealed.fact.kind}) does not follow from the one before it"
        )
