"""
What a page shows, as plain values that a template only has to lay out.

Every number stands in the ledger, the docket or the inbox. Foreign words are bounded here and
escaped by the template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.core import notice
from bot.core.docket import Listed
from bot.core.entries import AnyFact, Hooked, Judged, Prepared, Probed, Turned
from bot.core.facts import State
from bot.core.ledger import Sealed
from bot.core.mail import Seen
from bot.core.parts import Colour
from bot.core.session import Session, replay
from bot.core.stages import Stage, stages
from bot.core.visible import bound, one_line
from bot.core.words import agent_named

TITLE = 140
SAID = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A session in a list. ``tone``: how its state is coloured."""

    session: str
    title: str
    where: str
    thread: int
    kind: str
    state: str
    tone: str
    asked_by: str
    ago: str
    usd: str
    pull: int | None
    why: str


TONES = {
    "verified": "good",
    "partial": "middling",
    "unverified": "middling",
    "failed": "bad",
    "broken": "bad",
    "refused": "idle",
    "cancelled": "idle",
}


def row(listed: Listed, *, now: datetime) -> Row:
    word = listed.end or listed.state.value
    busy = "going" if listed.state is State.RUNNING else "waiting"
    return Row(
        session=listed.session,
        title=one_line(listed.title, TITLE) or "(no title)",
        where=listed.where.name,
        thread=listed.thread,
        kind=listed.kind.value,
        state=word,
        tone=TONES.get(listed.end, "idle") if listed.end else busy,
        asked_by=listed.asked_by,
        ago=ago(listed.opened_at, now),
        usd=usd(listed.cents),
        pull=listed.pull,
        why=one_line(listed.why, 300),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of a session's story. ``evidence``: what it stands on, by name and digest."""

    place: int
    kind: str
    told: str
    tone: str
    seal: str
    evidence: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    number: int
    commit: str
    changed: int
    left_out: tuple[tuple[str, str], ...]
    agent: str
    said: str
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One session."""

    row: Row
    is_live: bool
    stages: tuple[Stage, ...]
    entries: tuple[Entry, ...]
    checkpoints: tuple[Checkpoint, ...]
    facts: tuple[tuple[str, str], ...]
    not_verified: tuple[str, ...]
    review: tuple[str, ...]


def told(listed: Listed, ledger: Sequence[Sealed], *, now: datetime) -> Told:
    session = replay(ledger)
    word = session.adjudicated
    return Told(
        row=row(listed, now=now),
        is_live=listed.state in (State.QUEUED, State.RUNNING),
        stages=stages(session),
        entries=tuple(_entry(sealed) for sealed in ledger),
        checkpoints=tuple(_checkpoints(ledger)),
        facts=tuple(_facts(session)),
        not_verified=word.not_verified if word else (),
        review=word.review if word else (),
    )


def _entry(sealed: Sealed) -> Entry:
    fact = sealed.fact
    return Entry(
        place=sealed.place,
        kind=fact.kind,
        told=one_line(notice.tell(fact), 400),
        tone=_tone(fact),
        seal=sealed.seal[:12],
        evidence=tuple(evidence_of(fact)),
    )


def _tone(fact: AnyFact) -> str:
    match fact:
        case Judged(colour=colour):
            return {Colour.GREEN: "good", Colour.RED: "bad", Colour.ERROR: "middling"}[colour]
        case Probed(result=result):
            return {"passed": "good", "failed": "bad"}.get(result, "idle")
        case _:
            return ""


def evidence_of(fact: AnyFact) -> list[tuple[str, str]]:
    match fact:
        case Judged():
            return [
                pair
                for gate in fact.gates
                for pair in (
                    (f"{gate.gate}: output", gate.output_sha256),
                    (f"{gate.gate}: report", gate.report_sha256),
                )
            ]
        case Prepared(setup_output_sha256=str(sha)):
            return [("setup: output", sha)]
        case Hooked():
            return [("hook: output", fact.output_sha256)]
        case Probed(report_sha256=str(sha)):
            return [("report", sha)]
        case _:
            return []


def _checkpoints(ledger: Sequence[Sealed]) -> list[Checkpoint]:
    turns = [sealed.fact for sealed in ledger if isinstance(sealed.fact, Turned)]
    return [
        Checkpoint(
            number=turn.checkpoint.number,
            commit=turn.checkpoint.commit[:12],
            changed=turn.checkpoint.changed,
            left_out=turn.checkpoint.left_out,
            agent=turn.agent.partition(":")[0],
            said=bound(turn.said, SAID),
            calls=turn.calls_count,
        )
        for turn in turns
        if turn.checkpoint is not None
    ]


def _facts(session: Session) -> list[tuple[str, str]]:
    opened = session.opened
    if opened is None:
        return []
    spent = f"{session.turns} turns, {session.tokens:,} tokens, {usd(session.cents)}, "
    return [
        ("base", f"{opened.base[:12]} of {opened.base_name}"),
        ("judged by", f"{opened.oracle}: {'; '.join(run for _, run in opened.commands)}"),
        ("contract", f"{opened.contract_from} ({opened.contract_sha256[:12]})"),
        ("sandbox", opened.sandbox),
        ("agents", ", ".join(map(agent_named, opened.agents))),
        ("used", f"{spent}{session.seconds:.0f} s of work"),
        *([("branch", session.published.branch)] if session.published else []),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a patch. ``tone``: what it does."""

    text: str
    tone: str


def patch(text: str) -> tuple[Line, ...]:
    return tuple(Line(text=line, tone=_patch_tone(line)) for line in text.splitlines())


def _patch_tone(line: str) -> str:
    if line.startswith(("diff ", "index ", "--- ", "+++ ", "new file", "deleted file")):
        return "head"
    if line.startswith("@@"):
        return "place"
    return {"+": "added", "-": "removed"}.get(line[:1], "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A delivery in a list."""

    id: str
    event: str
    ago: str
    state: str
    why: str
    session: str
    tries: int


def post(seen: Seen, *, now: datetime) -> Post:
    return Post(
        id=seen.id,
        event=seen.event,
        ago=ago(seen.at, now),
        state="waiting" if seen.is_waiting else seen.outcome,
        why=one_line(seen.why, 200),
        session=seen.session,
        tries=seen.tries,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    day: str
    where: str
    sessions: int
    verified: int
    usd: str


def spent(found: Mapping[str, Any]) -> Spent:
    return Spent(
        day=found["day"],
        where=found["repository_name"],
        sessions=int(found["sessions"]),
        verified=int(found["verified"]),
        usd=usd(found["cents"]),
    )


def usd(cents: float) -> str:
    return f"${cents / 100:.2f}"


def ago(then: datetime, now: datetime) -> str:
    seconds = max(0, int((now - then).total_seconds()))
    for size, word in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {word} ago"
    return f"{seconds} s ago"
