"""
A session as a list of stages that a person can follow, from the session alone.

Every number stands in the ledger. A stage that was not reached is told as what is to come, never
as what is expected of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.core import fence
from bot.core.parts import Colour
from bot.core.session import Session
from bot.core.settled import settled_run
from bot.core.steps import SEEDS


@dataclass(frozen=True, slots=True)
class Stage:
    is_done: bool
    words: str


def done(words: str) -> Stage:
    return Stage(is_done=True, words=words)


def due(words: str) -> Stage:
    return Stage(is_done=False, words=words)


def stages(session: Session) -> tuple[Stage, ...]:
    told = [stage(session) for stage in _STAGES]
    return tuple(stage for stage in told if stage is not None)


def checklist(session: Session) -> str:
    return "\n".join(
        f"- [{'x' if stage.is_done else ' '}] {stage.words}" for stage in stages(session)
    )


def _accepted(session: Session) -> Stage:
    opened = session.opened
    if opened is None:
        return due("agree on the contract")
    name = fence.code(opened.base_name, limit=80)
    judge = fence.code(opened.oracle, limit=64)
    return done(f"began at {fence.code(opened.base[:12])} of {name}, judged by {judge}")


def _prepared(session: Session) -> Stage:
    prepared = session.prepared
    if prepared is None:
        return due("prepare the environment")
    took = f"; setup took {prepared.setup_s:.0f} s" if prepared.setup else ""
    return done(f"prepared the environment{took}")


def _preflight(session: Session) -> Stage:
    baseline = session.baseline
    if baseline is None:
        return due("run the tests on the untouched base")
    count, keep = baseline.targets_count, baseline.passed
    if count == 0:
        return done(f"the base is green ({_many(keep, 'test')} to keep)")
    return done(f"the base is red: {_many(count, 'test')} to mend, {keep} to keep")


def _reproduced(session: Session) -> Stage | None:
    if session.reproduced is None:
        return None
    names = ", ".join(fence.code(path, limit=120) for path in session.reproduced.paths[:3])
    return done(f"the agent wrote a test that shows the issue ({names})")


def _worked(session: Session) -> Stage:
    over = _is_over(session)
    if session.opened and session.opened.given:
        return done("took the change as it is") if over else due("take the change as it is")
    if session.turns == 0:
        return done("changed nothing") if over else due("change the code")
    turns = _many(session.turns, "turn")
    kept = f", {_many(session.head.number, 'checkpoint')} kept" if session.head else ""
    refused = f", sent back {_many(session.refusals, 'time')}" if session.refusals else ""
    spent = f", ${session.cents / 100:.2f} spent" if session.cents else ""
    told = f"({turns}{spent}{kept}{refused})"
    return done(f"worked on it {told}") if over else due(f"work on it {told}")


def _is_over(session: Session) -> bool:
    green = session.gate is not None and session.gate.colour is Colour.GREEN
    return green or bool(session.adjudications) or session.adjudicated is not None


def _judged(session: Session) -> Stage:
    word = session.adjudicated
    if word is None:
        runs_so_far = len(session.adjudications)
        so_far = f" ({runs_so_far} of {len(SEEDS)} runs so far)" if runs_so_far else ""
        return due(f"judge it in clean rooms{so_far}")
    runs = [run for run in session.adjudications if run.tree == word.tree]
    green = sum(settled_run(session, run) is Colour.GREEN for run in runs)
    said = f"green in {green} of {len(runs)} clean rooms" if runs else "nothing to judge"
    return done(f"judged: {said}, evidence level {word.level}")


def _published(session: Session) -> Stage | None:
    if session.published is not None:
        kind = "as a draft" if session.published.draft else "for review"
        branch = fence.code(session.published.branch, limit=120)
        return done(f"published on {branch} {kind}")
    return None if session.adjudicated else due("publish the change")


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_STAGES: tuple[Callable[[Session], Stage | None], ...] = (
    _accepted,
    _prepared,
    _preflight,
    _reproduced,
    _worked,
    _judged,
    _published,
)
