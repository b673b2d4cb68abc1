"""
Performs what was decided about a delivery: a session is put on the docket and into the queue,
stopped, resumed or forgotten, or a sentence is said.

Written down first, shown second, queued last: whatever a crash cuts off is done when the delivery
is taken up again, and doing any of it twice is harmless.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from bot.app.github.needs import Docket, Line, Now
from bot.app.github.status import HELP, Status
from bot.core import asked, reactions, refusal
from bot.core.asked import Asked
from bot.core.decision import (
    Answer,
    Decision,
    Failed,
    Forget,
    Ignore,
    LookUp,
    MarkStale,
    Resume,
    Retry,
    Show,
    Start,
    Stop,
    Told,
    Undo,
    Verify,
    Words,
)
from bot.core.docket import Kind, Listed
from bot.core.event import Commented, Event, Labelled
from bot.core.forge_values import OfComment, OfThread, Spot
from bot.core.reactions import Reaction
from bot.core.thread import Repository
from bot.core.token_shapes import mask
from bot.core.visible import one_line
from bot.errors import ForgeRefused
from bot.forge_port import Forge

TITLE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a delivery, for the inbox."""

    outcome: str
    why: str = ""
    session: str = ""


OfOne: TypeAlias = Resume | Stop | Undo


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    docket: Docket
    line: Line
    status: Status
    now: Now

    def perform(  # noqa: C901  # one case per decision
        self, decision: Decision, event: Event, forge: Forge
    ) -> Done:
        spot = spot_of(event)
        match decision:
            case Ignore(why):
                return Done(outcome="ignored", why=why)
            case Start() | Retry() | Verify():
                return self._begin(decision, spot, forge)
            case Resume():
                return self._resume(decision, spot, forge)
            case Stop():
                return self._stop(decision, spot, forge)
            case Undo():
                return self._undo(decision, spot, forge)
            case Answer():
                return self._answer(decision, spot, forge)
            case Forget():
                return self._forget(decision, forge)
            case MarkStale():
                return self._mark_stale(decision, forge)
            case LookUp():
                raise AssertionError("a decision that lacks facts is not performed")
            case _:
                assert_never(decision)

    def _begin(self, wish: Start | Retry | Verify, spot: Spot | None, forge: Forge) -> Done:
        listed = listing(Asked(wish=wish, spot=spot), self.now)
        self.docket.add(listed)
        self.docket.answer(wish.where.id, listed.thread, wish.note)
        sign(forge, spot, Reaction.EYES)
        self.status.show(forge, wish.where, listed.thread)
        self.line.put(listed.session, run=1, repository=wish.where.id)
        return Done(outcome=type(wish).__name__.lower(), session=listed.session)

    def _resume(self, wish: Resume, spot: Spot | None, forge: Forge) -> Done:
        run = self.docket.queue_again(
            wish.session, approved_by=wish.by.login if wish.approves else ""
        )
        listed = self.docket.get(wish.session)
        if listed is None:
            return Done(outcome="ignored", why="there is no such session")
        self.docket.answer(wish.where.id, listed.thread, wish.note)
        sign(forge, spot, Reaction.EYES)
        self.status.show(forge, wish.where, listed.thread)
        self.line.put(wish.session, run=run or listed.run, repository=wish.where.id)
        return Done(outcome="resume", session=wish.session)

    def _stop(self, wish: Stop, spot: Spot | None, forge: Forge) -> Done:
        sign(forge, spot, Reaction.EYES)
        self.stop(wish.session, by=wish.why)
        if listed := self.docket.get(wish.session):
            self.status.show(forge, wish.where, listed.thread)
        return Done(outcome="stop", why=wish.why, session=wish.session)

    def stop(self, session: str, *, by: str) -> None:
        """A session that rests is taken up once more, to be judged and told as it stands."""
        listed = self.docket.get(session)
        if listed is None:
            return
        run = self.docket.queue_again(session)
        self.docket.ask_stop(session, by=by)
        if run is not None:
            self.line.put(session, run=run, repository=listed.where.id)

    def _undo(self, wish: Undo, spot: Spot | None, forge: Forge) -> Done:
        """A session of its own, whose work is there already: an earlier checkpoint of that one."""
        before = self.docket.get(wish.session)
        if before is None:
            return Done(outcome="ignored", why="there is no such session")
        listed = replace(
            listing(Asked(wish=wish, spot=spot), self.now),
            session=f"{wish.session}-u{before.run}-{wish.count}",
            thread=before.thread,
            is_pull=before.is_pull,
            title=before.title,
            counts_as=before.counts_as,
        )
        self.docket.add(listed)
        self.docket.answer(wish.where.id, listed.thread, wish.note)
        sign(forge, spot, Reaction.EYES)
        self.status.show(forge, wish.where, listed.thread)
        self.line.put(listed.session, run=1, repository=wish.where.id)
        return Done(outcome="undo", session=listed.session)

    def _answer(self, answer: Answer, spot: Spot | None, forge: Forge) -> Done:
        said = "\n".join(part for part in (answer.refusal, answer.note) if part)
        kept = HELP if answer.show is Show.HELP else said
        self.docket.answer(answer.where.id, answer.thread, kept)
        if sign_of := reactions.to(answer):
            sign(forge, spot, sign_of)
        self.status.show(forge, answer.where, answer.thread)
        return Done(outcome="refused" if answer.refusal else "answered", why=answer.refusal)

    def _forget(self, wish: Forget, forge: Forge | None) -> Done:
        for one in self._those(wish):
            self.stop(one, by=wish.why)
        if wish.where is not None and forge is not None:
            for number in wish.ids:
                self._drop_checkpoints(wish.where, number, forge, stopping=wish.session)
        return Done(outcome="forgotten", why=wish.why, session=wish.session)

    def _those(self, wish: Forget) -> tuple[str, ...]:
        if wish.where is not None:
            return (wish.session,) if wish.session else ()
        if wish.scope.value == "installation":
            found = self.docket.open_in(installation=wish.ids[0])
        else:
            found = self.docket.open_in(repositories=wish.ids)
        return tuple(one.session for one in found)

    def forget(self, wish: Forget) -> Done:
        """Where jam may not go any more: nobody is told, and nothing is fetched or pushed."""
        now = self.now()
        for session in self._those(wish):
            self.docket.ask_stop(session, by=wish.why)
            self.docket.end(session, end="cancelled", why=wish.why, now=now)
        return Done(outcome="forgotten", why=wish.why)

    def _drop_checkpoints(
        self, where: Repository, number: int, forge: Forge, *, stopping: str
    ) -> None:
        """But those of a session that is only being stopped: should its worker be lost, another
        judges what there was. They go when their time is over."""
        for session in self.docket.sessions_of(where.id, number):
            if session == stopping:
                continue
            for ref in forge.refs(f"refs/jam/checkpoints/{session}/"):
                forge.drop(ref.name)

    def _mark_stale(self, stale: MarkStale, forge: Forge) -> Done:
        said = refusal.stale(stale.judged_sha, head=stale.pull.head_sha)
        self.docket.answer(stale.where.id, stale.pull.number, said)
        self.status.show(forge, stale.where, stale.pull.number)
        return Done(outcome="marked stale", why=said)


def listing(told: Asked, now: Now) -> Listed:
    """The row of the docket that a decision becomes."""
    wish = told.wish
    thread = None if isinstance(wish, Undo) else _thread(wish)
    return Listed(
        session=wish.id if isinstance(wish, Verify) else wish.session,
        kind=Kind.VERIFY if isinstance(wish, Verify) else Kind.FIX,
        where=wish.where,
        thread=thread[0] if thread else 0,
        is_pull=thread[1] if thread else False,
        asked=asked.spell(told),
        asked_by=wish.by.login,
        counts_as=getattr(wish, "counts_as", ""),
        title=one_line(mask(_title(wish)), TITLE),
        opened_at=now(),
        head_sha=_head(wish),
    )


def _thread(wish: Start | Retry | Verify) -> tuple[int, bool] | None:
    if isinstance(wish, Verify):
        return wish.pull.number, True
    return (wish.thread.number, wish.thread.is_pull) if wish.thread else None


def _head(wish: Start | Retry | Verify | Undo) -> str:
    """The commit beside which its check run stands from the start: none for an issue, since a red
    mark on the default branch would say something about the default branch."""
    match wish:
        case Verify(pull=pull):
            return pull.head_sha
        case Start(base=base):
            return base.sha
        case Retry(pull=pull):
            return pull.head_sha if pull else ""
        case _:
            return ""


def _title(wish: Start | Retry | Verify | Undo) -> str:
    match wish:
        case Verify(pull=pull):
            return pull.title
        case Retry(thread=thread):
            return thread.title
        case Start(subject=Told(title=title)):
            return title
        case Start(subject=Failed(names=names)):
            return f"{', '.join(names)} fails"
        case Start(subject=Words(text)):
            return text
        case _:
            return ""


def spot_of(event: Event) -> Spot | None:
    match event:
        case Commented():
            return OfComment(event.comment)
        case Labelled():
            return OfThread(event.thread.number)
        case _:
            return None


def sign(forge: Forge, spot: Spot | None, reaction: Reaction) -> None:
    """A sign that cannot be put anywhere is no reason to stop."""
    if spot is None:
        return
    try:
        forge.react(spot, reaction)
    except ForgeRefused:
        return
