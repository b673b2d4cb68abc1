"""
Performs one step and says what came of it. Which step is due is none of its business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, assert_never

from bot.app.adjudicate import Adjudicator
from bot.app.candidate import Composer
from bot.app.preflight import Preflights
from bot.app.probe import Prober
from bot.app.publish import Publishing
from bot.app.reproduce import Reproducer
from bot.core.entries import AnyFact, Hooked, Suspended, Turned
from bot.core.session import Session
from bot.core.steps import (
    Accept,
    Adjudicate,
    Ask,
    AskGate,
    AskHook,
    Compose,
    Conclude,
    Dispute,
    Done,
    Finish,
    Freeze,
    JudgeAlso,
    Preflight,
    Prepare,
    Probe,
    Publish,
    Reproduce,
    Settle,
    Step,
    Work,
)


class Working(Protocol):
    """Who writes the change: an agent at work, or a change that exists already."""

    def before(self, session: Session) -> tuple[AnyFact, ...]:
        """Facts that are known before the first step."""
        ...

    def turn(self, step: Work, session: Session) -> Turned: ...

    def ask_hook(self, step: AskHook, session: Session) -> Hooked: ...


def question(step: Ask) -> str:
    return f"the policy wants a person asked first: {'; '.join(step.what)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Performer:
    preflights: Preflights
    composer: Composer
    workshop: Working
    reproducer: Reproducer
    adjudicator: Adjudicator
    prober: Prober
    publishing: Publishing

    def before(self, session: Session) -> tuple[AnyFact, ...]:
        return self.workshop.before(session)

    def perform(self, step: Step, session: Session) -> tuple[AnyFact, ...]:  # noqa: C901  # one case per step
        match step:
            case Prepare():
                return self.preflights.prepare()
            case Freeze():
                return (self.composer.freeze(session),)
            case Preflight():
                return (self.preflights.run(step),)
            case Settle():
                return (self.preflights.settle(session),)
            case Work():
                return (self.workshop.turn(step, session),)
            case Ask():
                return (Suspended(at=self.publishing.now(), why=question(step)),)
            case Reproduce():
                return (self.reproducer.judge(step, session),)
            case Accept():
                return (self.reproducer.accept(step, session),)
            case Compose():
                return (self.composer.compose(session, step.head),)
            case AskGate():
                return (self.adjudicator.stop_gate(step, session),)
            case AskHook():
                return (self.workshop.ask_hook(step, session),)
            case Adjudicate():
                return self.adjudicator.runs(step, session)
            case Dispute():
                return (self.adjudicator.dispute(step, session),)
            case Probe():
                return self.prober.probe(step, session)
            case JudgeAlso():
                return (self.adjudicator.also(step, session),)
            case Conclude():
                return (self.adjudicator.conclude(step, session),)
            case Publish():
                return (self.publishing.publish(session),)
            case Finish():
                return (self.publishing.finish(session),)
            case Done():
                return ()
            case _:
                assert_never(step)
