"""
What a check run says: title, summary, text, and a conclusion that never promises more than the end.

A conclusion that satisfies a required check is given for *verified* alone. Where nothing ran there
is no check run at all, and a session that rests has one without a conclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from bot.core import fence
from bot.core.body_tables import changes_table, counts, ledger_table
from bot.core.ledger import Sealed
from bot.core.pr_body import HEADLINES
from bot.core.session import Session, replay
from bot.core.stages import checklist, stages
from bot.core.visible import one_line
from bot.core.words import many_of, sentence

JAM = "jam"
VERIFY = "jam / verify"
BYTES = 65_000
TITLE = 240

CONCLUSIONS = {
    "verified": "success",
    "partial": "failure",
    "failed": "failure",
    "unverified": "action_required",
    "cancelled": "cancelled",
}


class Status(StrEnum):
    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Button:
    """GitHub takes three on a check: labels and identifiers of 20 characters, words of 40."""

    identifier: str
    label: str
    words: str


_STOP = Button("stop", "Stop", "End the session; its work is kept")
_RETRY = Button("retry", "Try again", "Start another attempt")
_VERIFY = Button("verify", "Verify", "Judge the head again in clean rooms")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckText:
    """``conclusion`` is '' exactly while the status is not *completed*."""

    name: str
    external_id: str
    status: Status
    conclusion: str
    title: str
    summary: str
    text: str = ""
    buttons: tuple[Button, ...] = ()


def render(ledger: Sequence[Sealed], *, name: str = JAM) -> CheckText | None:
    """None: no session exists, so nothing ran and nothing is shown."""
    session = replay(ledger)
    if session.opened is None:
        return None
    end = session.ended.end if session.ended else ""
    return CheckText(
        name=name,
        external_id=session.opened.session,
        status=Status.COMPLETED if end else Status.IN_PROGRESS,
        conclusion=CONCLUSIONS[end] if end else "",
        title=one_line(_title(session), TITLE),
        summary=_fit(_summary(session)),
        text=_fit(_text(session, ledger)),
        buttons=(_VERIFY, _RETRY) if end else (_STOP,),
    )


def broken(session_id: str, why: str, *, name: str = JAM) -> CheckText:
    """The ledger does not hold, or jam has a bug: a failure, frozen for a person."""
    return CheckText(
        name=name,
        external_id=session_id,
        status=Status.COMPLETED,
        conclusion="failure",
        title="Something is wrong with jam itself",
        summary=f"{fence.prose(why, limit=2_000)}\n\nA person has to look.",
    )


def _title(session: Session) -> str:
    ended, baseline = session.ended, session.baseline
    if ended is None:
        due = next((stage.words for stage in stages(session) if not stage.is_done), "finish")
        return f"To do: {due}"
    targets = baseline.targets_count if baseline else 0
    said = f"{many_of(targets, 'test')} mended" if ended.end == "verified" else ended.why
    return f"{ended.end.capitalize()}: {said}"


def _summary(session: Session) -> str:
    ended = session.ended
    if ended is None:
        return checklist(session)
    parts = [f"{HEADLINES[ended.end]} {sentence(fence.prose(ended.why, limit=2_000))}"]
    word = session.adjudicated
    runs = [run for run in session.adjudications if word and run.tree == word.tree]
    parts += [
        f"- {fence.code(gate.gate)}: {counts(gate)}" for gate in (runs[-1].gates if runs else ())
    ]
    if word and word.not_verified:
        parts += ["", "Not verified:", "", *(f"- {one}" for one in word.not_verified)]
    # A list that follows another one directly would be read as more of it.
    return "\n".join([parts[0], "", *parts[1:], "", "Steps:", "", checklist(session)])


def _text(session: Session, ledger: Sequence[Sealed]) -> str:
    table = f"### Evidence\n\n{ledger_table(session, ledger)}"
    word = session.adjudicated
    return (
        f"{table}\n\n### Changed files\n\n{changes_table(word)}" if word and word.files else table
    )


def _fit(text: str) -> str:
    """Whole lines, as many as GitHub takes, and a word where it is cut."""
    if len(text.encode()) <= BYTES:
        return text
    lines = text.split("\n")
    sizes = accumulate(len(line.encode()) + 1 for line in lines)
    kept = [line for line, size in zip(lines, sizes, strict=True) if size <= BYTES - 100]
    return "\n".join([*kept, "", "… cut here; the ledger has all of it."])
