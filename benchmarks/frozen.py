"""
What it costs to compare frozen files with the base, beside git hashing the same files.

    python benchmarks/frozen.py [--files 10000] [--rounds 9]

`git hash-object` reads bytes only; jam also compares modes, links, second names and intruders.
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
from bot.adapters.guard import Guarded, deviating
from bot.adapters.repository import open_repository
from bot.adapters.workcopy import Place, open_workcopy
from bot.core.contract import Gate, Oracle
from bot.core.surface import discover

IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0")
ORACLE = Oracle(gates=(Gate(run="python -m pytest"),), frozen=("tests/",))


def git(at: Path, *args: str, stdin: bytes = b"") -> bytes:
    argv = ["git", *IDENTITY, *args]
    return subprocess.run(argv, cwd=at, input=stdin, check=True, capture_output=True).stdout


def make(at: Path, *, files: int) -> Path:
    for number in range(files):
        path = at / "tests" / f"d{number % 100}" / f"test_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def test_{number}():\n    assert {number}\n" * 20)
    git(at, "init", "-q")
    git(at, "add", "-A")
    git(at, "commit", "-q", "-m", "Begin")
    return at


def middle(work: Callable[[], object], *, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(at: Path, *, files: int, rounds: int) -> dict[str, float]:
    opened = open_repository(make(at / "repo", files=files))
    base = opened.resolve()
    place = Place(state=at / "state", tree=at / "tree", rooms=(at / "rooms",))
    with open_workcopy(
        opened, session="bench", base=base, place=place, adopt=lambda _: None
    ) as copy:
        copy.lay(base)
        entries = copy.entries(base)
        guard = copy.guard_of(base, discover(entries, ORACLE, read=lambda _: None))
        names = "".join(f"{path}\n" for path in entries).encode()
        if guard.restore(copy.tree_path) != Guarded() or len(guard.expected) != files:
            raise SystemExit("the frozen files are not those of the base")
        return {
            "git hash-object": middle(
                lambda: git(copy.tree_path, "hash-object", "--stdin-paths", stdin=names),
                rounds=rounds,
            ),
            "compare": middle(
                lambda: deviating(copy.tree_path, guard.expected.values(), sizes=guard.sizes),
                rounds=rounds,
            ),
            "compare, find intruders": middle(lambda: guard.restore(copy.tree_path), rounds=rounds),
        }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    at = Path(tempfile.mkdtemp(prefix="jam-bench-"))
    try:
        taken = measure(at, files=options.files, rounds=options.rounds)
    finally:
        folders.remove(at)
    print(f"{options.files} frozen files, {options.rounds} rounds")
    for name, value in taken.items():
        ratio = value / taken["git hash-object"]
        print(f"{name:26} {value * 1000:7.1f} ms   / git hash-object = {ratio:.2f}")


if __name__ == "__main__":
    main()
