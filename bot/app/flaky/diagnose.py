"""
Why a wavering test wavers: experiments from the cheapest on, until one condition fails it.

Alone, then the failing run again, then each factor of that run by itself. What fails every time is
shrunk to the least that fails; what fails now and then is counted and asked about load and seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.app.flaky import chance, order, victim
from bot.app.flaky.diagnosis import Diagnosis as Diagnosis
from bot.app.flaky.trials import SURE, OutOfTime, Trials, alone, in_order
from bot.core.flaky.condition import Condition
from bot.core.flaky.factors import factors, only, words
from bot.core.flaky.finding import Category
from bot.core.flaky.proof import LEAST
from bot.core.flaky.reduce import Part
from bot.core.flaky.runs import Run, Seen
from bot.core.flaky.screen import Screen
from bot.core.flaky.statistics import FAILURES

REPLAYS = 3
ALONE_FIRST = 30  # clean runs alone, before the whole is run so often
CATEGORY = {
    "repetition": Category.REPEATED,
    "hash seed": Category.UNORDERED,
    "clock": Category.TIME,
    "time zone": Category.TIME,
    "locale": Category.PLATFORM,
    "used folder": Category.RESOURCE,
    "network": Category.NETWORK,
    "random seed": Category.RANDOM,
    "workers": Category.CONCURRENCY,
    "load": Category.CONCURRENCY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    trials: Trials
    screen: Screen
    others: tuple[str, ...] = ()  # wavering tests that nothing has explained yet

    def diagnose(self, test: str) -> Diagnosis | None:
        """None where no condition could be found under which it fails again."""
        self.trials.say(f"{test}: alone")
        runs = self.trials.make([alone(test)] * SURE)
        failed = [run for run in runs if run.of(test) is Seen.FAILED]
        brittle = self._brittle(test, runs) if len(failed) == SURE else None
        if failed:
            return brittle or self._by_chance(test, alone(test), runs)
        return self._in_company(test, runs)

    def _brittle(self, test: str, runs: Sequence[Run]) -> Diagnosis | None:
        passing = [run for run in self.screen.valid if run.of(test) is Seen.PASSED]
        for run in sorted(passing, key=lambda one: len(order.before(one, test)))[:3]:
            part = order.setters(self.trials, run, test)
            if part is not None:
                return self._needs(test, part, runs)
        return None

    def _needs(self, test: str, part: Part, runs: Sequence[Run]) -> Diagnosis | None:
        counter = in_order((*part, test))
        after, _ = self.trials.sample(counter, test, failures=2, most=SURE)
        signature = self.screen.signature(test)
        before, _ = self.trials.sample(alone(test), test, signature=signature, begun=runs)
        if after.failed or not after.runs or before.failed < before.runs:
            return None
        return Diagnosis(
            category=Category.BRITTLE,
            condition=alone(test),
            before=before,
            counter=counter,
            after=after,
            certain=True,
            setters=part,
            why=(
                f"alone it failed {before.failed} of {before.runs} times",
                f"after {' and '.join(part)} it passed {after.runs} of {after.runs}",
            ),
        )

    def _in_company(self, test: str, runs: Sequence[Run]) -> Diagnosis | None:
        """It passes alone."""
        ways = sorted(self.screen.failing(test), key=_nearness)
        if all(run.condition.load for run in ways):
            return self._under_load(test, ways[0].condition)
        # What wavers where nothing is varied would waver in every replay, too.
        for way in () if self.screen.wavers_plainly(test) else _different(ways)[:4]:
            found = self._replay(test, way)
            if found is not None:
                return found
        return self._now_and_then(test, runs, ways)

    def _replay(self, test: str, run: Run) -> Diagnosis | None:
        """The failing run once more; where it always fails, each factor by itself."""
        told = factors(run.condition)
        self.trials.say(f"{test}: as in run {run.number} ({words(run.condition)})")
        for factor in told:
            if factor != "order" and (found := self._by_factor(test, run.condition, factor)):
                return found
        earlier = order.before(run, test)
        if {"workers", "load"}.intersection(told) or not earlier:
            return None  # three failures in a row may be chance there: they are counted
        for part in dict.fromkeys((order.suspected(self.screen, test, earlier), earlier)):
            if part and self._fails(in_order((*part, test)), test):
                return victim.explain(self.trials, self.screen, test, part, self.others)
        both = in_order((*earlier, test), like=run.condition)
        return self._joint(test, both, told) if told and self._fails(both, test) else None

    def _by_factor(self, test: str, seen: Condition, factor: str) -> Diagnosis | None:
        """Alone if that is enough; else, where nothing but it was varied, as it was seen."""
        if factor in ("load", "workers"):
            return None  # these fail now and then: they are counted
        condition = only(seen, factor)
        asked = [condition.model_copy(update={"tests": (test,)})]
        asked += [condition] if condition == seen else []
        certain = next((one for one in asked if self._fails(one, test)), None)
        return self._certain(test, certain, CATEGORY[factor], factor) if certain else None

    def _fails(self, condition: Condition, test: str) -> bool:
        """Every time, in the way it failed before."""
        signature = self.screen.signature(test)
        first = self.trials.make([condition])[0]
        if first.failures.get(test) != signature:
            return False
        rest = self.trials.make([condition] * (REPLAYS - 1))
        return all(run.failures.get(test) == signature for run in rest)

    def _certain(
        self, test: str, condition: Condition, category: Category, factor: str
    ) -> Diagnosis | None:
        plain = Condition(tests=condition.tests)
        signature = self.screen.signature(test)
        after, _ = self.trials.sample(plain, test, failures=1, most=FAILURES)
        before, _ = self.trials.sample(condition, test, signature=signature)
        if after.failed or not after.runs:
            return None
        return Diagnosis(
            category=category,
            condition=condition,
            before=before,
            counter=plain,
            after=after,
            certain=before.failed == before.runs,
            failing=self._seen(test, factor),
            why=(
                f"{words(condition)} it failed {before.failed} of {before.runs} times",
                f"{words(plain)} it passed {after.runs} of {after.runs}: only the {factor} differs",
            ),
        )

    def _seen(self, test: str, factor: str) -> tuple[Condition, ...]:
        """Values of the factor with which it failed while jam looked, the test alone."""
        found = (
            only(run.condition, factor).model_copy(update={"tests": (test,)})
            for run in self.screen.failing(test)
            if factor in factors(run.condition)
        )
        return tuple(dict.fromkeys(found))[:20]

    def _joint(self, test: str, condition: Condition, told: Sequence[str]) -> Diagnosis | None:
        before, _ = self.trials.sample(condition, test, signature=self.screen.signature(test))
        after, _ = self.trials.sample(alone(test), test, failures=1, most=SURE)
        if after.failed or not before.failed:
            return None
        return Diagnosis(
            category=Category.UNKNOWN,
            condition=condition,
            before=before,
            counter=alone(test),
            after=after,
            certain=before.failed == before.runs,
            why=(f"it fails only where these meet: {', '.join(told)}",),
        )

    def _under_load(self, test: str, seen: Condition) -> Diagnosis | None:
        """It never failed without, so that it is not waited for there."""
        signature = self.screen.signature(test)
        for condition in (seen.model_copy(update={"tests": (test,)}), seen):
            count, made = self.trials.sample(condition, test, signature=signature, most=ALONE_FIRST)
            if count.failed >= LEAST:
                return self._by_chance(test, condition, made)
        return None

    def _now_and_then(
        self, test: str, runs: Sequence[Run], ways: Sequence[Run]
    ) -> Diagnosis | None:
        """Alone for a while, then as it was seen to fail."""
        signature = self.screen.signature(test)
        count, made = self.trials.sample(
            alone(test), test, signature=signature, most=ALONE_FIRST, begun=runs
        )
        if count.failed:
            return self._by_chance(test, alone(test), made)
        for condition in _conditions(test, ways):
            count, made = self.trials.sample(condition, test, signature=signature, most=ALONE_FIRST)
            if count.failed >= LEAST:
                return self._by_chance(test, condition, made)
        return None

    def _by_chance(self, test: str, condition: Condition, begun: Sequence[Run]) -> Diagnosis | None:
        self.trials.say(f"{test}: how often it fails {words(condition)}")
        signature = self.screen.signature(test)
        count, _ = self.trials.sample(condition, test, signature=signature, begun=begun)
        if not count.failed:
            return None
        try:
            told = chance.explain(self.trials, test, condition, count)
        except OutOfTime:
            told = chance.Explained(category=Category.UNKNOWN, why=("the time ran out",))
        return Diagnosis(
            category=told.category,
            condition=condition,
            before=count,
            counter=told.counter,
            shown=told.pinned,
            others=told.others,
            why=told.why,
            failing=told.failing,
        )


def _nearness(run: Run) -> tuple[bool, int, bool, int]:
    """Repetition last: it would hide what fails a test in a run that somebody makes. Then the
    fewest factors first; among those, what can be replayed exactly."""
    told = factors(run.condition)
    return ("repetition" in told, len(told), "workers" in told or "load" in told, run.number)


def _different(runs: Sequence[Run]) -> list[Run]:
    """One for each set of factors: two shuffles tell the same twice."""
    return list({factors(run.condition): run for run in reversed(runs)}.values())[::-1]


def _conditions(test: str, ways: Sequence[Run]) -> list[Condition]:
    """Those under which it was seen to fail: alone where load is the matter, else as they were."""
    found: list[Condition] = []
    for run in ways:
        condition = run.condition
        if condition.load:
            found.append(condition.model_copy(update={"tests": (test,)}))
        found.append(condition)
    return list(dict.fromkeys(found))[:3]
