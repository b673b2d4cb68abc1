"""
An agent's turn: what it is told, where it works, and the checkpoint of what it left.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from threading import Event

from bot.app.adjudicate import recall_baseline
from bot.app.briefing import Briefing
from bot.app.calling import ARGUMENT, calls_of
from bot.app.candidate import Composer
from bot.app.case import Case
from bot.app.locating import Locator
from bot.core.entries import AnyFact, Hooked, Turned
from bot.core.limits import near
from bot.core.parts import Held, Spent
from bot.core.policy import (
    Answer,
    Decision,
    Policy,
    compose,
    decide_command,
    decide_write,
    read_only,
)
from bot.core.session import Session
from bot.core.steps import AskHook, Work
from bot.core.visible import bound, one_line
from bot.ports import (
    Agent,
    Bench,
    Ended,
    Evidence,
    GateRunner,
    Purse,
    Remaining,
    Say,
    Stage,
    Suspect,
    Workcopy,
)

SAID = 4_000
SUSPECTS = 20
LEFT_OUT_TOLD = 10
HOOK_S = 600.0
INTERRUPTED = 1000
"""Added to the number of a turn that was cut short: its checkpoint is no part of the chain."""
INFORMED = frozenset({"anthropic"})
"""Agents that read a first message, and cost money; a search looks for itself."""


@dataclass(slots=True)
class Laid:
    """Whether the checkout is what the ledger says: not when another process began the turn."""

    sure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    case: Case
    briefing: Briefing
    stage: Stage
    workcopy: Workcopy
    gates: GateRunner
    evidence: Evidence
    agents: Mapping[str, Agent]
    composer: Composer
    policy: Policy
    locate: Locator
    say: Say
    stop: Event
    purse: Purse | None = None  # None: shared with nobody
    laid: Laid = field(default_factory=Laid)

    def before(self, _: Session) -> tuple[AnyFact, ...]:
        """An agent begins on the base: there is nothing to know before."""
        return ()

    def turn(self, step: Work, session: Session) -> Turned:
        parent = self.parent(session)
        if not self.laid.sure:
            self._keep_the_interrupted(step, parent)
            self.workcopy.lay(parent)
            self.laid.sure = True
        agent, bench = self.agents[step.agent], self.bench(step, session)
        self.say(f"turn {step.number}: {step.agent.partition(':')[0]}")
        if used := near(session, self.case.terms):
            self.say(f"note: nearly used up: {used}")
        began = time.monotonic()
        done = agent.turn(
            self.briefing.brief(step, session, self._suspects(step, session, bench)),
            bench,
            history=self._history(step.agent, session),
            feedback=self.briefing.feedback(step.answer, reproduce=step.reproduce),
            remaining=self._remaining(step, session),
        )
        held = self.workcopy.checkpoint(step.number, parent=parent)
        for path, why in (held.left_out if held else ())[:LEFT_OUT_TOLD]:
            self.say(f"note: not kept: {one_line(path, ARGUMENT)} ({why})")
        return Turned(
            number=step.number,
            agent=step.agent,
            wish=done.wish.value,
            said=bound(done.said, SAID),
            seconds=round(time.monotonic() - began, 3),
            spent=Spent(**asdict(done.usage)),
            calls=calls_of(done),
            calls_count=len(done.calls),
            memory_sha256=self.evidence.put(done.memory),
            checkpoint=Held(number=step.number, **asdict(held)) if held else None,
            suspects=tuple((s.path, s.line, s.score) for s in done.suspects[:SUSPECTS]),
        )

    def _keep_the_interrupted(self, step: Work, parent: str) -> None:
        """What a turn had left that never came to its end: kept beside what the turn leaves now."""
        if not self.workcopy.tree_path.exists():
            return
        number = INTERRUPTED + step.number
        if self.workcopy.checkpoint(number, parent=parent):
            self.say(f"what turn {step.number} had left is kept as checkpoint {number}")

    def parent(self, session: Session) -> str:
        """The commit that the next checkpoint follows: the head, or the ground."""
        opened = self.case.opened
        if session.head:
            return session.head.commit
        if session.reproduced is None:
            return opened.base
        return self.workcopy.commit(
            session.ground,
            parent=opened.base,
            message="test: reproduce\n",
            at=int(opened.at.timestamp()),
        )

    def bench(self, step: Work, session: Session) -> Bench:
        policy = compose(self.policy, self._read_only(step, session))

        def may_run(command: str) -> tuple[str, str]:
            decided = decide_command(policy, command, approved=_agreed(command, session))
            return self._may(decided, command)

        def may_write(path: str) -> tuple[str, str]:
            if step.reproduce and not self._is_for_reproduction(path):
                return "deny", "until the issue is reproduced, only test files may be written"
            return self._may(decide_write(policy, path, approved=_agreed(path, session)), path)

        rules = self.composer.rules(session)
        return Bench(
            jail=self.stage.jail,
            view=self.stage.view(self.workcopy.tree_path),
            oracle=self.case.oracle,
            passing=recall_baseline(session, self.evidence).passed,
            is_read_only=lambda path: rules.hold(path) is not None,
            may_run=may_run,
            may_write=may_write,
            say=self.say,
            stop=self.stop,
        )

    def _may(self, decision: Decision, what: str) -> tuple[str, str]:
        """A person is asked about what can be shown to them whole; where nobody is, ask is deny."""
        if decision.answer is not Answer.ASK:
            return decision.answer.value, decision.why
        if not self.case.opened.can_ask:
            return Answer.DENY.value, f"{decision.why}; nobody can be asked here"
        if one_line(what, ARGUMENT) != what:
            return Answer.DENY.value, f"{decision.why}; write it on one short line to have it asked"
        return decision.answer.value, decision.why

    def ask_hook(self, step: AskHook, session: Session) -> Hooked:
        """A hook sees the candidate in a room of its own. A non-zero exit vetoes."""
        command = self.case.contract.hooks.stop[step.number]
        candidate = session.candidate
        assert candidate is not None, "hooks are asked about a candidate"  # noqa: S101
        room = self.workcopy.room(candidate.tree, name=f"hook-{step.number}")
        try:
            ran = self.gates.ask(command, room, timeout_s=HOOK_S)
        finally:
            self.workcopy.discard(room)
        vetoed = ran.ended is not Ended.EXITED or ran.exit_code != 0
        self.say(f"stop hook {step.number + 1}: {'veto' if vetoed else 'no objection'}")
        return Hooked(
            number=step.number,
            checkpoint=candidate.checkpoint,
            command=command,
            exit_code=ran.exit_code,
            vetoed=vetoed,
            output_sha256=self.evidence.put(ran.output.encode()),
        )

    def _suspects(self, step: Work, session: Session, bench: Bench) -> tuple[Suspect, ...]:
        """For the first message to a model: what a search before it found, or a look of our own."""
        begins = all(name != step.agent for name, _ in session.memories)
        if step.agent not in INFORMED or not begins or step.reproduce:
            return ()
        if session.last and session.last.suspects:
            known = session.last.suspects
            return tuple(Suspect(path=p, line=line, score=score) for p, line, score in known)
        self.say("looking for the lines that the failing tests point at")
        return self.locate(recall_baseline(session, self.evidence).targets, bench)

    def _read_only(self, step: Work, session: Session) -> Policy:
        return Policy() if step.reproduce else read_only(self.composer.rules(session).held)

    def _is_for_reproduction(self, path: str) -> bool:
        reproduce = self.case.contract.reproduce
        prefixes = reproduce.paths if reproduce else ()
        return any(path == p or path.startswith(p.rstrip("/") + "/") for p in prefixes)

    def _history(self, agent: str, session: Session) -> tuple[bytes, ...]:
        return tuple(self.evidence.get(sha) for name, sha in session.memories if name == agent)

    def _remaining(self, step: Work, session: Session) -> Remaining:
        terms = self.case.terms
        cents = max(0.0, terms.cents - session.cents)
        if self.purse and step.agent in INFORMED:
            cents = self.purse.reserve(cents)
        return Remaining(
            turns=terms.turns - session.turns,
            seconds=max(0.0, terms.seconds - session.seconds),
            tokens=max(0, terms.tokens - session.tokens),
            cents=cents,
        )


def _agreed(what: str, session: Session) -> frozenset[str]:
    return frozenset({what}) & session.approved
