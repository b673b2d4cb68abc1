"""Fifty sessions, each of which loses its worker at a random moment. About twenty minutes on two
cores; `make adversary` runs it. ``JAM_LOST`` names another number, ``JAM_SEED`` other moments."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from tests.ports.databases import postgres
from tests.stories.github.machines import machine, receiving
from tests.stories.github.perils import SCRIPT, lose_one

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
TIMES = int(os.environ.get("JAM_LOST", "50"))
SEED = int(os.environ.get("JAM_SEED", "20261130"))


def test_every_session_ends_once_and_as_if_nothing_had_been(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with (
        postgres() as cluster,
        receiving(tmp_path, cluster) as one,
        machine(one, "a", SCRIPT) as a,
        machine(one, "b", SCRIPT) as b,
    ):
        undisturbed = lose_one(one, (a, b), chance, how=None)
        for number in range(TIMES):
            how = signal.SIGSTOP if number % 4 == 3 else signal.SIGKILL
            found = lose_one(one, (a, b), chance, how=how)
            assert found == undisturbed, f"the {number + 1}th, with seed {SEED}"

    assert undisturbed["ledger"] == (("ended", "verified", 1, 1),)
