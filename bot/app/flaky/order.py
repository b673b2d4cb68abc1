"""
Order-dependent tests: which others it takes, how few, and what they leave behind.

A polluter search shrinks the run in which the victim failed, then looks whether anything else
fails it too, until nothing does. For a brittle test the same is asked of what makes it pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bot.app.flaky.trials import OutOfTime, Trials, in_order
from bot.core.flaky.proof import LEAST
from bot.core.flaky.reduce import Part, smallest
from bot.core.flaky.runs import Leaked, Run, Seen
from bot.core.flaky.screen import Screen
from bot.core.flaky.statistics import Sprt

CERTAIN = Sprt(fails_at=0.99)  # one run answers, where a replay never failed to fail
MOST_POLLUTERS = 12
Doing: TypeAlias = Callable[[Sequence[Part]], list[bool]]
NOISE = ("random.getstate()", "threading.enumerate()", "sys.path", "sys.modules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Polluted:
    """``parts``: each is enough to fail the victim. The first is the one that was measured."""

    parts: tuple[Part, ...]
    complete: bool  # nothing else was found to fail it

    @property
    def polluters(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(test for part in self.parts for test in part))


def before(run: Run, test: str) -> Part:
    """What ran before ``test``; all of the others, where that is not known."""
    if test not in run.order:
        return tuple(sorted((run.passed | run.failures.keys()) - {test}))
    return run.order[: run.order.index(test)]


def suspected(screen: Screen, test: str, whole: Part) -> Part:
    """Of ``whole``, what never ran before ``test`` when that passed. It need not be enough to fail
    it, where two pollute only together."""
    harmless = screen.harmless(test)
    return tuple(name for name in whole if name not in harmless)


def shrink(whole: Sequence[str], do: Doing) -> tuple[Part, bool]:
    """``do``: of each part, whether it does what the whole does. False with the smallest that was
    seen to, where the time ended before it was the least."""
    best, asking = tuple(whole), smallest(whole)
    try:
        parts = next(asking)
        while True:
            answers = do(parts)
            done = [part for part, does in zip(parts, answers, strict=True) if does]
            best = min((best, *done), key=len)
            parts = asking.send(answers)
    except StopIteration as done_asking:
        return tuple(done_asking.value), True
    except OutOfTime:
        return best, False


def first(trials: Trials, screen: Screen, test: str, earlier: Part) -> tuple[Part, bool]:
    """``earlier``: tests after which it fails, in their order. As ``shrink`` answers."""
    trials.say(f"looking for what fails {test} among {len(earlier)} tests")
    part, is_least = shrink(earlier, _failing(trials, screen, test))
    if not is_least and len(trials.known(in_order((*part, test)))) < LEAST:
        part = earlier  # one failure proves nothing; these failed it often
    trials.say(f"{' + '.join(part) if is_least else f'one of {len(part)} tests'} fails it")
    return part, is_least


def search(trials: Trials, screen: Screen, test: str, known: Part) -> Polluted:
    """Whatever else fails it than ``known``. What was found stands when the time ends."""
    fail_after = _failing(trials, screen, test)
    found = [known]
    try:
        while len(found) < MOST_POLLUTERS:
            left = _more(screen, test, found, fail_after)
            if not left:
                return Polluted(parts=tuple(found), complete=True)
            part, is_least = first(trials, screen, test, left)
            if not is_least:
                break
            found.append(part)
    except OutOfTime:
        trials.say(f"the time is over: there may be more that fails {test}")
    return Polluted(parts=tuple(found), complete=False)


def _failing(trials: Trials, screen: Screen, test: str) -> Doing:
    signature = screen.signature(test)

    def fail_after(parts: Sequence[Part]) -> list[bool]:
        asked = [in_order((*part, test)) for part in parts]
        return trials.fail(asked, test, signature, sprt=CERTAIN)

    return fail_after


def _more(
    screen: Screen,
    test: str,
    parts: Sequence[Part],
    fail_after: Doing,
) -> Part | None:
    """Tests that fail it though no known polluter is among them."""
    known = {name for part in parts for name in part}
    for run in screen.failing(test):
        earlier = before(run, test)
        if not known.intersection(earlier) and earlier and all(fail_after([earlier])):
            part = suspected(screen, test, earlier)
            return part if part and all(fail_after([part])) else earlier
    everyone = screen.plain[0].order if screen.plain else ()
    rest = tuple(name for name in everyone if name != test and name not in known)
    asked = [rest, rest[::-1]] if rest else []
    answers = fail_after(asked) if asked else []
    return next((part for part, fails in zip(asked, answers, strict=True) if fails), None)


def companions(trials: Trials, polluted: Polluted, others: Sequence[str]) -> tuple[str, ...]:
    """Those of ``others`` that fail after the same polluter and pass without it."""
    part = polluted.parts[0]
    innocent = [name for name in others if name not in polluted.polluters]
    groups = [innocent, innocent[::-1]] if innocent else []
    # A polluter would fail the others of its group: each of these is asked by itself.
    apart = [name for name in others if name in polluted.polluters and name not in part]
    groups += [[name] for name in apart for _ in range(2)]
    runs = trials.make([in_order((*part, *group)) for group in groups]) if groups else ()
    without = trials.make([in_order(group) for group in groups]) if groups else ()
    return tuple(
        name
        for name in (*innocent, *apart)
        if _all(runs, name, Seen.FAILED) and _all(without, name, Seen.PASSED)
    )


def _all(runs: Sequence[Run], name: str, seen: Seen) -> bool:
    told = [run.of(name) for run in runs if name in run.condition.tests]
    # In the others it was put there as what pollutes, or not at all.
    return bool(told) and all(one is seen for one in told)


def left_behind(trials: Trials, part: Part, test: str) -> tuple[Leaked, ...]:
    """What the polluters of one part left changed, but for what an innocent test would."""
    run = trials.make([in_order((*part, test))], look=True)[0]
    return tuple(one for one in run.leaked if one.by in part and not one.where.startswith(NOISE))


def setters(trials: Trials, run: Run, test: str) -> Part | None:
    """The fewest tests after which a brittle test passes; None where none could be found."""
    whole = before(run, test)

    def pass_after(parts: Sequence[Part]) -> list[bool]:
        runs = trials.make([in_order((*part, test)) for part in parts])
        return [made.of(test) is Seen.PASSED for made in runs]

    if not whole or not all(pass_after([whole])):
        return None
    part, is_least = shrink(whole, pass_after)
    if not is_least:
        raise OutOfTime
    return part
