"""
jam's last word on a session: the end, the evidence level, and what was not verified.

``clear`` makes the only value that lets a change be called verified; everything else that is
published is a draft.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.core import fence, written
from bot.core.contract import Accept
from bot.core.entries import Adjudicated, Judged
from bot.core.first_looks import first_looks
from bot.core.next_step import changed
from bot.core.parts import CheckFact, Colour, Remark
from bot.core.session import Session
from bot.core.settled import settled
from bot.core.steps import PROBES, SEEDS
from bot.core.visible import one_line
from bot.core.words import many_of

HOOK_TOLD = 200

End: TypeAlias = Literal["verified", "partial", "failed", "unverified", "cancelled"]
Level: TypeAlias = Literal["none", "L1", "L2", "L3"]

EXIT_CODES: dict[str, int] = {
    "verified": 0,
    "partial": 1,
    "failed": 1,
    "unverified": 3,
    "cancelled": 4,
}

ELSEWHERE = (
    "the environment was changed after the base was judged; judge it again while nothing else "
    "changes what the tests run with"
)


@dataclass(frozen=True, slots=True)
class Cleared:
    """Exactly this tree may be called verified. Only ``clear`` makes one."""

    tree: str
    head_tree: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standards:
    accept: Accept
    has_ids: bool  # some gate reports test ids
    max_files: int


def clear(adjudicated: Adjudicated) -> Cleared | None:
    if adjudicated.end != "verified" or any(c.result == "failed" for c in adjudicated.checks):
        return None
    if any(remark.blocks for remark in adjudicated.remarks):
        return None
    return Cleared(adjudicated.tree, adjudicated.head_tree)


def conclude(
    session: Session, standards: Standards, *, why: str, remarks: tuple[Remark, ...] = ()
) -> Adjudicated:
    """Everything but what changed, which only a workcopy can list. ``remarks``: on the change."""
    candidate = session.candidate
    assert candidate is not None, "a session is concluded on a candidate"  # noqa: S101
    checks = _checks(session)
    level = _level(session, checks)
    end, reason = _end(session, standards, level, why)
    if end == "verified" and (needed := _vetoed(session) or _needs_a_reader(remarks)):
        end, reason = "unverified", needed
    return Adjudicated(
        tree=candidate.tree,
        level=level,
        end=end,
        why=reason,
        checks=checks,
        not_verified=tuple(_not_verified(session, checks)),
        review=tuple(
            first_looks(
                session, needs_surface=_needs_surface(session), max_files=standards.max_files
            )
        ),
        remarks=remarks,
        head_tree=_head_tree(session, end),
    )


def _vetoed(session: Session) -> str:
    """A stop hook that said no, and was never asked about anything better. Or ''."""
    vetoes = [hook for hook in session.hooks if hook.vetoed]
    if not vetoes:
        return ""
    command = one_line(vetoes[-1].command, HOOK_TOLD)
    return f"needs a person: green in every clean room, but the stop hook vetoes it: {command}"


def _needs_a_reader(remarks: Iterable[Remark]) -> str:
    """What tests cannot answer for: code that has no business in a repair. Or ''."""
    blocking = [remark for remark in remarks if remark.blocks]
    if not blocking:
        return ""
    first = blocking[0]
    more = f", and {len(blocking) - 1} more like it" if len(blocking) > 1 else ""
    return f"needs a person: green in every clean room, but {first.place}: {first.what}{more}"


def _head_tree(session: Session, end: End) -> str:
    """With the agent's own tests only where that tree has a green record of its own."""
    candidate = session.candidate
    assert candidate is not None  # noqa: S101  # conclude has looked
    if _needs_surface(session) and candidate.with_surface:
        return candidate.with_surface
    record = session.with_tests
    green = record is not None and record.colour is Colour.GREEN and is_at_home(record, session)
    if end == "verified" and green and candidate.with_tests:
        return candidate.with_tests
    return candidate.tree


def _needs_surface(session: Session) -> bool:
    return session.with_surface is not None and session.with_surface.colour is Colour.GREEN


def _checks(session: Session) -> tuple[CheckFact, ...]:
    probed = {probe.name: probe for probe in session.probes}
    green = _colour(session) is Colour.GREEN
    why = "nothing was red at the start" if green else "the change was not green"
    others = tuple(
        CheckFact(name=name, result=probed[name].result, why=probed[name].why)
        if name in probed
        else CheckFact(name=name, result="not applicable", why=why)
        for name in PROBES
    )
    return (_neutrality(session), *others)


def _neutrality(session: Session) -> CheckFact:
    """
    Every changed file that is not frozen turned back to the base gives the ground itself, since
    frozen paths and surface are the base's in every candidate: the preflight runs are its record.
    """
    red = [run for run in session.preflights if run.colour is Colour.RED]
    targets = session.baseline.targets_count if session.baseline else 0
    if not changed(session) or targets == 0:
        why = "nothing was red at the start" if targets == 0 else "nothing was changed"
        return CheckFact(name="neutrality", result="not applicable", why=why)
    if len(red) == len(session.preflights):
        return CheckFact(
            name="neutrality",
            result="passed",
            why=f"without the change the tree is the base, which was red {len(red)} times",
        )
    return CheckFact(name="neutrality", result="failed", why="the base was not red every time")


def _colour(session: Session) -> Colour | None:
    return settled(session, session.candidate.tree) if session.candidate else None


def _runs(session: Session) -> list[Judged]:
    tree = session.candidate.tree if session.candidate else ""
    return [run for run in session.adjudications if run.tree == tree]


def is_at_home(run: Judged, session: Session) -> bool:
    """Whether it found the environment that there was before the agent."""
    prepared = session.prepared
    return prepared is not None and run.environment_sha256 == prepared.environment_sha256


def _is_elsewhere(session: Session) -> bool:
    return not all(is_at_home(run, session) for run in _runs(session))


def _level(session: Session, checks: Iterable[CheckFact]) -> Level:
    complete = len(_runs(session)) == len(SEEDS) and not _is_elsewhere(session)
    if complete and _colour(session) is Colour.GREEN and session.baseline:
        results = {check.name: check.result for check in checks}
        told = results["neutrality"] == "passed" and "failed" not in results.values()
        return "L3" if told and not written.unanswered(session, results) else "L2"
    gate = session.gate
    return "L1" if gate is not None and gate.colour is Colour.GREEN else "none"


def _end(session: Session, standards: Standards, level: Level, why: str) -> tuple[End, str]:
    end, reason = _judged_end(session, standards, level)
    if session.stopped:
        return "cancelled", f"stopped by {session.stopped.by}; its state then: {reason}"
    nobody = session.opened is not None and session.opened.given is not None  # who could give up
    return end, f"{reason} ({why})" if end == "failed" and not nobody else reason


def _judged_end(session: Session, standards: Standards, level: Level) -> tuple[End, str]:
    if not changed(session) and not _needs_surface(session):
        return "failed", "the agent left no change that may be published"
    if level in ("L2", "L3"):
        return _green_end(session, standards, level)
    colour = _colour(session)
    if colour is Colour.GREEN and _is_elsewhere(session):
        return "unverified", f"green in every clean room, but {ELSEWHERE}"
    if colour is Colour.ERROR:
        return "unverified", "the oracle could not judge the candidate in a clean room"
    if _needs_surface(session):
        return (
            "unverified",
            "needs a person: the tests pass only together with changes to files that can change "
            "what the tests mean",
        )
    if colour is None:
        return "unverified", "the runs disagree, and the base does not show the same"
    return _red_end(session)


def _green_end(session: Session, standards: Standards, level: Level) -> tuple[End, str]:
    """A check that failed is never outweighed, whatever level the contract accepts."""
    checks = _checks(session)
    if failed := [check for check in checks if check.result == "failed"]:
        named = "; ".join(f"the check {check.name} failed: {check.why}" for check in failed)
        return "unverified", f"green in every clean room, but {named}"
    if level == "L3" and standards.has_ids:
        return "verified", "green in every clean room, and red without the change"
    if standards.accept is Accept.L2:
        return "verified", "green in every clean room; the contract accepts L2"
    reason = "no gate reports test ids"
    if standards.has_ids:
        reason = written.doubt(session, checks) or "nothing was red at the start"
    return "unverified", f"green in every clean room, but {reason}: L2 at most"


def _red_end(session: Session) -> tuple[End, str]:
    runs = _runs(session)
    gates = [gate for run in runs for gate in run.gates]
    worse = any(g.lost_count or g.failing or g.integrity or g.reasons for g in gates)
    red = {gate.gate for gate in gates if gate.colour is not Colour.GREEN}
    green = {gate.gate for gate in gates} - red - _green_before(session)
    if green and not worse:
        told = ", ".join(sorted(red))
        return "partial", f"green: {', '.join(sorted(green))}; still red: {told}"
    if any(g.integrity for g in gates):
        return "failed", "rejected by an integrity check"
    lost = sorted({i for g in gates for i in g.lost})
    if lost:
        return "failed", f"tests that passed before do not pass now: {', '.join(lost[:5])}"
    unmended = sorted({i for g in gates for i in g.unmended})
    return "failed", f"still red: {', '.join(unmended[:5]) or 'the oracle'}"


def _green_before(session: Session) -> set[str]:
    """Gates that the base passed in every run: to keep them so is no part of a repair."""
    runs = session.preflights
    gates = {gate.gate for run in runs for gate in run.gates}
    return gates - {g.gate for run in runs for g in run.gates if g.colour is not Colour.GREEN}


def _not_verified(session: Session, checks: Iterable[CheckFact]) -> Iterable[str]:
    yield "Behaviour that no test of this oracle looks at."
    yield "Tests run in one process with the code they test, so they bind honest code only."
    yield from written.caveats(session)
    open_checks = [check for check in checks if check.result == "not applicable"]
    for why in dict.fromkeys(check.why for check in open_checks):
        names = [f"*{check.name}*" for check in open_checks if check.why == why]
        told = fence.prose(one_line(why, 1_000))  # it may name files
        yield f"Sensitivity check{'s' if len(names) > 1 else ''} {', '.join(names)}: {told}."
    if _is_elsewhere(session):
        yield f"What the tests said at the end: {ELSEWHERE}."
    baseline = session.baseline
    if baseline and baseline.failing:
        yield f"{many_of(baseline.failing, 'test')} failing on the base already and no target."
    wavering = sorted(
        set(baseline.wavering if baseline else ())
        | {i for d in session.disputes for i in d.wavering}
    )
    if wavering:
        count = many_of(len(wavering), "test")
        few = ", ".join(fence.code(one) for one in wavering[:5])
        yield f"{count} wavering on the base as well: {few}."
    if session.opened and session.opened.sandbox == "none":
        yield "There was no sandbox: what was done outside the checkout is unknown."
    if session.reproduced:
        yield f"The deciding test was written by {session.reproduced.by}."
