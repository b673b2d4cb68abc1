"""
How many candidate changes a second: the search of ``repair`` against one pytest process each.

    python benchmarks/repair.py [--seconds 20]

Both try the same changes to the same small repository, on the same machine, in one run, one after
the other: first jam's search as it is, then, for each of as many changes as there is time for, the
text written to disk and ``python -m pytest -x`` started on the failing tests. Prints one table.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Event

from bot.adapters.lab import RiggedLab
from bot.adapters.sandbox import NoJail
from bot.agents.repair.search import search
from bot.core.contract import Gate, Oracle
from bot.core.experiment import Experiment
from bot.ports import Bench, View

# No single small change mends it, so that the search goes on for all of its time.
SOURCE = '''\
def tally(lines, sep=",", skip=0):
    """Counts per name, the largest first."""
    counts = {}
    for number, line in enumerate(lines):
        if number < skip or not line.strip():
            continue
        name, _, amount = line.partition(sep)
        counts[name] = counts.get(name, 0) + int(amount or 1)
    best = sorted(counts.items(), key=lambda pair: pair[1])
    return [(name, count) for name, count in best if count > 1]
'''
TESTS = """\
from shop import tally

def test_target():
    assert tally(["a,2", "b,5", "", "c;9"]) == [("b", 5, 0.7), ("a", 2, 0.3)]

def test_empty():
    assert tally([]) == []

def test_skip():
    assert tally(["a,2", "b,2"], skip=1) == [("b", 2)]
"""
TARGET = "tests/test_shop.py::test_target"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as folder:
        tree = lay(Path(folder) / "tree")
        ours = by_search(tree, Path(folder) / "scratch", seconds=seconds)
        plain = by_process(tree, seconds=seconds, extra={})
        quick = by_process(tree, seconds=seconds, extra={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    print("| evaluator | candidates per second | times |")
    print("|---|--:|--:|")
    for name, rate in (
        ("one pytest process each", plain),
        ("the same, plugins not loaded", quick),
        ("jam's search", ours),
    ):
        print(f"| {name} | {rate:,.1f} | {rate / plain:,.0f} |")


def lay(tree: Path) -> Path:
    (tree / "tests").mkdir(parents=True)
    (tree / "shop.py").write_text(SOURCE)
    (tree / "tests" / "test_shop.py").write_text(TESTS)
    return tree


def by_search(tree: Path, scratch: Path, *, seconds: float) -> float:
    """Counted from the first candidate to the last, as the subprocesses are."""
    jail = NoJail()
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    gate = Gate(run=f"{sys.executable} -m pytest -q -p no:cacheprovider")
    bench = Bench(
        jail=jail,
        view=View(tree=tree, at=tree, env={"PATH": path, "PYTHONPATH": "."}),
        oracle=Oracle(gates=(gate,)),
        passing=frozenset(),
        is_read_only=lambda path: path.startswith("tests/"),
        may_run=lambda _: ("allow", ""),
        may_write=lambda _: ("allow", ""),
        say=lambda _: None,
        stop=Event(),
    )
    lab = RiggedLab(folder=scratch, interpreters=lambda: ())
    experiment = Experiment(
        gate=gate,
        editable=("shop.py",),
        targets=(TARGET,),
        passing=frozenset(),
        seconds=seconds,
    )
    heard, why = search(lab, experiment, bench)
    if heard.progress is None:
        raise SystemExit(f"the search did not run: {why}")
    return heard.progress.tried / heard.progress.seconds


def by_process(tree: Path, *, seconds: float, extra: dict[str, str]) -> float:
    env = {**os.environ, "PYTHONPATH": ".", "PYTHONDONTWRITEBYTECODE": "1", **extra}
    argv = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", TARGET]
    path, tried, began = tree / "shop.py", 0, time.monotonic()
    while time.monotonic() - began < seconds:
        path.write_text(SOURCE.replace("count > 1", f"count > {tried + 2}"))
        subprocess.run(argv, cwd=tree, env=env, capture_output=True, check=False)
        tried += 1
    path.write_text(SOURCE)
    return tried / (time.monotonic() - began)


if __name__ == "__main__":
    main()
