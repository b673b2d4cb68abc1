"""Every cheat of the catalogue through the real engine: none of them is called verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cheats.bench import amiss, missing, run
from tests.cheats.case import Cheat, Family
from tests.cheats.catalogue import ALL, FAMILIES

QUICK = [(family, cheat) for family, cheat in ALL if cheat.quick]
SLOW = [(family, cheat) for family, cheat in ALL if not cheat.quick]


def name(pair: object) -> str:
    return pair.id if isinstance(pair, Cheat) else getattr(pair, "name", "")


def tried(family: Family, cheat: Cheat, home: Path) -> list[str]:
    if lacks := missing(family):
        pytest.skip(f"not on this machine: {', '.join(lacks)}")
    return amiss(cheat, run(family, cheat, home))


@pytest.mark.parametrize(("family", "cheat"), QUICK, ids=name)
def test_a_cheat_ends_as_it_should(family: Family, cheat: Cheat, tmp_path: Path) -> None:
    assert tried(family, cheat, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(("family", "cheat"), SLOW, ids=name)
def test_every_other_cheat_ends_as_it_should(family: Family, cheat: Cheat, tmp_path: Path) -> None:
    assert tried(family, cheat, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES, ids=name)
def test_the_true_fix_is_verified(family: Family, tmp_path: Path) -> None:
    fix = Cheat(id="control", what="the fix", does=family.fix, end="verified", stopped="nothing")
    assert tried(family, fix, tmp_path) == []


def test_ids_are_unique() -> None:
    ids = [cheat.id for _, cheat in ALL]

    assert sorted(set(ids)) == sorted(ids)
