"""
What a checkpoint costs beside what git itself would do, in the same run, turn by turn.

    python benchmarks/checkpoint.py [--files 20000] [--rounds 9]

Each round changes 50 files and makes 50 new ones, in a copy for jam and in a copy for git. `git
stash create` leaves new files out and does not wait for the disk; a checkpoint holds them and does.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bot.adapters import folders
from bot.adapters.repository import open_repository
from bot.adapters.workcopy import Place, open_workcopy

CHANGED = 50
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0")
DURABLE = ("-c", "core.fsync=committed,reference", "-c", "core.fsyncMethod=batch")


def git(at: Path, *args: str) -> None:
    ran = subprocess.run(["git", *IDENTITY, *args], cwd=at, capture_output=True)
    if ran.returncode:
        raise SystemExit(ran.stderr.decode())


def make(at: Path, *, files: int) -> Path:
    for number in range(files):
        path = at / f"d{number % 20}" / f"e{number % 200}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value = {number}\n" * 20)
    git(at, "init", "-q")
    git(at, "add", "-A")
    git(at, "commit", "-q", "-m", "Begin")
    git(at, "gc", "-q")
    return at


def change(at: Path, *, turn: int) -> None:
    for number in range(CHANGED):
        folder = at / f"d{number % 20}" / f"e{number}"
        (folder / f"f{number}.py").write_text(f"changed = {turn}\n" * 20)
        (folder / f"new_{turn}.py").write_text(f"new = {turn}\n" * 20)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(at: Path, *, files: int, rounds: int) -> dict[str, list[float]]:
    repo = make(at / "repo", files=files)
    opened = open_repository(repo)
    base = opened.resolve()
    place = Place(state=at / "state", tree=at / "tree", rooms=(at / "rooms",))
    taken: dict[str, list[float]] = {}

    def note(name: str, work: Callable[[], object]) -> None:
        taken.setdefault(name, []).append(seconds(work))

    with open_workcopy(
        opened, session="bench", base=base, place=place, adopt=lambda _: None
    ) as copy:
        copy.lay(base)
        parent = base
        for turn in range(rounds):
            change(copy.tree_path, turn=turn)
            change(repo, turn=turn)
            start = time.perf_counter()
            made = copy.checkpoint(turn, parent=parent)
            taken.setdefault("checkpoint", []).append(time.perf_counter() - start)
            if made is None or made.changed != 2 * CHANGED:
                raise SystemExit(f"the checkpoint is not what was left: {made}")
            parent = made.commit
            note("git status", lambda: git(repo, "status", "--porcelain"))
            note("git stash create", lambda: git(repo, "stash", "create"))
            note("git stash create, durable", lambda: git(repo, *DURABLE, "stash", "create"))
            git(repo, "add", "-A")
            git(repo, "commit", "-q", "-m", f"turn {turn}")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    at = Path(tempfile.mkdtemp(prefix="jam-bench-"))
    try:
        taken = measure(at, files=options.files, rounds=options.rounds)
    finally:
        folders.remove(at)
    whole = statistics.median(taken["checkpoint"])
    print(f"{options.files} files, {CHANGED} changed, {CHANGED} new, {options.rounds} rounds")
    for name, times in taken.items():
        middle = statistics.median(times)
        print(f"{name:28} {middle * 1000:7.1f} ms   checkpoint / it = {whole / middle:.2f}")


if __name__ == "__main__":
    main()
