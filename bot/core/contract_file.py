"""
Reads ``.github/jam.yml`` into a contract, or tells every mistake in it at once.

Each mistake names its file, line, column and key, what was expected and what stands there, and the
nearest key or word that would have been right. It decides nothing about a repository: whether a
frozen pattern matches anything is found out at preflight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.core import contract_rules, contract_words, yaml_lines
from bot.core.contract import Contract, Oracle
from bot.core.yaml_lines import Page, Path, Place
from bot.errors import RequestError, SpecError

MOST_TOLD = 20
NO_ORACLE = "spec.no_oracle"


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    line: int
    column: int
    key: str  # as a dotted path; '' for the file as a whole
    why: str

    def told(self, name: str) -> str:
        where = f"{name}:{self.line}:{self.column}"
        return f"{where}: {self.key}: {self.why}" if self.key else f"{where}: {self.why}"


class ContractMistaken(RequestError):
    """The contract file cannot be read. ``mistakes`` holds all of them, in the file's order."""

    def __init__(self, mistakes: tuple[Mistake, ...], *, name: str) -> None:
        super().__init__(_told(mistakes, name=name))
        self.mistakes = mistakes


def read(content: bytes | str, *, name: str) -> Contract:
    """``name`` is what mistakes call the file. YAML; JSON is YAML."""
    page = yaml_lines.read(content)
    slips = [Mistake(slip.place.line, slip.place.column, "", slip.why) for slip in page.slips]
    if page.value is None and slips:
        raise ContractMistaken(tuple(slips), name=name)
    contract, shapes = _shape(page)
    heard = {mistake.line for mistake in slips}
    further = [*shapes, *_against_rules(page)]
    mistakes = tuple(sorted([*slips, *(told for told in further if told.line not in heard)]))
    if contract_rules.has_no_gate(page.value):
        raise SpecError(NO_ORACLE, _told(mistakes, name=name))
    if mistakes or contract is None:
        raise ContractMistaken(mistakes, name=name)
    return contract


def choose_oracle(contract: Contract, *, named: str = "") -> tuple[str, Oracle]:
    """The named one; the first one where none is named."""
    if not contract.oracles:
        raise SpecError(NO_ORACLE, contract_rules.NO_ORACLE)
    chosen = named or next(iter(contract.oracles))
    if chosen in contract.oracles:
        oracle = contract.oracles[chosen]
        if not oracle.gates:
            raise SpecError(NO_ORACLE, f"the oracle {chosen!r} has no gates")
        return chosen, oracle
    raise RequestError(
        f"there is no oracle {chosen!r}; {contract_words.nearest(chosen, contract.oracles)}"
    )


def schema() -> dict[str, Any]:
    """The JSON schema of the file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Contract.model_json_schema(),
        "title": ".github/jam.yml",
    }


def _shape(page: Page) -> tuple[Contract | None, list[Mistake]]:
    try:
        # An empty file is an empty mapping: what is missing in it is then told by the rules.
        return Contract.model_validate({} if page.value is None else page.value), []
    except ValidationError as invalid:
        told = invalid.errors(include_url=False)
        return None, [
            _mistake(page, path, contract_words.about(errors, path=path))
            for path, errors in _by_path(told, page=page).items()
        ]


def _against_rules(page: Page) -> Iterator[Mistake]:
    for path, why in contract_rules.broken(page.value):
        yield _mistake(page, path, why)


def _by_path(told: list[ErrorDetails], *, page: Page) -> Mapping[Path, list[ErrorDetails]]:
    """Pydantic's location ends with names of its own making; what the file knows is its path."""
    by_path: dict[Path, list[ErrorDetails]] = {}
    for error in told:
        by_path.setdefault(_known(error["loc"], page=page), []).append(error)
    return by_path


def _known(path: Path, *, page: Page) -> Path:
    while path and path not in page.places:
        path = path[:-1]
    return path


def _mistake(page: Page, path: Path, why: str) -> Mistake:
    place = page.places.get(_known(path, page=page), Place())
    return Mistake(place.line, place.column, _dotted(path), why)


def _dotted(path: Path) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def _told(mistakes: tuple[Mistake, ...], *, name: str) -> str:
    lines = [mistake.told(name) for mistake in mistakes[:MOST_TOLD]]
    if len(mistakes) > MOST_TOLD:
        lines.append(f"and {len(mistakes) - MOST_TOLD} more")
    return "\n".join(lines)
