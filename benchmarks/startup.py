"""
How long jam takes to say something, against the Python it runs on.

    python benchmarks/startup.py

Aim: `jam --help` under three times `python -c pass`.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 21
RUNS: dict[str, tuple[str, ...]] = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "jam --help": ("jam", "--help"),
    "jam --version": ("jam", "--version"),
    "jam fxi": ("jam", "fxi"),
    "jam fix --help": ("jam", "fix", "--help"),
    "python -c 'import typer'": (sys.executable, "-c", "import typer"),
}


def seconds(argv: Sequence[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begun


def main() -> None:
    beside = Path(sys.executable).with_name("jam")
    jam = str(beside) if beside.exists() else shutil.which("jam")
    if jam is None:
        sys.exit("jam is not installed here: make setup")
    # Interleaved, so that a busy moment of the machine falls on all of them alike.
    took: dict[str, list[float]] = {name: [] for name in RUNS}
    for _ in range(ROUNDS):
        for name, argv in RUNS.items():
            took[name].append(seconds([jam if word == "jam" else word for word in argv]))
    bare = statistics.median(took["python -c pass"])
    print(f"median of {ROUNDS}, Python {sys.version.split()[0]}")
    for name, all_of_them in took.items():
        median = statistics.median(all_of_them)
        print(f"  {name:26} {median * 1000:6.1f} ms  {median / bare:5.1f} x")


if __name__ == "__main__":
    main()
