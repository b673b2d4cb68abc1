"""
What to do next, decided from the session alone.

``next_step`` is a function from facts to a step; whoever performs the step appends what came of
it, and asks again. Every rule of the stop gate and of adjudication's order is here.
"""

from __future__ import annotations

from bot.core.entries import Hooked, Judged
from bot.core.limits import reached
from bot.core.parts import Colour, Purpose
from bot.core.session import Session
from bot.core.settled import in_dispute, runs_of, settled, settled_run
from bot.core.steps import (
    GATE_ERRORS,
    PREFLIGHTS,
    PROBES,
    REFUSALS,
    SEEDS,
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
    Terms,
    Work,
)

PUBLISHED_ENDS = frozenset({"verified", "partial", "unverified"})


def next_step(session: Session, terms: Terms) -> Step:
    if session.ended:
        return Done(session.ended)
    if session.adjudicated:
        due = session.adjudicated.end in PUBLISHED_ENDS and session.published is None
        due = due and session.adjudicated.head_tree != session.ground
        return Publish() if due and terms.publish else Finish()
    if session.prepared is None:
        return Prepare()
    if session.froze is None:
        return Freeze()
    cannot_judge = any(run.colour is Colour.ERROR for run in session.preflights)
    if len(session.preflights) < PREFLIGHTS and not cannot_judge:
        return Preflight(len(session.preflights), session.ground)
    if session.baseline is None:
        return Settle()
    return _judging(session, terms) if over(session, terms) else _working(session, terms)


def reproducing(session: Session, terms: Terms) -> bool:
    """The base is green, and the agent may first write the test that shows the issue."""
    green = session.baseline is not None and session.baseline.targets_count == 0
    return green and terms.may_reproduce and session.reproduced is None


def changed(session: Session) -> bool:
    return session.candidate is not None and session.candidate.tree != session.ground


def over(session: Session, terms: Terms) -> str:
    """Why the work is over, or '' while it goes on."""
    if session.stopped:
        return f"stopped by {session.stopped.by}"
    if passed_gate(session, terms):
        return "the stop gate was green"
    if session.refusals >= REFUSALS:
        return f"refused {session.refusals} times at the stop gate"
    if session.gate_errors >= GATE_ERRORS:
        return "the oracle could not judge at the stop gate, twice in a row"
    if session.agent >= len(terms.agents):
        return "the agent gave up"
    return "" if _awaits_answer(session, terms) else reached(session, terms)


def passed_gate(session: Session, terms: Terms) -> bool:
    green = session.gate is not None and session.gate.colour is Colour.GREEN
    asked = len(session.hooks) == terms.hooks and not any(h.vetoed for h in session.hooks)
    return green and asked and session.gate is not None and session.gate.purpose is _STOP


_STOP = Purpose.STOP_GATE


def _awaits_answer(session: Session, terms: Terms) -> bool:
    """A wish to finish is always answered, by the hooks as well, even when a limit was reached."""
    if session.last is None or session.last.wish != "finish":
        return False
    gate = session.gate
    if gate is None or (gate.purpose is Purpose.REPRODUCTION and gate.shows):
        return True  # a test that shows the issue is kept, whoever mends it then
    to_hooks = gate.purpose is _STOP and gate.colour is Colour.GREEN
    return (
        to_hooks and len(session.hooks) < terms.hooks and not any(h.vetoed for h in session.hooks)
    )


def _working(session: Session, terms: Terms) -> Step:
    wants_out = session.last is not None and session.last.wish == "finish"
    if wants_out and reproducing(session, terms):
        return _reproduction(session, terms)
    if wants_out and not _answered(session):
        return _stop_gate(session)
    if session.asked and terms.can_ask:
        return Ask(session.asked)
    return Work(
        number=session.turns + 1,
        agent=terms.agents[session.agent],
        answer=_answer(session),
        reproduce=reproducing(session, terms),
    )


def _answered(session: Session) -> bool:
    if session.gate is None:
        return False
    if session.gate.colour is not Colour.GREEN:
        return True
    return any(hook.vetoed for hook in session.hooks)


def _answer(session: Session) -> Judged | Hooked | None:
    vetoes = [hook for hook in session.hooks if hook.vetoed]
    return vetoes[-1] if vetoes else session.gate


def _stop_gate(session: Session) -> Step:
    candidate = session.candidate
    if candidate is None:
        return Compose(session.head)
    if session.gate is None:
        return AskGate(candidate.tree, session.answers.get(candidate.tree))
    return AskHook(len(session.hooks))


def _reproduction(session: Session, terms: Terms) -> Step:
    if session.head is None or (session.gate and not session.gate.shows):
        return Work(
            number=session.turns + 1,
            agent=terms.agents[session.agent],
            answer=session.gate,
            reproduce=True,
        )
    if session.gate is None:
        return Reproduce(session.head)
    return Accept(session.head, session.gate.tree)


def _judging(session: Session, terms: Terms) -> Step:
    candidate = session.candidate
    why = over(session, terms)
    if candidate is None:
        return Compose(session.head)
    if reproducing(session, terms):
        return Conclude(why)
    if candidate.tree == session.ground:
        return _due_surface(session) or Conclude(why)
    if missing := _due_runs(session, candidate.tree):
        return Adjudicate(candidate.tree, missing)
    if dispute := _due_dispute(session, candidate.tree):
        return dispute
    return _due_also(session, terms) or Conclude(why)


def _due_runs(session: Session, tree: str) -> tuple[int, ...]:
    """A tree that the stop gate saw red is run once more; all three only if it is green then."""
    runs = {run.number: run for run in session.adjudications if run.tree == tree}
    earlier = session.answers.get(tree)
    doubtful = earlier is not None and earlier.colour is Colour.RED
    plain = runs.get(0)
    if doubtful and plain is None:
        return (0,)
    settled_red = plain is not None and settled_run(session, plain) is not Colour.GREEN
    if settled_red and len(runs) == 1:
        return ()
    return tuple(number for number in range(len(SEEDS)) if number not in runs)


def _due_dispute(session: Session, tree: str) -> Dispute | None:
    """Runs that disagree, or that only lost ids: is it the change, or do these tests waver?"""
    runs = runs_of(session, tree)
    red = [run for run in runs if run.colour is Colour.RED]
    disagree = len(red) < len(runs)
    for run in red:
        ids = in_dispute(run)
        settled = {i for d in session.disputes for i in d.ids if d.seed == SEEDS[run.number]}
        only_lost = not any(g.unmended for g in run.gates)
        if ids - settled and (disagree or only_lost):
            return Dispute(tree, tuple(sorted(ids)), SEEDS[run.number])
    return None


def _due_also(session: Session, terms: Terms) -> Step | None:
    candidate = session.candidate
    if candidate is None:
        return None
    clean = settled(session, candidate.tree) is Colour.GREEN
    if clean and (names := _due_probes(session)):
        return Probe(candidate.tree, names)
    if clean and candidate.with_tests and terms.agent_tests and session.with_tests is None:
        return JudgeAlso(Purpose.WITH_TESTS, candidate.with_tests)
    return None if clean else _due_surface(session)


def _due_surface(session: Session) -> Step | None:
    """A person may want to know that the tests pass with what only a person can agree to."""
    candidate = session.candidate
    if candidate is None or not candidate.with_surface or session.with_surface is not None:
        return None
    return JudgeAlso(Purpose.WITH_SURFACE, candidate.with_surface)


def _due_probes(session: Session) -> tuple[str, ...]:
    """Nothing is probed where nothing had to become green."""
    if session.baseline is None or session.baseline.targets_count == 0:
        return ()
    done = {probe.name for probe in session.probes}
    return tuple(name for name in PROBES if name not in done)
