"""
What adjudication with all sensitivity checks costs beside one run of the oracle, on this machine.

    python benchmarks/sensitivity.py [--seconds 10] [--tests 200]

A repository whose tests sleep for ``--seconds`` together, and a change that mends one of them, go
through a whole session. The times are the ledger's; jam's own part is what no gate ran meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
JAM = "import sys; from bot.cli import main; sys.exit(main())"
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
CONTRACT = """\
version: 1
oracles:
  unit:
    gates:
      - run: {python} -m pytest -q -p no:cacheprovider
"""
PRODUCT = "def free(total, taken):\n    left = total - taken\n    return left if left > 1 else 0\n"
TESTS = """\
import time

import pytest

from lib import free


@pytest.mark.parametrize("number", range({tests}))
def test_slowly(number):
    time.sleep({each})
    assert free(number + 9, 2) == number + 7


def test_one_is_left():
    assert free(3, 2) == 1
"""


def lay(home: Path, *, seconds: float, tests: int) -> Path:
    repo = home / "repo"
    files = {
        "lib.py": PRODUCT,
        "tests/test_lib.py": TESTS.format(tests=tests, each=seconds / tests),
        ".github/jam.yml": CONTRACT.format(python=sys.executable),
    }
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    (home / "issue.md").write_text("# One is left\n\nfree(3, 2) is 0.\n")
    for args in (("init", "-qb", "main"), ("add", "-A"), (*IDENTITY, "commit", "-qm", "base")):
        subprocess.run(["git", "-C", str(repo), *args], check=True)
    return repo


def session(home: Path) -> tuple[list[dict[str, Any]], list[tuple[float, str]]]:
    """The ledger's facts, and what jam said, with the time of each line."""
    agent = "command:sed -i 's/left > 1/left > 0/' lib.py"
    words = ["fix", "--repo", home / "repo", "--issue", home / "issue.md", "--agent", agent]
    argv = [sys.executable, "-u", "-c", JAM, *map(str, words), "--state", str(home / "state")]
    said = []
    with subprocess.Popen(
        argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as running:  # fmt: skip
        assert running.stderr is not None
        said = [(time.monotonic(), line.rstrip()) for line in running.stderr]
    (ledger,) = (home / "state").glob("sessions/*/ledger*")
    return [json.loads(line)["fact"] for line in ledger.read_text().splitlines()], said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tests", type=int, default=200)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as name:
        home = Path(name)
        lay(home, seconds=wanted.seconds, tests=wanted.tests)
        facts, said = session(home)
    tell(facts, said)


def tell(facts: list[dict[str, Any]], said: list[tuple[float, str]]) -> None:
    judged = [fact for fact in facts if fact["kind"] == "judged"]
    once = statistics.median(f["seconds"] for f in judged if f["purpose"] == "preflight")
    runs = [fact["seconds"] for fact in judged if fact["purpose"] == "adjudication"]
    probes = {fact["name"]: fact for fact in facts if fact["kind"] == "probed"}
    gate = next(at for at, line in said if "stop gate" in line)
    done = max(at for at, line in said if "check " in line)
    print(f"one run of the oracle              {once:6.1f} s")
    print(f"adjudication's three runs          {' + '.join(f'{s:.1f}' for s in runs)} s")
    for check, fact in probes.items():
        print(f"check {check:12} {fact['result']:14} {fact['seconds']:9.1f} s")
    print(
        f"adjudication with all checks       {done - gate:6.1f} s = {(done - gate) / once:.2f} runs"
    )
    print(f"end: {facts[-1].get('end', facts[-1]['kind'])}")


if __name__ == "__main__":
    main()
