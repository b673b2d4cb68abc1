"""
The one status comment of a thread: what happens, in words, and what to type next.

It holds only what changes a reader's mind, and no clock that ticks: a comment that is the same is
not written again. Nobody is mentioned, foreign words are fenced, numbers come from the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias, assert_never

from bot.core import command, fence, markers
from bot.core.conclude import EXIT_CODES
from bot.core.ledger import Sealed
from bot.core.pr_body import HEADLINES
from bot.core.session import Session, replay
from bot.core.stages import checklist
from bot.core.visible import one_line
from bot.core.words import sentence

EDIT_EVERY_S = 10.0
LIMIT = 60_000
OPEN = 8
"""How many open points are spelled out; the pull request has all."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """No session; only an answer."""


@dataclass(frozen=True, slots=True)
class Queued:
    position: int  # 1: the next


@dataclass(frozen=True, slots=True)
class Running:
    ledger: Sequence[Sealed] = ()


@dataclass(frozen=True, slots=True)
class Asking:
    """It rests until somebody approves. ``question``: what the policy wants asked; foreign."""

    ledger: Sequence[Sealed]
    question: str


@dataclass(frozen=True, slots=True)
class Resting:
    ledger: Sequence[Sealed]
    why: str


@dataclass(frozen=True, slots=True)
class Over:
    """``why``: where it was ended from outside, and the ledger does not say."""

    ledger: Sequence[Sealed]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Past:
    """It ended in another job, whose ledger lay where every writer can write. Nothing in it is
    shown, and its end is a hearsay."""

    end: str


@dataclass(frozen=True, slots=True)
class Broken:
    """jam's own fault, or a ledger that does not hold: a person has to look."""

    why: str


Scene: TypeAlias = Quiet | Queued | Running | Asking | Resting | Over | Past | Broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the comment stands, and what belongs to it."""

    repository: int
    number: int
    is_pull: bool = False
    asked_by: str = ""  # a login
    pull: int | None = None  # jam's own, once there is one
    page: str = ""  # address of the session's page, jam's own


def render(place: Place, scene: Scene, *, answer: str = "", with_help: bool = False) -> str:
    """``answer``: one sentence of jam's own to whoever asked last."""
    parts = [
        markers.status(place.repository, place.number),
        _head(place, scene),
        _middle(scene),
        "\n".join(f"> {line}".rstrip() for line in answer.splitlines()),
        help_table() if with_help else "",
        _foot(place, scene),
    ]
    return "\n\n".join(part for part in parts if part)[:LIMIT]


def help_table() -> str:
    rows = [
        f"| `{command.WORD} {form}` | {what} | {takes} |" for form, what, takes in command.MANUAL
    ]
    top = ["| write in a comment, at the start of a line | to | needs |", "|---|---|---|"]
    return "\n".join([*top, *rows])


def _head(place: Place, scene: Scene) -> str:
    match scene:
        case Quiet():
            return ""
        case Queued() | Running():
            return f"{_going(place, scene)}{_links(place, scene)}"
        case Asking(_, question):
            asked = fence.block(question, limit=2_000)
            return f"**jam asks before it goes on**{_links(place, scene)}\n\n{asked}"
        case Resting(_, why):
            return f"**jam rests**: {_said(why)}{_links(place, scene)}"
        case Over(ledger, why):
            return _ended(replay(ledger), _links(place, scene), why)
        case Past(end):
            said = f" as {fence.code(end, limit=20)}" if end in EXIT_CODES else ""
            return (
                f"**This ended in an earlier job**{said}, as is kept of it, and nothing was judged "
                f"again{_links(place, scene)}"
            )
        case Broken(why):
            said = _said(why)
            return f"**Something is wrong with jam itself**: {said}. A person has to look."
        case _:
            assert_never(scene)


def _going(place: Place, scene: Queued | Running) -> str:
    for_whom = f" for {fence.code(place.asked_by, limit=60)}" if place.asked_by else ""
    if isinstance(scene, Running):
        return f"**jam is working on this{for_whom}**"
    where = "next" if scene.position == 1 else f"number {scene.position}"
    return f"**jam has this in its queue{for_whom}**: {where} in line"


def _ended(session: Session, links: str, why: str) -> str:
    ended = session.ended
    if ended is None:
        return f"**jam has stopped**{f': {_said(why)}' if why else ''}{links}"
    opened = session.opened
    took = f" It took {_duration(ended.at - opened.at)}." if opened else ""
    return f"{HEADLINES[ended.end]} {sentence(_said(ended.why))}{took}{links}"


def _links(place: Place, scene: Scene) -> str:
    links = []
    if place.pull is not None:
        links.append(f"#{place.pull}")
    if isinstance(scene, Running | Asking | Resting | Over):
        opened = replay(scene.ledger).opened
        links += [f"session `{opened.session}`"] if opened else []
    if place.page:
        links.append(f"[page]({place.page})")
    return f" · {' · '.join(links)}" if links else ""


def _middle(scene: Scene) -> str:
    match scene:
        case Running(ledger) | Asking(ledger, _) | Resting(ledger, _):
            return checklist(replay(ledger))
        case Over(ledger, _):
            session = replay(ledger)
            return "\n\n".join(
                part for part in (checklist(session), _look(session), _kept(session)) if part
            )
        case _:
            return ""


def _look(session: Session) -> str:
    """What would settle it, where something is open."""
    word = session.adjudicated
    if word is None or word.end == "verified":
        return ""
    # What is open with every change says nothing about one that nobody may have.
    is_open = word.not_verified if word.end in ("partial", "unverified") else ()
    quiet = (fence.prose(one_line(one, 2_000)) for one in word.review)  # it names files
    return "\n".join(f"- {one}" for one in (*quiet, *is_open)[:OPEN])


def _kept(session: Session) -> str:
    """Work that was not published is not lost, and the comment says where it is."""
    if session.published is not None or session.head is None or session.opened is None:
        return ""
    refs = f"refs/jam/checkpoints/{session.opened.session}"
    count = session.head.number
    return (
        f"What the agent did is kept, {count} checkpoint{'' if count == 1 else 's'}: "
        f"`git fetch origin '{refs}/*:{refs}/*'`"
    )


def _foot(place: Place, scene: Scene) -> str:
    match scene:
        case Quiet():
            return ""
        case Queued() | Running():
            return "`/jam stop` ends it; what was done is kept."
        case Asking():
            return "`/jam approve` lets it go on · `/jam stop` ends it"
        case Resting():
            return "`/jam resume` goes on · `/jam stop` ends it"
        case Over() | Past():
            verify = "`/jam verify` judges it again · " if place.is_pull else ""
            return f"{verify}`/jam retry` tries again, with your words behind it · `/jam help`"
        case Broken():
            return "`/jam retry` tries again"
        case _:
            assert_never(scene)


def _said(why: str) -> str:
    """One paragraph: a second one could begin with a command, as if somebody had said it here."""
    return fence.prose(one_line(why, 600))


def _duration(took: timedelta) -> str:
    seconds = max(int(took.total_seconds()), 0)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


@dataclass(frozen=True, slots=True)
class Edit:
    pass


@dataclass(frozen=True, slots=True)
class Later:
    after_s: float


@dataclass(frozen=True, slots=True)
class Leave:
    """It says so already."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The comment as it stands on the page."""

    text: str
    at: datetime


def pace(posted: Posted | None, text: str, *, now: datetime) -> Edit | Later | Leave:
    """Whether ``text`` may be written now. The last word is never dropped, only later."""
    if posted is None:
        return Edit()
    if posted.text == text:
        return Leave()
    due = posted.at + timedelta(seconds=EDIT_EVERY_S)
    # A clock that went back must not hold a comment up for ever.
    wait = min((due - now).total_seconds(), EDIT_EVERY_S)
    return Later(wait) if wait > 0 else Edit()
