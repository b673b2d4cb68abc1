"""
What the runs of a sensitivity check gave, and the word that follows.

*Passed* only where the check acted and was noticed. *Failed* only where nothing but the change can
be the reason. Everything else is *not applicable*, with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.core.ended import Ended
from bot.core.report import Case, Mark, Report
from bot.core.sensitivity.ids import TestName
from bot.core.sensitivity.twin import Twin, reached
from bot.core.verdict import Heard

Result = Literal["passed", "failed", "not applicable"]
NAMED = 3  # tests in a sentence


@dataclass(frozen=True, slots=True)
class Word:
    """``blind``: it had something to act on, and its run told nothing."""

    result: Result
    why: str
    blind: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One run: what it said of each id. ``trouble``: why it cannot be believed."""

    cases: Mapping[str, Case] = field(default_factory=dict)
    broken: tuple[str, ...] = ()  # messages of files that could not be collected
    trouble: str = ""
    untold: bool = False  # the run failed, and told of no test that did
    cut: bool = False  # it ended by itself, and before its report did
    output: str = ""

    def passed(self, test: str) -> bool:
        return test in self.cases and self.cases[test].mark is Mark.PASSED

    def message(self, test: str) -> str:
        return self.cases[test].message if test in self.cases else ""


def sight(heard: Heard, *, output: str = "") -> Sighting:
    if heard.ended is not Ended.EXITED:
        return Sighting(trouble=f"the run was ended ({heard.ended.value})", output=output)
    if not isinstance(heard.reading, Report):
        reading = heard.reading
        untold, cut = reading.untold, reading.cut
        return Sighting(trouble=reading.reason, untold=untold, cut=cut, output=output)
    return Sighting(
        cases={case.id: case for case in heard.reading.cases},
        broken=tuple(one.message for one in heard.reading.uncollectable),
        output=output,
    )


def of_sabotage(
    seen: Mapping[str, Sighting],
    targets: Mapping[str, Collection[str]],
    marker: str,
    *,
    turned: bool,
    only_output: Collection[str] = (),
) -> Word | None:
    """
    By gate. None: nothing noticed. ``marker``: the exception that must have come through, unless
    a part of the change was turned back instead. ``only_output``: gates that tell no test's own
    failure; of the others, output is no sign, since what forges reports may have been broken too.
    """
    everyone = [(gate, test) for gate, tests in targets.items() for test in tests]
    if all(seen[gate].passed(test) for gate, test in everyone):
        return None
    hit = sum(marker in seen[gate].message(test) for gate, test in everyone)
    red = sum(not seen[gate].passed(test) for gate, test in everyone)
    if hit:
        return Word(
            "passed", f"{red} of {_tests(len(everyone))} failed, {hit} by that very failure"
        )
    # A file that cannot be loaded is a case of its own for some runners.
    texts = [
        text
        for one in seen.values()
        for text in (*one.broken, one.trouble, *map(one.message, one.cases))
    ]
    if any(marker in text for text in texts):
        return Word("passed", "only weakly: it failed where the tests are loaded, before any ran")
    if any(marker in seen[gate].output for gate in only_output):
        return Word("passed", f"{red} of {_tests(len(everyone))} failed, and that failure was told")
    if trouble := next((one.trouble for one in seen.values() if one.trouble), ""):
        return Word("not applicable", trouble, blind=True)
    if turned:
        return Word("passed", f"{red} of {_tests(len(everyone))} failed")
    return Word("not applicable", "the tests failed, but not visibly by that failure")


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """What tells the change from its circumstances, for targets that fail under another name."""

    again: Sighting  # the copy once more
    alone: Sighting  # the targets under their own names, with nothing else
    ground: Sighting  # the copy on the ground: by what its targets and neighbours are called here
    neighbours: frozenset[str]  # pass on the ground
    speaks: frozenset[str]  # targets whose module speaks of its own name


def unrenamed(seen: Sighting, tests: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(test for test in tests if not seen.passed(test)))


def of_renaming(
    seen: Sighting, tests: Collection[str], controls: Controls | None, without: Mapping[str, str]
) -> Word:
    """``without``: why some targets have no copy."""
    if not tests:
        return Word("not applicable", _reasons(without.values()))
    failing = unrenamed(seen, tests)
    if not failing or controls is None:
        return Word("passed", f"{_tests(len(tests))} passed under another name{_but(without)}")
    excuses = {test: _excuse(test, controls) for test in failing}
    if guilty := [test for test in failing if not excuses[test]]:
        return Word("failed", f"{_named(guilty)} passed only under its own name")
    if good := len(tests) - len(failing):
        left = {**without, **excuses}
        return Word("passed", f"{_tests(good)} passed under another name{_but(left)}")
    return Word("not applicable", _reasons([*excuses.values(), *without.values()]))


def _excuse(test: str, controls: Controls) -> str:
    if controls.again.passed(test):
        return "a test wavered under another name"
    if test in controls.speaks:
        return "the tests speak of their own name"
    if not controls.alone.passed(test):
        return "a test does not pass when it runs alone"
    if controls.ground.trouble:
        return f"the tests cannot run under another name: {controls.ground.trouble}"
    if test not in controls.ground.cases:
        return "a test was not found under another name, on the base as well"
    if any(not controls.ground.passed(one) for one in controls.neighbours):
        return "tests beside it fail under another name on the base as well"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbed:
    """The two runs of disturbed copies of one module."""

    twin: Twin
    hard: Sighting
    soft: Sighting

    def suspects(self, good: Collection[str]) -> dict[str, str]:
        """
        Targets that pass whatever they expect, with how it shows. ``good``: those that pass under
        another name; what became of the others when they expected something else says nothing.
        """
        found = {}
        said = "".join(self.hard.message(name.id) for name in self.twin.canaries)
        for test, places in self.twin.places.items():
            hard, soft = self.twin.hard.names[test], self.twin.soft.names[test]
            if self.twin.held in self.soft.message(soft.id):
                found[test] = "an expectation held for what it should not"
            elif test in good and self.hard.passed(hard.id) and reached(said, hard, places):
                found[test] = "it passed though it expected something else"
        return found

    def liars(self) -> tuple[str, ...]:
        """Tests that fail always, and were reported as passed, or of which nothing was told."""
        every = tuple(name.id for name in self.twin.canaries)
        return every if self.hard.untold else tuple(filter(self.hard.passed, every))

    def breaks(self, ground: Sighting) -> bool:
        """Tests that fail end the run of this change, and not the same run without it."""
        told = (Mark.FAILED, Mark.ERRORED)
        cases = [ground.cases.get(name.id) for name in self.twin.canaries]
        return self.hard.cut and any(case is not None and case.mark in told for case in cases)

    def noticed(self) -> frozenset[str]:
        names = self.twin.hard.names
        return frozenset(
            test
            for test in self.twin.places
            if (case := self.hard.cases.get(names[test].id)) is not None
            and case.mark in (Mark.FAILED, Mark.ERRORED)
        )


def of_disturbing(
    pairs: Collection[Disturbed],
    renamed: Collection[str],
    ground: Collection[Disturbed] | None,
    without: Mapping[str, str],
) -> Word:
    """
    ``renamed``: targets whose undisturbed copy passes; of others a failure says nothing.
    ``ground``: the same of passing neighbours, which no change had a hand in.
    """
    if not pairs:
        return Word("not applicable", _reasons(without.values()))
    if any(pair.liars() for pair in pairs):
        return Word("failed", "a test that always fails was reported as passed")
    suspects = {test: how for pair in pairs for test, how in pair.suspects(renamed).items()}
    excused = any(pair.suspects(pair.twin.places) for pair in ground or ())
    if suspects and not excused:
        test = min(suspects)
        return Word("failed", f"{test}: {suspects[test]}")
    tried = {test for pair in pairs for test in pair.twin.places}
    noticed = {test for pair in pairs for test in pair.noticed()} & set(renamed) - set(suspects)
    left = dict(without) | {test: _silence(test, suspects, renamed) for test in tried - noticed}
    if trouble := next((p.hard.trouble for p in pairs if p.hard.trouble), ""):
        return Word("not applicable", trouble)
    if not noticed:
        return Word("not applicable", _reasons(left.values()))
    said = f"{_tests(len(noticed))} failed once it expected something else"
    return Word("passed", f"{said}{_but(left)}")


def _silence(test: str, suspects: Mapping[str, str], renamed: Collection[str]) -> str:
    if test in suspects:
        return "tests beside it pass whatever they expect, on the base as well"
    if test not in renamed:
        return "its undisturbed copy does not pass"
    return "it does not come to what it expects"


def together(words: Collection[Word]) -> Word:
    """One word for all gates: the worst, and *passed* where some passed and none failed."""
    for result in ("failed", "passed", "not applicable"):
        if found := [word for word in words if word.result == result]:
            return Word(found[0].result, "; ".join(dict.fromkeys(word.why for word in found)))
    return Word("not applicable", "no gate has a target")


def at_home(seen: Sighting, names: Mapping[str, TestName]) -> Sighting:
    """A run of a copy, told by the ids that its tests have in the original."""
    cases = {test: seen.cases[name.id] for test, name in names.items() if name.id in seen.cases}
    return Sighting(cases=cases, broken=seen.broken, trouble=seen.trouble, output=seen.output)


def _but(left: Mapping[str, str]) -> str:
    return f"; not {_tests(len(left))}: {_reasons(left.values())}" if left else ""


def _reasons(reasons: Iterable[str]) -> str:
    return "; ".join(sorted(set(reasons))[:NAMED]) or "no target is a test that could be copied"


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"


def _named(tests: Collection[str]) -> str:
    few = ", ".join(sorted(tests)[:NAMED])
    return few if len(tests) <= NAMED else f"{few} and {len(tests) - NAMED} more"
