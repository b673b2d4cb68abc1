"""
What adjudication with all sensitivity checks costs beside one run of the oracle, on this machine.

    python benchmarks/adjudication.py [--seconds 10] [--tests 200] [--times 3]

A repository whose tests sleep for ``--seconds`` together, and a change that mends one of them, go
through whole sessions. Times are read off a clock that every command in the sandbox passes: jam's
own part is the time of an adjudication in which no command ran at all. Medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bot.adapters import sandbox  # noqa: E402
from bot.adapters.repository import open_repository  # noqa: E402
from bot.adapters.store import Store  # noqa: E402
from bot.app import conduct, engine  # noqa: E402
from bot.app.case import Case  # noqa: E402
from bot.app.opening import Wanted, open_session  # noqa: E402
from bot.core.contract import Contract, Gate, Oracle, SandboxKind  # noqa: E402
from bot.core.session import Session  # noqa: E402
from bot.core.steps import Adjudicate, Conclude, Preflight, Probe, Step  # noqa: E402
from bot.ports import Jail, Limits, Ran, View  # noqa: E402
from bot.wiring import local  # noqa: E402
from bot.wiring.settings import read  # noqa: E402
from bot.wiring.working import base_of  # noqa: E402

IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
AGENT = "command:sed -i 's/left > 1/left > 0/' lib.py"
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
Span = tuple[float, float]


def lay(repo: Path, *, seconds: float, tests: int) -> Path:
    files = {
        "lib.py": PRODUCT,
        "tests/test_lib.py": TESTS.format(tests=tests, each=seconds / tests),
    }
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    for args in (("init", "-qb", "main"), ("add", "-A"), (*IDENTITY, "commit", "-qm", "base")):
        subprocess.run(["git", "-C", str(repo), *args], check=True)
    return repo


@dataclass
class Timed:
    """A jail that notes when something ran in it."""

    jail: Jail
    spans: list[Span] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    @property
    def level(self) -> str:
        return self.jail.level

    def run(self, argv: Sequence[str], *, view: View, limits: Limits, **more: Any) -> Ran:
        began = time.monotonic()
        try:
            return self.jail.run(argv, view=view, limits=limits, **more)
        finally:
            with self.lock:
                self.spans.append((began, time.monotonic()))

    def adopt(self, folder: Path) -> None:
        self.jail.adopt(folder)


@dataclass
class Watched:
    """Hands whose steps are timed."""

    hands: Any
    steps: list[tuple[Step, Span]] = field(default_factory=list)

    def perform(self, step: Step, session: Session) -> Any:
        began = time.monotonic()
        facts = self.hands.perform(step, session)
        self.steps.append((step, (began, time.monotonic())))
        return facts

    def before(self, session: Session) -> Any:
        return self.hands.before(session)


@dataclass(frozen=True)
class Cost:
    once: float  # one run of the oracle
    whole: float  # adjudication, checks and last word
    own: float  # of that, with no command running
    end: str


def measure(home: Path, *, seconds: float, tests: int) -> Cost:
    repository = open_repository(lay(home / "repo", seconds=seconds, tests=tests))
    run = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q -p no:cacheprovider"
    contract = Contract(version=1, oracles={"unit": Oracle(gates=(Gate(run=run),))})
    store, jail = Store(home / "state"), Timed(sandbox.choose(SandboxKind.AUTO))
    opened = open_session(
        Wanted(
            contract=contract,
            contract_from="a benchmark",
            objective="one is left",
            base=base_of(repository, repository.resolve("HEAD"), "main"),
            agents=(AGENT,),
            sandbox=jail.level,
        ),
        evidence=store,
        now=local.now(),
        chance="00000000",
    )
    store.create(opened.session)
    site = local.Site(
        repository=repository, store=store, jail=jail, settings=read(),
        say=lambda _: None, stop=Event(),
    )  # fmt: skip
    case = Case(opened=opened, contract=contract, objective="one is left")
    with store.lock(opened.session), local.performer(case, site) as performer:
        hands = Watched(performer)
        engine.begin(opened, store, hands)
        ended = conduct.conduct(
            opened.session, store, hands, terms=case.terms, stop=site.stop, now=local.now
        )
    return cost(hands, jail.spans, ended.end)


def cost(hands: Watched, spans: Sequence[Span], end: str) -> Cost:
    judging = [
        span for step, span in hands.steps if isinstance(step, Adjudicate | Probe | Conclude)
    ]
    whole = sum(ended - began for began, ended in judging)
    busy = sum(_covered(span, spans) for span in judging)
    preflights = [span for step, span in hands.steps if isinstance(step, Preflight)]
    once = statistics.median(_covered(span, spans) for span in preflights)
    return Cost(once=once, whole=whole, own=whole - busy, end=end)


def _covered(within: Span, spans: Iterable[Span]) -> float:
    """How much of ``within`` lies in any of the spans."""
    total, at = 0.0, within[0]
    for began, ended in sorted(spans):
        first, last = max(began, at), min(ended, within[1])
        if last > first:
            total += last - first
            at = last
    return total


@contextmanager
def somewhere() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="jam-bench-") as name:
        yield Path(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tests", type=int, default=200)
    parser.add_argument("--times", type=int, default=3)
    wanted = parser.parse_args()
    print(f"load before {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    costs = []
    for _ in range(wanted.times):
        with somewhere() as home:
            one = measure(home, seconds=wanted.seconds, tests=wanted.tests)
        costs.append(one)
        ratio = one.whole / one.once
        print(f"{one.end}: {one.whole:.1f} s = {ratio:.2f} runs; jam's own part {one.own:.2f} s")
    ratio = statistics.median(one.whole / one.once for one in costs)
    own = statistics.median(one.own for one in costs)
    print(f"adjudication with all checks   {ratio:.2f} runs of the oracle")
    print(f"jam's own part of it           {own:.2f} s")
    print(f"load after {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
