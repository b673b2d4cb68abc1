"""
Breaks the product on purpose, on the base and on the change, and compares what the tests notice.

The defence against a test that was weakened in a way that reading it does not show. The lines are
those that the test runs on the base, measured before any agent is there.
"""

from __future__ import annotations

import json
import math
import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bot.core.contract import Dialect, Gate
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.finding import Finding
from bot.core.flaky.guard import is_of_tests
from bot.core.flaky.mend_facts import Mutated
from bot.core.flaky.mend_mutants import Mutant, mutants, spread
from bot.core.flaky.mend_steps import Mutate
from bot.core.flaky.runs import Run, Seen
from bot.core.tree import TreeEntry
from bot.ports import Say, Workcopy
from bot.ports.flaky import VariedRuns

MOST = 12
TESTS = 6
TRIES = 20  # runs in which a test that fails by chance has to pass once
BY_CHANCE, MOST_TIMES = 0.02, 15
PLUGIN, COVERED = "jam_cover", ".jam-cover.json"
PLAIN_MODE = "100644"
ALLOWANCE = 0
TOLD = 10

Kill = tuple[str, str]  # a mutant's key and a test


def times_of(share: float) -> int:
    """So many failures in a row are no chance of a test that fails in this share of its runs."""
    if share <= 0:
        return 2
    return min(MOST_TIMES, max(2, math.ceil(math.log(BY_CHANCE) / math.log(share))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutator:
    runs: VariedRuns
    gate: Gate
    finding: Finding
    workcopy: Workcopy
    say: Say
    plugin: bytes  # writes down which lines a test runs
    wide: int  # breaks that are tried side by side
    clock: Callable[[], float] = time.monotonic

    def compare(self, step: Mutate, ground: str) -> Mutated:
        began = self.clock()
        chosen = spread(self._all(ground), MOST)
        if not chosen:
            return self._nothing(step, "the test runs no line of the product that can be broken")
        subjects, often = self._passing(ground)
        if not subjects:
            return self._nothing(step, "no test of the finding passes by itself on the base")
        self.say(f"breaking the product in {len(chosen)} ways, before and after")
        times = times_of(often)
        before = self._killed(ground, chosen, subjects, times=times, every=True)
        on_change = self._on_change(step.tree, {key for key, _ in before})
        still = frozenset(one.key for one in on_change)
        before = frozenset(kill for kill in before if kill[0] in still)
        after = self._killed(step.tree, on_change, subjects, times=3, every=False)
        gone = before - after
        by_key = {one.key: one for one in chosen}
        if gone:  # a test that fails by itself now and then had only seemed to notice
            doubted = [by_key[key] for key in sorted({key for key, _ in gone})]
            gone &= self._killed(ground, doubted, subjects, times=times + 1, every=True)
        return Mutated(
            attempt=step.attempt,
            tree=step.tree,
            tried=len(chosen),
            before=len(before),
            after=len(before - gone),
            lost=tuple(f"{by_key[key].place} ({test})" for key, test in sorted(gone)[:TOLD]),
            allowance=ALLOWANCE,
            why="" if before else "no break was noticed on the base either",
            seconds=round(self.clock() - began, 3),
        )

    def _nothing(self, step: Mutate, why: str) -> Mutated:
        return Mutated(attempt=step.attempt, tree=step.tree, why=why)

    @property
    def _condition(self) -> Condition:
        """The test first, then those that have a part in it: in this order it passes."""
        finding = self.finding
        setters = finding.setters[:TESTS]
        tests = (*setters, finding.test, *finding.tests, *finding.polluters)
        unique = tuple(dict.fromkeys(tests))[:TESTS]
        given = Order.GIVEN if self.runs.means(self.gate).order else Order.COLLECTED
        return Condition(tests=unique, order=given)

    def _passing(self, tree: str) -> tuple[frozenset[str], float]:
        """What passes on the base, and how often the worst of it does not."""
        made: list[Run] = []
        while len(made) < TRIES and not (made and all(self._seen(made, t) for t in self._asked)):
            made += self.runs.run(self.gate, [self._condition] * 2, tree=tree)
        passing = frozenset(test for test in self._asked if self._seen(made, test))
        shares = [sum(run.of(t) is Seen.FAILED for run in made) / len(made) for t in passing]
        return passing, max([*shares, self._known])

    @property
    def _known(self) -> float:
        """How often it fails by chance, as the search counted it; what always fails does so of
        another cause, which is not here."""
        before = self.finding.before
        return before.failed / before.runs if 0 < before.failed < before.runs else 0.0

    @property
    def _asked(self) -> tuple[str, ...]:
        return self._condition.tests

    def _seen(self, made: Sequence[Run], test: str) -> bool:
        return any(run.of(test) is Seen.PASSED for run in made)

    def _all(self, ground: str) -> tuple[Mutant, ...]:
        return tuple(
            mutant
            for path, lines in sorted(self._covered(ground).items())
            if not is_of_tests(path)
            for mutant in mutants(path, self._text(ground, path), lines)
        )

    def _covered(self, ground: str) -> Mapping[str, frozenset[int]]:
        if self.gate.report is not Dialect.PYTEST:
            return {}
        entry = TreeEntry(path=f"{PLUGIN}.py", mode=PLAIN_MODE, blob=self._kept(self.plugin))
        tree = self.workcopy.compose(ground, put=[entry], drop=())
        wanted = shlex.quote(json.dumps(self._condition.tests))
        command = (
            f'export JAM_COVER_TESTS={wanted} JAM_COVER_FILE={COVERED} PYTHONPATH=".:$PYTHONPATH" '
            f'PYTEST_ADDOPTS="$PYTEST_ADDOPTS -p {PLUGIN}"; ({self.gate.run}) >/dev/null 2>&1; '
            f"cat {COVERED}"
        )
        ran = self.runs.ask(command, tree=tree, timeout_s=self.gate.timeout_s)
        try:
            heard = json.loads(ran.output)
            return {str(path): frozenset(map(int, lines)) for path, lines in heard.items()}
        except (ValueError, AttributeError, TypeError):
            return {}

    def _on_change(self, tree: str, keys: Iterable[str]) -> tuple[Mutant, ...]:
        """The same breaks, made in the product as the change leaves it."""
        wanted = frozenset(keys)
        paths = sorted({key.partition("|")[0] for key in wanted})
        found = (one for path in paths for one in mutants(path, self._text(tree, path)))
        return tuple(one for one in found if one.key in wanted)

    def _killed(
        self,
        tree: str,
        chosen: Sequence[Mutant],
        subjects: frozenset[str],
        *,
        times: int,
        every: bool,
    ) -> frozenset[Kill]:
        """Noticed in every run, or in any: what is asked of the base, and of the change."""
        broken = [self._broken(tree, mutant) for mutant in chosen]

        def noticing(one: str) -> frozenset[str]:
            return self._noticing(one, subjects, times=times, every=every)

        with ThreadPoolExecutor(self.wide) as pool:
            found = zip(chosen, pool.map(noticing, broken), strict=True)
            return frozenset((mutant.key, test) for mutant, tests in found for test in tests)

    def _noticing(
        self, tree: str, subjects: frozenset[str], *, times: int, every: bool
    ) -> frozenset[str]:
        """A run that could change nothing any more is not made."""
        noticed, settled = (subjects, frozenset[str]()) if every else (frozenset[str](), subjects)
        for _ in range(times):
            (run,) = self.runs.run(self.gate, [self._condition], tree=tree)
            seen = self._noticed(run, subjects)
            noticed = noticed & seen if every else noticed | seen
            if noticed == settled:
                break
        return noticed

    def _broken(self, tree: str, mutant: Mutant) -> str:
        entry = self.workcopy.entries(tree)[mutant.path]
        blob = self._kept(mutant.text.encode())
        put = TreeEntry(path=mutant.path, mode=entry.mode, blob=blob)
        return self.workcopy.compose(tree, put=[put], drop=())

    def _noticed(self, run: Run, subjects: frozenset[str]) -> frozenset[str]:
        """A break that hangs or cannot be imported is noticed by everything."""
        if run.invalid:
            return subjects
        return frozenset(test for test in subjects if run.of(test) is not Seen.PASSED)

    def _text(self, tree: str, path: str) -> str:
        return (self.workcopy.read(tree, path) or b"").decode(errors="replace")

    def _kept(self, content: bytes) -> str:
        return self.workcopy.write(content)
