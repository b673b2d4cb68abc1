"""
One job of a workflow: what asked for it is decided and performed as in the App, and what comes of
that is worked off here and now, since nothing runs after the job.

Between jobs a session is kept in the repository. A job that takes one up again finds history: what
was judged elsewhere is judged anew.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from bot.app.github.accept import Acceptance, Done
from bot.app.github.lookups import Lookups
from bot.app.github.needs import Docket, Forges, Now
from bot.app.github.session import Sessions
from bot.core.conclude import EXIT_CODES
from bot.core.decision import Forget, Ignore
from bot.core.delivery import read_event
from bot.core.docket import Listed
from bot.core.event import Event, InstallationChanged, RepositoriesChanged, Unwanted
from bot.core.facts import Facts, State
from bot.core.kept_session import KeptSession
from bot.core.thread import Repository
from bot.errors import ForgeRefused, LedgerBroken, RequestError, TransientError
from bot.ports import Say

LONGEST_WAIT_S = 300.0
WAITS = 3
REFUSED, PAUSED, BUG = RequestError.exit_code, TransientError.exit_code, 70


class Queue(Protocol):
    def next(self) -> tuple[str, int] | None: ...

    def put(self, session: str, *, run: int, repository: int) -> None: ...


class Rows(Docket, Protocol):
    def due_at(self, session: str) -> datetime | None:
        """When its rest is over; None where nobody said."""
        ...


class Drawer(Protocol):
    """Where sessions lie between jobs."""

    def restore(self, where: Repository) -> Sequence[KeptSession]:
        """All that there are; their rows are in the docket from now on."""
        ...

    def keep(self, session: str, *, delivery: str) -> None:
        """As it stands now."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """``key`` is the job's, and the same when it is run again."""

    event: str
    body: bytes
    key: str
    repository: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What came of it. ``outcome``: an end of the table, or what there was instead of a session."""

    outcome: str
    why: str = ""
    exit_code: int = 0
    session: str = ""
    listed: Listed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    docket: Rows
    forges: Forges
    acceptance: Acceptance
    sessions: Sessions
    queue: Queue
    drawer: Drawer
    bots: frozenset[int]
    bugs: Container[str]  # the sessions that met a bug of jam's
    now: Now
    say: Say
    sleep: Callable[[float], None]

    def run(self, asked: Asked) -> Came:
        event = read_event(asked.event, asked.body)
        if isinstance(event, Unwanted):
            return Came(outcome="ignored", why=event.why)
        if isinstance(event, InstallationChanged | RepositoriesChanged):
            return Came(outcome="ignored", why="a workflow has no installation")
        if event.where.id != asked.repository:
            raise ForgeRefused("the event is about another repository than this job's")
        kept = self.drawer.restore(event.where)
        done = self._again(kept, asked) or self._decided(event, event.where, asked)
        if isinstance(done, Came):
            return done
        if done.session and self.docket.get(done.session):
            self.drawer.keep(done.session, delivery=asked.key)
        return self._came(done, self._work_off(asked))

    def _again(self, kept: Sequence[KeptSession], asked: Asked) -> Done | Came | None:
        """This very job, run again: what it began goes on, and nothing is decided twice."""
        for one in kept:
            if one.delivery != asked.key:
                continue
            listed = self.docket.get(one.listed.session)
            assert listed is not None, "what was restored is there"  # noqa: S101
            if listed.state is State.ENDED:
                return over(listed)
            run = self.docket.queue_again(listed.session)
            self.queue.put(listed.session, run=run or listed.run, repository=listed.where.id)
            self.say(f"this job had begun {listed.session}: it goes on")
            return Done(outcome="again", session=listed.session)
        return None

    def _decided(self, event: Event, where: Repository, asked: Asked) -> Done | Came:
        forge = self.forges.of(where)
        lookups = Lookups(forge=forge, docket=self.docket, now=self.now())
        facts = Facts(own=forge.own, bots=self.bots)
        decision, _ = lookups.decide(event, facts, key=asked.key)
        if isinstance(decision, Ignore):
            return Came(outcome="ignored", why=decision.why)
        if isinstance(decision, Forget) and decision.where is None:
            return Came(outcome="ignored", why=decision.why)
        return self.acceptance.perform(decision, event, forge)

    def _work_off(self, asked: Asked) -> str:
        """The session that was worked on, if any. A short rest is waited for, a long one is not."""
        worked, waits = "", 0
        while (due := self.queue.next()) is not None:
            worked = due[0]
            try:
                self.sessions.run(worked, due[1])
            finally:  # a job that is cancelled has seconds, and this is what they are for
                self._keep(worked, asked)
            pause = self._pause(worked)
            if pause is not None and waits < WAITS:
                waits += 1
                self._rest(worked, pause)
        return worked

    def _keep(self, session: str, asked: Asked) -> None:
        """What the agent left, and then the ledger that speaks of it."""
        listed = self.docket.get(session)
        try:
            rests = listed is not None and listed.state is not State.ENDED
            if listed and rests and self.sessions.shop.journal.read(session):
                self.sessions.shop.keeper(session, self.forges.of(listed.where)).keep()
            self.drawer.keep(session, delivery=asked.key)
        except (TransientError, RequestError) as unsent:
            self.say(f"{session} could not be kept for another job: {unsent}")

    def _pause(self, session: str) -> float | None:
        listed = self.docket.get(session)
        due = self.docket.due_at(session)
        if listed is None or listed.state is not State.RESTING or due is None:
            return None
        wait = (due - self.now()).total_seconds()
        return max(0.0, wait) if wait <= LONGEST_WAIT_S else None

    def _rest(self, session: str, pause: float) -> None:
        self.say(f"waiting {pause:.0f} s before {session} goes on")
        self.sleep(pause)
        run = self.docket.queue_again(session)
        listed = self.docket.get(session)
        if run is not None and listed is not None:
            self.queue.put(session, run=run, repository=listed.where.id)

    def _came(self, done: Done, worked: str) -> Came:
        listed = self.docket.get(worked) if worked else None
        if listed is None:
            code = REFUSED if done.outcome == "refused" else 0
            return Came(outcome=done.outcome, why=done.why, exit_code=code, session=done.session)
        return Came(
            outcome=outcome_of(listed),
            why=listed.why,
            exit_code=BUG if listed.session in self.bugs else code_of(listed),
            session=listed.session,
            listed=listed,
        )


def outcome_of(listed: Listed) -> str:
    return listed.end if listed.state is State.ENDED else "paused"


def over(listed: Listed) -> Came:
    """What is kept of it lay where every writer can write: *verified* is nothing to take over."""
    is_known = listed.end in (*EXIT_CODES, "refused", "broken") and listed.end != "verified"
    told = listed if is_known else replace(listed, end="unverified")
    return Came(
        outcome=told.end,
        why="this job's session ended when it ran before, and nothing was judged again",
        exit_code=code_of(told),
        session=listed.session,
    )


def code_of(listed: Listed) -> int:
    if listed.state is not State.ENDED:
        return PAUSED
    if listed.end == "broken":
        return LedgerBroken.exit_code
    return EXIT_CODES.get(listed.end, REFUSED)
