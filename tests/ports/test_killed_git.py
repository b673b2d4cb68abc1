"""
jam and the git that it runs are killed together at a random moment of a checkpoint, again and again
in one place, as when a machine is lost; what comes next has to find everything usable.

A dozen kills. ``JAM_KILLS`` names another number (`make adversary`: 150), ``JAM_SEED`` other
moments.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.adapters.repository import open_repository
from bot.adapters.workcopy import Place, open_workcopy
from tests.ports.gitmade import git, make_repository

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
KILLS = int(os.environ.get("JAM_KILLS", "12"))
SEED = int(os.environ.get("JAM_SEED", "20261130"))
LASTS_S = 0.6
"""Several checkpoints."""
WORKER = """
import random, sys
from pathlib import Path
from bot.adapters.repository import open_repository
from bot.adapters.workcopy import Place, open_workcopy
repo, at, seed = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
opened = open_repository(repo)
base = opened.resolve()
place = Place(state=at / "state", tree=at / "tree", rooms=(at / "rooms",))
with open_workcopy(opened, session="s1", base=base, place=place, adopt=lambda _: None) as copy:
    if not (copy.tree_path / "d1").is_dir():
        copy.lay(base)
    print("ready", flush=True)
    for number in range(1, 1000):
        for path in copy.tree_path.rglob("d*/f*"):
            path.write_text(f"{seed} {number}")
        copy.checkpoint(1, parent=base)
"""


def test_whatever_a_kill_leaves_the_next_checkpoint_is_whole(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    repo = make_repository(
        tmp_path / "repo", {f"d{i}/f{j}": f"{i}" for i in range(10) for j in range(10)}
    )
    left = 0
    for number in range(KILLS):
        late = chance.uniform(0.0, LASTS_S) if number % 2 else None
        killed(repo, tmp_path, number, after_s=late)
        left += bool(litter(tmp_path))
        goes_on(repo, tmp_path, number)

    assert left, "no kill met git in the middle of anything"


def killed(repo: Path, at: Path, number: int, *, after_s: float | None) -> None:
    """``after_s`` None: when git has something half written."""
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(repo), str(at), str(number)],
        stdout=subprocess.PIPE, start_new_session=True,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        if after_s is not None:
            time.sleep(after_s)
        while after_s is None and not litter(at):
            assert child.poll() is None
        os.killpg(child.pid, signal.SIGKILL)  # with the git that it just runs


def litter(at: Path) -> set[str]:
    """What stands in the way of another git, or takes room for nothing."""
    git_dir = at / "state" / "git"
    found = [*git_dir.glob("*.lock"), *git_dir.glob("objects/*/tmp_*"), *git_dir.glob("jam-loose*")]
    return {path.name for path in found}


def goes_on(repo: Path, at: Path, number: int) -> None:
    opened = open_repository(repo)
    base = opened.resolve()
    place = Place(state=at / "state", tree=at / "tree", rooms=(at / "rooms",))
    with open_workcopy(opened, session="s1", base=base, place=place, adopt=lambda _: None) as copy:
        assert litter(at) == set()
        (copy.tree_path / "d1/f1").write_text(f"after {number}")
        taken = copy.checkpoint(2, parent=base)
        assert taken is not None
        assert copy.patch(base, taken.commit, limit=100_000).count(f"+after {number}") == 1
        assert git(at / "state/git", "fsck", "--no-dangling", taken.commit) == ""
