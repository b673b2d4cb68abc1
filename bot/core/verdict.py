"""
Green, red or error: what a gate's report means, given what the base said.

Identity decides, not counts: every id that passed on the base, and every target, must be *passed*
here; skipped, xfailed, deselected, vanished or doubled is not passed. Red wins over error. What
only a candidate causes (a hang, a crash, a missing end of the report) is the candidate's: red.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from bot.core.contract import Dialect, Gate
from bot.core.ended import Ended
from bot.core.parts import Colour
from bot.core.report import Mark, Reading, Report, Unreadable

NOT_JUDGED = frozenset({126, 127})
"""Exit codes of a shell that could not run the command at all."""


@dataclass(frozen=True, slots=True)
class Green:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Red:
    lost: frozenset[str] = frozenset()
    unmended: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    integrity: tuple[str, ...] = ()  # never told to the agent


@dataclass(frozen=True, slots=True)
class Error:
    reasons: tuple[str, ...]


Verdict: TypeAlias = Green | Red | Error


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One run of a gate: how the command ended, and what its report says."""

    ended: Ended
    exit_code: int | None
    reading: Reading
    root: str = ""  # where the checkout was for the command


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What one gate must show of a candidate. Paths among the targets are uncollectable files."""

    passed: frozenset[str]  # ids that passed on the base
    targets: frozenset[str]
    known: frozenset[str]  # every id and broken file that the base reported, whatever its mark
    watched: frozenset[str] = frozenset()  # changed files: their modules come from the checkout
    patched: frozenset[str] = frozenset()  # of the test framework, by the base itself
    whole: bool = True  # False: only some ids were asked for, and no count can be expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What one gate says of the base itself."""

    passed: frozenset[str]
    failing: frozenset[str]  # in the call phase, or files that cannot be collected
    known: frozenset[str]
    patched: frozenset[str] = frozenset()  # of the test framework: what a conftest does, say


def colour(verdict: Verdict) -> Colour:
    match verdict:
        case Green():
            return Colour.GREEN
        case Red():
            return Colour.RED
        case Error():
            return Colour.ERROR


def compose(colours: Iterable[Colour]) -> Colour:
    """Red over error over green; nothing at all is an error."""
    seen = set(colours)
    for worse in (Colour.RED, Colour.ERROR, Colour.GREEN):
        if worse in seen:
            return worse
    return Colour.ERROR


def stand(heard: Heard, *, ours: frozenset[str]) -> Standing | Error:
    """
    The base as a gate sees it. ``ours``: top-level module names that the repository itself makes;
    a file that cannot be collected for want of any other module is the environment's fault.
    """
    if problem := _not_started(heard):
        return Error((problem,))
    if heard.ended is not Ended.EXITED:
        return Error((f"the command was {_ending(heard)} on the base",))
    if isinstance(heard.reading, Unreadable):
        return Error((heard.reading.reason,))
    report = heard.reading
    if missing := sorted({u.missing_module for u in report.uncollectable} - ours - {""}):
        return Error(
            tuple(f"module {name!r} is not installed where the tests run" for name in missing)
        )
    return Standing(
        passed=_passed(report),
        failing=report.ids(Mark.FAILED) | {broken.path for broken in report.uncollectable},
        known=frozenset(case.id for case in report.cases)
        | {broken.path for broken in report.uncollectable},
        patched=frozenset(report.tampering),
    )


def judge(heard: Heard, gate: Gate, expected: Expectation) -> Verdict:
    """The candidate as a gate sees it, where the base ran whole."""
    if problem := _not_started(heard):
        return Error((problem,))
    if heard.ended is not Ended.EXITED:
        return Red(unmended=expected.targets, reasons=(f"the command was {_ending(heard)}",))
    if isinstance(heard.reading, Unreadable):
        return Red(unmended=expected.targets, reasons=(heard.reading.reason,))
    report = heard.reading
    if strays := _strays(report, expected, root=heard.root):
        return Error(strays)
    passed = _passed(report)
    red = Red(
        lost=expected.passed - passed,
        unmended=frozenset(t for t in expected.targets if not _mended(t, report, passed)),
        failing=_new_failures(report, expected),
        reasons=_too_few(gate, passed=len(passed), floor=len(expected.passed))
        if expected.whole
        else (),
        integrity=tuple(
            f"the tests were tampered with: {what}"
            for what in report.tampering
            if what not in expected.patched
        ),
    )
    return red if _has_anything(red) else Green()


def _not_started(heard: Heard) -> str:
    if heard.ended is Ended.NOT_STARTED:
        return "the command could not be started"
    if heard.ended is Ended.EXITED and heard.exit_code in NOT_JUDGED:
        return f"the shell could not run the command (exit {heard.exit_code})"
    return ""


def _ending(heard: Heard) -> str:
    words = {
        Ended.TIMED_OUT: "ended for taking too long",
        Ended.FLOODED: "ended for printing too much",
        Ended.STOPPED: "stopped",
    }
    return words[heard.ended]


def _passed(report: Report) -> frozenset[str]:
    return frozenset(
        case.id for case in report.cases if case.mark is Mark.PASSED and not case.doubled
    )


def _mended(target: str, report: Report, passed: frozenset[str]) -> bool:
    """A target that is a file must be collected, and its tests pass (one at least)."""
    if target in passed:
        return True
    inside = [case for case in report.cases if case.id.startswith(f"{target}::")]
    if not inside or any(broken.path == target for broken in report.uncollectable):
        return False
    bad = (Mark.FAILED, Mark.ERRORED, Mark.XPASSED)
    return any(case.id in passed for case in inside) and all(c.mark not in bad for c in inside)


def _new_failures(report: Report, expected: Expectation) -> frozenset[str]:
    """Failures that the base does not have at all: a change must not add broken tests."""
    broken = frozenset(u.path for u in report.uncollectable)
    return (report.ids(Mark.FAILED, Mark.ERRORED) | broken) - expected.known - expected.targets


def _too_few(gate: Gate, *, passed: int, floor: int) -> tuple[str, ...]:
    if gate.report is Dialect.EXIT or gate.min_pass is None:
        return ()
    least = floor if gate.min_pass == "baseline" else gate.min_pass  # noqa: S105  # a count
    return (f"{passed} passed, at least {least} must",) if passed < least else ()


def _strays(report: Report, expected: Expectation, *, root: str) -> tuple[str, ...]:
    """A changed module that was imported from elsewhere: another tree was judged."""
    inside = root.rstrip("/") + "/"
    return tuple(
        f"{path} was imported from {report.origins[path]}, which is not the checkout"
        for path in sorted(expected.watched & report.origins.keys())
        if root and not report.origins[path].startswith(inside)
    )


def _has_anything(red: Red) -> bool:
    return bool(red.lost or red.unmended or red.failing or red.reasons or red.integrity)
