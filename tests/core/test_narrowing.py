from __future__ import annotations

import pytest

from bot.core import contract_file
from bot.core.contract import Contract
from bot.core.narrowing import AS_WRITTEN, Narrowing
from bot.errors import RequestError

TEXT = b"""\
version: 1
oracles:
  unit: {gates: [{run: pytest}]}
  slow: {gates: [{run: pytest -m slow}]}
budget: {usd: 5, seconds: 600}
"""


def contract() -> Contract:
    return contract_file.read(TEXT, name="jam.yml")


def test_nothing_is_changed_where_nothing_is_said() -> None:
    assert AS_WRITTEN.of(contract()) == contract()


def test_a_budget_can_only_shrink() -> None:
    less = Narrowing(usd=1, seconds=60).of(contract()).budget
    more = Narrowing(usd=100, seconds=6_000).of(contract()).budget

    assert (less.usd, less.seconds) == (1, 60)
    assert (more.usd, more.seconds) == (5, 600)


def test_another_oracle_judges_first() -> None:
    assert list(Narrowing(oracle="slow").of(contract()).oracles) == ["slow", "unit"]
    with pytest.raises(RequestError, match="the contract has no oracle 'fast'; it has unit, slow"):
        Narrowing(oracle="fast").of(contract())
