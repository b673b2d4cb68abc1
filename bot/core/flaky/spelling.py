"""
A condition as a command that a person can paste into a shell in the checkout.

Plain pytest (or unittest) as far as that goes: variables in front, ids behind. Whether the command
really shows the failure is tried by whoever hands it out; '' where none can be spelled.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from bot.core.contract import Dialect, Gate
from bot.core.flaky.condition import Condition, Order

MOST_IDS = 150
PYTEST = re.compile(
    r"(?P<head>(?:[^\s;&|]*python[0-9.]*\s+(?:-[A-Za-z]\S*\s+)*-m\s+|\b)(?:pytest|py\.test))\b"
    r"(?P<rest>[^;&|>]*)"
)
COVERAGE = re.compile(r"coverage\s+run\s+[^;&|]*-m\s+$")
UNITTEST = re.compile(r"(?P<head>[^\s;&|]*python[0-9.]*\s+-m\s+unittest)\b(?P<rest>[^;&|>]*)")
#: options that a run needs to be the same run; those behind take a value
FLAGS = ("--import-mode", "--rootdir", "--confcutdir", "--strict", "-s", "--capture", "--pyargs")
VALUED = ("-c", "-p", "-o", "-W", "--rootdir", "--import-mode", "--confcutdir")
SEEDED = """\
import gc, random, sys, pytest
class Seed:
    def pytest_runtest_setup(self, item):
        for found in gc.get_objects():
            if issubclass(type(found), random.Random): found.seed({seed})
        random.seed({seed})
        if "numpy.random" in sys.modules: sys.modules["numpy.random"].seed({seed})
sys.exit(pytest.main(sys.argv[1:], plugins=[Seed()]))"""
TWICE = """\
import sys, pytest
sys.exit(max(pytest.main(sys.argv[1:]) for _ in range({times})))"""


def command(gate: Gate, condition: Condition, *, rate: float = 1.0, tries: int = 0) -> str:
    """``rate`` below 1: in a loop of ``tries`` that ends with the first failure."""
    if len(condition.tests) > MOST_IDS or condition.order in (Order.SHUFFLED, Order.REVERSED):
        return ""
    told = _inner(gate, condition)
    if not told:
        return ""
    if condition.reused_folder:
        told = f"( export TMPDIR=$(mktemp -d); {told}; {told} )"
    if condition.load:
        told = (
            f"( for i in $(seq {condition.load}); do while :; do :; done & done; "
            f"{told}; s=$?; kill $(jobs -p); exit $s )"
        )
    if rate < 1 and tries > 1:
        told = f"for i in $(seq {tries}); do {told} || break; done"
    return told


def _inner(gate: Gate, condition: Condition) -> str:
    if gate.report is Dialect.PYTEST:
        return _pytest(gate, condition)
    if gate.report is Dialect.UNITTEST and condition.random_seed is None and condition.repeat < 2:
        found = UNITTEST.search(gate.run)
        if found is None:
            return ""
        rest = shlex.join(condition.tests) if condition.tests else found["rest"].strip()
        before = gate.run[: found.start()]
        return f"{before}{_prefix(condition)}{found['head']} {rest}".rstrip()
    return "" if condition.tests else f"{_prefix(condition)}{gate.run}"


def _pytest(gate: Gate, condition: Condition) -> str:
    found = PYTEST.search(gate.run)
    if found is None:
        return ""
    words = _words(found["rest"], keep_places=not condition.tests)
    words += ["-n", str(condition.workers)] if condition.workers else []
    words += condition.tests
    head, before = found["head"].strip(), gate.run[: found.start()]
    if covered := COVERAGE.search(before):  # it would only slow the tests down
        head, before = f"python -m {head}", before[: covered.start()]
    script = ""
    if condition.random_seed is not None:
        script = SEEDED.format(seed=condition.random_seed)
    elif condition.repeat > 1:
        script = TWICE.format(times=condition.repeat)
    if script:
        head = f"{_python(head)} -c {shlex.quote(script)}"
    return f"{before}{_prefix(condition)}{head} {shlex.join(words)}".rstrip()


def _python(head: str) -> str:
    return head.split()[0] if "-m" in head.split() else "python"


def _words(rest: str, *, keep_places: bool) -> list[str]:
    """The options of the gate's command that decide what a test sees."""
    try:
        words = shlex.split(rest)
    except ValueError:
        return ["-q"]
    if keep_places:
        return words
    kept = ["-q"]
    waiting = iter(words)
    for word in waiting:
        if word in VALUED:
            kept += [word, next(waiting, "")]
        elif word.startswith((*FLAGS, "-p", "-o", "-W")) and not word.startswith("-q"):
            kept.append(word)
    return kept


def _prefix(condition: Condition) -> str:
    words = [*_variables(condition), *_clock(condition)]
    return "".join(f"{word} " for word in words)


def _variables(condition: Condition) -> Sequence[str]:
    found = []
    if condition.hash_seed:
        found.append(f"PYTHONHASHSEED={condition.hash_seed}")
    if condition.zone or condition.clock:
        found.append(f"TZ={condition.zone or 'UTC'}")
    if condition.locale:
        found.append(f"LC_ALL={condition.locale}")
    return found


def _clock(condition: Condition) -> Sequence[str]:
    """The instant is written in the zone that the tests will see; faketime reads it so."""
    if condition.clock is None:
        return ()
    at = condition.clock
    if condition.zone:
        from zoneinfo import ZoneInfo

        at = at.astimezone(ZoneInfo(condition.zone))
    return ("FAKETIME_DONT_FAKE_MONOTONIC=1", "faketime", "-f", f"'@{at:%Y-%m-%d %H:%M:%S}'")
