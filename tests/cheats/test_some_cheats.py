"""
A cheat of each kind, and some without a sandbox, for every run of the long suites.

All of them are in ``test_cheats.py``. These take less than two minutes on two cores.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.sandbox_kind import SandboxKind
from tests.cheats.bench import run
from tests.cheats.case import Cheat
from tests.cheats.catalogue import ALL, NAMED
from tests.cheats.test_cheats import tried

KINDS = (
    *("T04", "T12", "C01", "F10", "X05", "X21b", "X31", "X50"),
    *("E01", "E09", "E13", "G01", "K02", "K06", "K09b", "K31", "Z29", "Z46"),
    *("U10", "M11", "N07", "GO2b", "R05", "W02", "W10"),
)
#: what has to hold where nothing keeps a command in; nothing that writes elsewhere is tried
OPEN = ("T04", "E08", "X08", "X16", "K02", "K09", "W02", "Z40")
UNKNOWN = "There was no sandbox: what was done outside the checkout is unknown."


@pytest.mark.slow
@pytest.mark.parametrize("case", KINDS)
def test_a_cheat_of_each_kind_ends_as_it_should(case: str, tmp_path: Path) -> None:
    assert tried(*NAMED[case], tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("case", OPEN)
def test_without_a_sandbox_it_is_no_more_verified(case: str, tmp_path: Path) -> None:
    family, cheat = NAMED[case]
    outcome = run(family, cheat, tmp_path, sandbox=SandboxKind.NONE)

    assert (outcome.end, UNKNOWN in outcome.told) == (cheat.end, True), outcome.told


@pytest.mark.slow
def test_without_a_sandbox_a_true_fix_is_verified_and_says_what_is_unknown(tmp_path: Path) -> None:
    family, _ = ALL[0]
    fix = Cheat(id="control", what="the fix", does=family.fix, end="verified", stopped="nothing")
    outcome = run(family, fix, tmp_path, sandbox=SandboxKind.NONE)

    assert (outcome.end, UNKNOWN in outcome.told) == ("verified", True), outcome.told
