"""
What the sandbox costs: time for each command, and memory while a command floods its output.

    python benchmarks/sandbox.py [--rounds 40] [--json]

Every figure is measured in this run on this machine; medians, since others use it too.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.adapters.runner import Start, run
from bot.adapters.sandbox import choose
from bot.core.contract import SandboxKind
from bot.ports import Jail, Limits, View

GIGABYTE = 1 << 30
LIMITS = Limits(timeout_s=120, output_bytes=2 * GIGABYTE)
FLOOD = ("head", "-c", str(GIGABYTE), "/dev/zero")


def milliseconds(work: Callable[[], object], *, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return round(statistics.median(times), 2)


def costs(*, rounds: int) -> Mapping[str, float]:
    """The same trivial command, in every way that it can be run."""
    true = ("/usr/bin/true",)
    found = {
        "subprocess.run": milliseconds(lambda: subprocess.run(true, env={}), rounds=rounds),
        "runner": milliseconds(lambda: run(Start(argv=true), limits=LIMITS), rounds=rounds),
    }
    for kind in (SandboxKind.NONE, SandboxKind.BWRAP):
        jail = choose(kind)
        with tempfile.TemporaryDirectory() as tree:
            view = View(tree=Path(tree), at=Path("/jam/repo"))
            jail.adopt(view.tree)
            found[f"jail {jail.level}"] = milliseconds(
                lambda jail=jail, view=view: jail.run(true, view=view, limits=LIMITS), rounds=rounds
            )
    return found


def flood() -> Mapping[str, float]:
    """A gigabyte of output through the jail, and the most memory this process ever had."""
    jail: Jail = choose(SandboxKind.BWRAP)
    with tempfile.TemporaryDirectory() as tree:
        view = View(tree=Path(tree), at=Path("/jam/repo"))
        jail.adopt(view.tree)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ran = jail.run(FLOOD, view=view, limits=LIMITS)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "bytes": ran.output_bytes,
        "seconds": round(ran.seconds, 2),
        "peak MB before": round(before / 1024, 1),
        "peak MB after": round(peak / 1024, 1),
    }


def adoption(*, files: int) -> float:
    """Seconds to hand over a checkout of this many files."""
    jail = choose(SandboxKind.BWRAP)
    with tempfile.TemporaryDirectory() as tree:
        for number in range(files):
            folder = Path(tree, str(number % 200))
            folder.mkdir(exist_ok=True)
            (folder / f"{number}.py").touch()
        began = time.perf_counter()
        jail.adopt(Path(tree))
        return round(time.perf_counter() - began, 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    figures = {
        "flood": flood(),  # first: the peak is this process's own
        "ms per command": costs(rounds=asked.rounds),
        "s to adopt 10,000 files": adoption(files=10_000),
    }
    print(json.dumps(figures) if asked.json else json.dumps(figures, indent=2))
    return 0 if figures["flood"]["peak MB after"] < 150 else 1


if __name__ == "__main__":
    sys.exit(main())
