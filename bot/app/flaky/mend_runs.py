"""
The runs that decide a mend: on the base and on a change, in clean rooms, until the first failure.

How many are needed was fixed before (``Planned``). Seeds of fresh conditions come from the ledger's
last seal, which no agent can see.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bot.core.canonical import spell, unspell
from bot.core.contract import Gate
from bot.core.flaky import mend_rules, statistics
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.finding import Category, Finding
from bot.core.flaky.mend_facts import (
    FAILED,
    INVALID,
    PASSED,
    Arm,
    Planned,
    Sampled,
    SuiteRan,
)
from bot.core.flaky.mend_steps import ATTEMPTS, Mend, RunSuite, Sample
from bot.core.flaky.runs import Run, Seen
from bot.ports import Evidence, Say
from bot.ports.flaky import VariedRuns

MOST_RED = 150
FREE = 59  # a bound of 5 %
INVALID_SHARE = 3  # one in so many is made again where it judged nothing, and two besides
FIXED, SHUFFLED = 3, 5
BATCH = 4  # runs of each lane before it is asked whether one failed
RELATED = 3_000  # tests that are run together with the mended one under free variation
SHARE = 0.6  # of the budget may go into the runs of one attempt
TOLD = 40
YEAR_S = 31_536_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """``wide``: runs at a time."""

    runs: VariedRuns
    gate: Gate
    finding: Finding
    evidence: Evidence
    say: Say
    wide: int
    clock: Callable[[], float] = time.monotonic
    _suites: dict[str, mend_rules.Tally] = field(default_factory=dict)

    def red(self, mend: Mend) -> Sampled:
        """On the base, until it fails once; what is recorded first, since that surely failed."""
        finding = self.finding
        rate = max(finding.before.failed, 1) / max(finding.before.runs, 1)
        needed = min(MOST_RED, max(2 * self.wide, statistics.runs_to_see(rate, confidence=0.99)))
        conditions = [*finding.failing, *[finding.condition] * needed][: max(needed, 2)]
        self.say("showing the failure on the base")
        return self._series(0, Arm.RED, mend.session.ground, conditions, needed=1)

    def plan(self, mend: Mend, *, seconds: float) -> Planned:
        """Sizes, from what the failures before were worth and what a run costs."""
        red = mend.red
        assert red is not None  # noqa: S101  # next_step asks in this order
        before = self.finding.before
        each = max(red.seconds / max(red.runs + red.invalid, 1), 0.05) / self.wide
        affordable = int(seconds * SHARE / each)
        least = statistics.clean_runs_for_drop(before.failed, before.runs, attempts=ATTEMPTS)
        same = statistics.clean_runs(before.failed, before.runs, attempts=ATTEMPTS)
        same = max(least, min(same, affordable - FREE))
        free = min(FREE, affordable - same)
        rate = statistics.interval(before.failed, before.runs)
        return Planned(
            attempts=ATTEMPTS,
            low=rate.low,
            high=rate.high,
            same=same,
            free=max(free, 0),
            bound=mend_rules.bound_of(same),
            wanted=min(statistics.RATE_TARGET, before.failed / before.runs / 2),
            seconds=round(each, 3),
            affordable=least <= affordable and mend_rules.bound_of(free) <= 2 * mend_rules.LOOSEST,
        )

    def sample(self, step: Sample, mend: Mend, *, chance: str) -> Sampled:
        planned, finding = mend.planned, self.finding
        assert planned is not None  # noqa: S101  # next_step asks in this order
        match step.arm:
            case Arm.REPLAY:
                failing = finding.failing or (finding.condition,)
                conditions = [one for one in failing for _ in range(mend_rules.REPLAYS)]
                needed = len(conditions)
            case Arm.SAME:
                needed = planned.same
                conditions = [finding.condition] * needed
            case _:
                needed = planned.free
                conditions = list(self._fresh(needed, mend, chance))
        self.say(f"{step.arm.value}: up to {needed} runs of the change")
        return self._series(step.attempt, step.arm, step.tree, conditions, needed=needed)

    def suite(self, step: RunSuite, mend: Mend, *, chance: str) -> SuiteRan:
        """Everything, fixed and shuffled; measured against the base's, where there is one."""
        began = self.clock()
        self.say(f"the whole suite, {FIXED + SHUFFLED} times, on the {_side(step.attempt)}")
        has_order = self.runs.means(self.gate).order
        shuffled = [
            Condition(order=Order.SHUFFLED, order_seed=seed % 10**6, hash_seed=seed)
            for seed in _seeds(f"{chance}suite", SHUFFLED)
        ]
        conditions = [Condition()] * FIXED + (shuffled if has_order else [])
        made = self.runs.run(self.gate, conditions, tree=step.tree)
        valid = [run for run in made if not run.invalid]
        tally = _tally(valid)
        base = self.tally(mend.suite) if mend.suite else tally
        return SuiteRan(
            attempt=step.attempt,
            tree=step.tree,
            fixed=sum(run.condition.order is Order.COLLECTED for run in valid),
            shuffled=sum(run.condition.order is Order.SHUFFLED for run in valid),
            invalid=len(made) - len(valid),
            tests=len(tally),
            counts_sha256=self.evidence.put(spell(dict(tally)).encode()),
            lost=mend_rules.lost(base, tally)[:TOLD],
            worse=mend_rules.worse(base, tally)[:TOLD],
            seconds=round(self.clock() - began, 3),
        )

    def tally(self, suite: SuiteRan) -> mend_rules.Tally:
        kept = unspell(self.evidence.get(suite.counts_sha256))
        return {test: (int(failed), int(runs)) for test, (failed, runs) in kept.items()}

    def _fresh(self, count: int, mend: Mend, chance: str) -> Iterator[Condition]:
        """Orders and seeds that nobody has seen, and instants where time is at fault."""
        finding, related = self.finding, self._related(mend)
        has_order = self.runs.means(self.gate).order
        for seed in _seeds(f"{chance}free", count):
            change: dict[str, object] = {"hash_seed": seed, "random_seed": None, "tests": related}
            if has_order:
                change |= {"order": Order.SHUFFLED, "order_seed": seed % 10**6}
            if finding.category is Category.TIME and finding.condition.clock is not None:
                change["clock"] = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(
                    seconds=seed % YEAR_S
                )
            yield finding.condition.model_copy(update=change)

    def _related(self, mend: Mend) -> tuple[str, ...]:
        """All tests of the files that have a part in it."""
        finding = self.finding
        files = {_file(test) for test in (*finding.tests, *finding.polluters, *finding.setters)}
        known = sorted(self.tally(mend.suite)) if mend.suite else []
        related = tuple(test for test in known if _file(test) in files)
        return related if 0 < len(related) <= RELATED else (finding.test, *finding.polluters)

    def _series(
        self, attempt: int, arm: Arm, tree: str, conditions: Sequence[Condition], *, needed: int
    ) -> Sampled:
        """Each of the conditions until one fails; a run that judged nothing is made again."""
        began, series, waiting = self.clock(), Series(self.finding), deque(conditions)
        spare = len(conditions) // INVALID_SHARE + 2
        # A run waits for nobody's end but that of its batch: on a change, where none should fail,
        # a batch is long.
        batch = self.wide * (BATCH if attempt else 1)
        while waiting and series.failing is None:
            taken = [waiting.popleft() for _ in range(min(batch, len(waiting)))]
            for run in self.runs.run(self.gate, taken, tree=tree):
                if series.add(run) is Seen.ABSENT and series.invalid <= spare:
                    waiting.append(run.condition)
        said = f"{series.valid} runs, {series.failed} failed"
        self.say(f"{arm.value} on the {_side(attempt)}: {said}")
        return series.fact(
            attempt, arm, tree, needed=needed, seconds=round(self.clock() - began, 3)
        )


class Series:
    """Runs as they are counted: one that judged nothing of the test is invalid."""

    def __init__(self, finding: Finding) -> None:
        self._finding = finding
        self.valid = self.failed = self.invalid = 0
        self.failing: Run | None = None
        self._marks: list[str] = []
        self._evidence: list[str] = []
        self._why = ""

    def add(self, run: Run) -> Seen:
        seen = seen_in(run, self._finding)
        if run.report_sha256:
            self._evidence.append(run.report_sha256)
        match seen:
            case Seen.ABSENT:
                self.invalid += 1
                self._marks.append(INVALID)
                self._why = run.invalid or f"{self._finding.test} did not run"
            case Seen.FAILED:
                self.valid, self.failed = self.valid + 1, self.failed + 1
                self._marks.append(FAILED)
                self.failing = self.failing or run
            case Seen.PASSED:
                self.valid += 1
                self._marks.append(PASSED)
        return seen

    def fact(self, attempt: int, arm: Arm, tree: str, *, needed: int, seconds: float) -> Sampled:
        failing = self.failing
        test = failed_in(failing, self._finding) if failing else ""
        is_short = self.valid < needed and failing is None
        return Sampled(
            attempt=attempt,
            arm=arm,
            tree=tree,
            needed=needed,
            runs=self.valid,
            failed=self.failed,
            invalid=self.invalid,
            marks="".join(self._marks),
            failing=failing.condition if failing else None,
            signature=failing.failures[test] if failing else "",
            failure=failing.texts.get(test, "")[-2000:] if failing else "",
            why=self._why if is_short else "",
            evidence=tuple(self._evidence[:TOLD]),
            seconds=seconds,
        )


def seen_in(run: Run, finding: Finding) -> Seen:
    """Failed where any of the finding's tests failed; passed where the measured one passed."""
    if failed_in(run, finding):
        return Seen.FAILED
    wanted = frozenset(run.condition.tests)
    due = [test for test in finding.tests if not wanted or test in wanted] or [finding.test]
    return Seen.PASSED if all(run.of(test) is Seen.PASSED for test in due) else Seen.ABSENT


def failed_in(run: Run, finding: Finding) -> str:
    tests = (finding.test, *finding.tests)
    return next((test for test in tests if run.of(test) is Seen.FAILED), "")


def _tally(runs: Sequence[Run]) -> dict[str, tuple[int, int]]:
    tests = {test for run in runs for test in (*run.passed, *run.failures)}
    seen = {test: [run.of(test) for run in runs] for test in sorted(tests)}
    return {
        test: (marks.count(Seen.FAILED), len(marks) - marks.count(Seen.ABSENT))
        for test, marks in seen.items()
    }


def _seeds(chance: str, count: int) -> Iterator[int]:
    for number in range(count):
        digest = hashlib.sha256(f"{chance}\n{number}".encode()).digest()
        yield int.from_bytes(digest[:4], "big")


def _file(test: str) -> str:
    return test.partition("::")[0] if "::" in test else test.rpartition(".")[0].rpartition(".")[0]


def _side(attempt: int) -> str:
    return "change" if attempt else "base"
