"""
Performs the steps of a mend and says what came of each.

Which step is due is ``bot.core.flaky.mend_steps``'s; what the runs mean is the core's. An agent's
own runs are never looked at: everything that counts is made here, in clean rooms.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Event

from bot.app.calling import calls_of
from bot.app.case import Case
from bot.app.flaky.mend_briefing import MendBriefing
from bot.app.flaky.mend_mutate import Mutator
from bot.app.flaky.mend_runs import Sampler
from bot.app.publish import Publishing
from bot.app.reviewing import Reviewer
from bot.core.entries import Adjudicated, AnyFact, Prepared, Turned
from bot.core.flaky import mend_end
from bot.core.flaky.finding import Finding
from bot.core.flaky.guard import Edit, Ground, guard
from bot.core.flaky.guard_parts import Refusal
from bot.core.flaky.mend_facts import Guarded
from bot.core.flaky.mend_steps import (
    Guard,
    Mend,
    MendStep,
    Mutate,
    Plan,
    RunSuite,
    Sample,
    ShowRed,
)
from bot.core.parts import Change, Held, Remark, Spent
from bot.core.policy import Policy, decide_command, decide_write
from bot.core.steps import Conclude, Done, Finish, Prepare, Publish, Work
from bot.core.visible import bound
from bot.errors import SpecError
from bot.ports import (
    Agent,
    Bench,
    Evidence,
    Remaining,
    Say,
    Stage,
    Wish,
    Workcopy,
)
from bot.ports import (
    Ended as CommandEnded,
)

FILES_TOLD = 100
SAID = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MendHands:
    case: Case
    finding: Finding
    allowed: frozenset[str]
    stage: Stage
    workcopy: Workcopy
    evidence: Evidence
    sampler: Sampler
    mutator: Mutator
    agents: Mapping[str, Agent]
    policy: Policy
    briefing: MendBriefing
    publishing: Publishing
    say: Say
    stop: Event

    def perform(self, step: MendStep, mend: Mend, *, chance: str) -> AnyFact | None:  # noqa: C901  # one case per step
        match step:
            case Prepare():
                return self._prepare()
            case ShowRed():
                return self.sampler.red(mend)
            case Plan():
                planned = self.sampler.plan(mend, seconds=self.case.terms.seconds)
                return planned.model_copy(update={"allowed": tuple(sorted(self.allowed))})
            case RunSuite():
                return self.sampler.suite(step, mend, chance=chance)
            case Work():
                return self._turn(step, mend)
            case Guard():
                return self._guard(step, mend)
            case Sample():
                return self.sampler.sample(step, mend, chance=chance)
            case Mutate():
                return self.mutator.compare(step, mend.session.ground)
            case Conclude():
                return self._conclude(step, mend)
            case Publish():
                return self.publishing.publish(mend.session)
            case Finish():
                return self.publishing.finish(mend.session)
            case Done():
                return None

    def _prepare(self) -> Prepared:
        setup = self.case.contract.setup
        if setup:
            self.say(f"setting up: {setup}")
        ready = self.stage.prepare(setup=setup)
        ran = ready.ran
        if ran is not None and (ran.ended is not CommandEnded.EXITED or ran.exit_code != 0):
            raise SpecError("spec.oracle_error", f"the setup failed:\n{ran.output[-2000:].strip()}")
        return Prepared(
            environment_sha256=ready.environment_sha256,
            layer_sha256=ready.layer_sha256,
            setup=setup,
            setup_s=round(ran.seconds, 3) if ran else 0.0,
            setup_output_sha256=self.evidence.put(ran.output.encode()) if ran else None,
            withheld=ready.withheld,
        )

    def _turn(self, step: Work, mend: Mend) -> Turned:
        session = mend.session
        parent = session.head.commit if session.head else self.case.opened.base
        self.workcopy.lay(parent)
        self.say(f"turn {step.number}: {step.agent.partition(':')[0]}")
        began = time.monotonic()
        history = [self.evidence.get(sha) for name, sha in session.memories if name == step.agent]
        done = self.agents[step.agent].turn(
            self.briefing.brief(mend),
            self.bench(mend),
            history=history,
            feedback=self.briefing.feedback(mend),
            remaining=self._remaining(mend),
        )
        held = self.workcopy.checkpoint(step.number, parent=parent)
        wish = done.wish
        is_new = _is_new(held.tree if held else None, mend)
        if wish is Wish.ASK or (wish is Wish.FINISH and not is_new):
            wish = Wish.GIVE_UP  # nobody can be asked here, and nothing new is nothing to judge
        return Turned(
            number=step.number,
            agent=step.agent,
            wish=wish.value,
            said=bound(done.said, SAID),
            seconds=round(time.monotonic() - began, 3),
            spent=Spent(**asdict(done.usage)),
            calls=calls_of(done),
            calls_count=len(done.calls),
            memory_sha256=self.evidence.put(done.memory),
            checkpoint=Held(number=step.number, **asdict(held)) if held else None,
        )

    def bench(self, mend: Mend) -> Bench:
        tally = self.sampler.tally(mend.suite) if mend.suite else {}

        def may_run(command: str) -> tuple[str, str]:
            decision = decide_command(self.policy, command)
            return decision.answer.value, decision.why

        def may_write(path: str) -> tuple[str, str]:
            decision = decide_write(self.policy, path)
            return decision.answer.value, decision.why

        return Bench(
            jail=self.stage.jail,
            view=self.stage.view(self.workcopy.tree_path),
            oracle=self.case.oracle,
            passing=frozenset(test for test, (failed, runs) in tally.items() if failed < runs),
            is_read_only=lambda path: path.startswith(".git/"),
            may_run=may_run,
            may_write=may_write,
            say=self.say,
            stop=self.stop,
        )

    def _guard(self, step: Guard, mend: Mend) -> Guarded:
        ground = mend.session.ground
        changes = self.workcopy.changes(ground, step.tree)
        edits = [
            Edit(
                path=change.path,
                before=self.workcopy.read(ground, change.path) if change.old_mode else None,
                after=self.workcopy.read(step.tree, change.path) if change.new_mode else None,
            )
            for change in changes
        ]
        said = guard(
            edits,
            Ground(
                category=self.finding.category,
                leaked=frozenset(leaked.where for leaked in self.finding.leaked),
                allowed=frozenset(mend.planned.allowed if mend.planned else ()),
            ),
        )
        self.say(f"the guard: {len(said.refusals)} refusals")
        return Guarded(
            attempt=step.attempt,
            tree=step.tree,
            refusals=_remarks(said.refusals),
            lifted=_remarks(said.lifted),
            remarks=said.remarks,
        )

    def _conclude(self, step: Conclude, mend: Mend) -> Adjudicated:
        last, ground = mend.last, mend.session.ground
        remarks: tuple[Remark, ...] = ()
        if last is not None and last.is_whole:
            reviewer = Reviewer(workcopy=self.workcopy)
            remarks = reviewer.remarks(ground, last.tree, targets=self.finding.tests)
        word = mend_end.conclude(mend, why=step.why, remarks=remarks)
        changes = self.workcopy.changes(ground, word.tree)
        told = tuple(
            Change(
                path=c.path,
                added=c.added,
                removed=c.removed,
                old_mode=c.old_mode,
                new_mode=c.new_mode,
            )
            for c in changes[:FILES_TOLD]
        )
        return word.model_copy(update={"changes": told, "files": len(changes)})

    def _remaining(self, mend: Mend) -> Remaining:
        terms, session = self.case.terms, mend.session
        return Remaining(
            turns=terms.turns - session.turns,
            seconds=max(0.0, terms.seconds - session.seconds),
            tokens=max(0, terms.tokens - session.tokens),
            cents=max(0.0, terms.cents - session.cents),
        )


def _is_new(tree: str | None, mend: Mend) -> bool:
    session = mend.session
    tree = tree or (session.head.tree if session.head else session.ground)
    return tree not in {session.ground, *(attempt.tree for attempt in mend.attempts)}


def _remarks(refusals: Sequence[Refusal]) -> tuple[Remark, ...]:
    return tuple(Remark(path=r.path, line=r.line, what=r.what) for r in refusals[:FILES_TOLD])
