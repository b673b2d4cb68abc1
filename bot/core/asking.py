"""
The rules for what a person asks of jam, by a label, a comment, a review or a button.

They are the same whichever way it was asked: may this person ask for it, can it be done here, and
does anything stand in the way. Checks that fail ask for themselves; see ``bot.core.failing``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from bot.core import command, refusal
from bot.core.decision import (
    Answer,
    At,
    Decision,
    Ignore,
    LookUp,
    Named,
    Resume,
    Retry,
    Show,
    Start,
    Stop,
    Subject,
    Told,
    Undo,
    Verify,
    session_id,
)
from bot.core.facts import Facts, Gone, Need, Rules, Standing, State
from bot.core.permission import Permission
from bot.core.thread import NOBODY, Account, Pull, Repository, Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """``key`` is the delivery's: the same one asks for the same session."""

    where: Repository
    by: Account
    thread: Thread
    command: command.Command
    key: str
    pull: Pull | None = None  # where the delivery carries it
    review: int | None = None
    takes_off: str = ""
    only_named: bool = False  # the thread's text is not in the delivery
    note: str = ""


def answer(ask: Ask, facts: Facts) -> Decision:
    """Unwanted senders are never answered: two machines that talk to each other do not stop."""
    if facts.own.wrote(ask.by):
        return Ignore("jam does not listen to itself")
    if ask.by.is_bot and not facts.trusts(ask.by):
        return Ignore(f"the bot {ask.by.login} ({ask.by.id}) is not allowed to ask")
    decision = _permitted(ask, facts)
    if ask.note and isinstance(decision, Start | Retry | Verify | Resume | Undo | Stop | Answer):
        return replace(decision, note=ask.note)
    return decision


def _permitted(ask: Ask, facts: Facts) -> Decision:
    takes = command.minimum(ask.command)
    has = Permission.WRITE if facts.trusts(ask.by) else facts.permission
    if has is None:
        return LookUp(facts.lacks(Need.PERMISSION))
    if has < takes and isinstance(ask.command, command.Verify) and takes is Permission.TRIAGE:
        return _by_author(ask, facts, has)
    if has < takes:
        if isinstance(ask.command, command.Mistaken):
            return Ignore(f"not understood, from somebody with {has.word} permission")
        return _refuse(ask, refusal.not_permitted(ask.by, has=has, takes=takes))
    return _do(ask, facts)


def _by_author(ask: Ask, facts: Facts, has: Permission) -> Decision:
    """The author of a pull request may have it judged."""
    pull = ask.pull or facts.pull
    if pull is None and ask.thread.is_pull:
        return LookUp(facts.lacks(Need.PULL))
    known = ask.by != NOBODY  # two accounts that are gone are not one
    if isinstance(pull, Pull) and known and pull.author.id == ask.by.id:
        return _do(ask, facts)
    return _refuse(ask, refusal.not_permitted(ask.by, has=has, takes=Permission.TRIAGE))


def _do(ask: Ask, facts: Facts) -> Decision:
    match ask.command:
        case command.Mistaken(why):
            return _refuse(ask, why)
        case command.Help():
            return Answer(where=ask.where, thread=ask.thread.number, show=Show.HELP)
        case command.Status():
            return Answer(where=ask.where, thread=ask.thread.number, show=Show.STATUS)
        case command.Verify():
            return _verify(ask, ask.command, facts)
        case command.Fix():
            return _fix(ask, ask.command, facts)
        case command.Retry():
            return _retry(ask, ask.command, facts)
        case command.Stop() | command.Resume() | command.Approve() | command.Undo():
            return _session(ask, ask.command, facts)
        case _:
            assert_never(ask.command)


OfSession: TypeAlias = command.Stop | command.Resume | command.Approve | command.Undo


def _session(ask: Ask, wanted: OfSession, facts: Facts) -> Decision:
    """What is asked of a session that is there."""
    standing = facts.standing
    if standing is None:
        return LookUp(facts.lacks(Need.STANDING))
    match wanted:
        case command.Stop():
            return _stop(ask, standing)
        case command.Resume():
            return _resume(ask, standing)
        case command.Approve() if standing.state is State.ASKING:
            return Resume(session=standing.session, where=ask.where, by=ask.by, approves=True)
        case command.Approve():
            return _refuse(ask, refusal.nothing_asked())
        case command.Undo(count):
            return _undo(ask, standing, count)
        case _:
            assert_never(wanted)


def _stop(ask: Ask, standing: Standing) -> Decision:
    if standing.state in (State.NONE, State.ENDED):
        return _refuse(ask, refusal.nothing_runs())
    return Stop(session=standing.session, where=ask.where, by=ask.by, why=ask.by.login)


def _resume(ask: Ask, standing: Standing) -> Decision:
    if standing.state is State.RESTING:
        return Resume(session=standing.session, where=ask.where, by=ask.by)
    if standing.state.is_busy:
        return _refuse(ask, refusal.busy(standing.state))
    return _refuse(ask, refusal.nothing_to_resume(standing.state))


def _undo(ask: Ask, standing: Standing, count: int) -> Decision:
    if standing.state is State.NONE:
        return _refuse(ask, refusal.nothing_tried())
    if standing.state.is_busy:
        return _refuse(ask, refusal.busy(standing.state))
    return Undo(session=standing.session, where=ask.where, by=ask.by, count=count)


@dataclass(frozen=True, slots=True)
class Ground:
    """Nothing stands in the way. ``pull``: where the thread is a pull request, as it is."""

    pull: Pull | None
    rules: Rules


_BEFORE_WORK = (Need.RULES, Need.STANDING, Need.ATTEMPTS, Need.SPENT)


def _ground(ask: Ask, facts: Facts, *needs: Need, oracle: str = "") -> Ground | LookUp | Answer:
    pull = ask.pull or (facts.pull if ask.thread.is_pull else None)
    lacking = facts.lacks(*needs)
    if ask.thread.is_pull and pull is None:
        lacking |= {Need.PULL}
    if lacking or facts.rules is None:
        counted = thread_key(ask.where, ask.thread.number) if Need.ATTEMPTS in lacking else ""
        return LookUp(lacking, counted)
    if isinstance(pull, Gone):
        return _refuse(ask, refusal.pull_gone())
    is_open = pull.is_open if pull else ask.thread.is_open
    if why := _unfit(facts.rules, oracle, is_open=is_open):
        return _refuse(ask, why)
    return Ground(pull, facts.rules)


def _unfit(rules: Rules, oracle: str, *, is_open: bool) -> str:
    if rules.fault:
        return refusal.no_contract(rules.fault)
    if oracle and oracle not in rules.oracles:
        return refusal.no_oracle(oracle, known=rules.oracles)
    return "" if is_open else refusal.closed()


def _verify(ask: Ask, wanted: command.Verify, facts: Facts) -> Decision:
    ground = _ground(ask, facts, Need.RULES, oracle=wanted.oracle)
    if not isinstance(ground, Ground):
        return ground
    pull = ground.pull
    if pull is None:
        return _refuse(ask, refusal.not_a_pull())
    if not pull.head_sha.startswith(wanted.sha):
        return _refuse(ask, refusal.other_head(wanted.sha, head=pull.head_sha))
    return Verify(
        id=session_id("verify", ask.key),
        where=ask.where,
        by=ask.by,
        pull=pull,
        is_fork=pull.is_from_fork_of(ask.where),
        oracle=wanted.oracle,
        tests=wanted.tests,
    )


def _fix(ask: Ask, wanted: command.Fix, facts: Facts) -> Decision:
    ground = _ground(ask, facts, *_BEFORE_WORK, oracle=wanted.oracle)
    if not isinstance(ground, Ground):
        return ground
    if why := _in_the_way(ask, ground, facts):
        return _refuse(ask, why)
    pull = ground.pull
    if pull and facts.own.wrote(pull.author):
        # Its text is jam's own report; what is wanted there is another try.
        return _another(ask, wanted, pull)
    return Start(
        session=session_id("session", ask.key),
        where=ask.where,
        by=ask.by,
        subject=_subject(ask, pull),
        thread=ask.thread,
        base=At(pull.head_branch, pull.head_sha) if pull else At(),
        oracle=wanted.oracle,
        tests=wanted.tests,
        release=wanted.release,
        counts_as=thread_key(ask.where, ask.thread.number),
        takes_off=ask.takes_off,
    )


def _retry(ask: Ask, wanted: command.Retry, facts: Facts) -> Decision:
    ground = _ground(ask, facts, *_BEFORE_WORK)
    if not isinstance(ground, Ground):
        return ground
    if why := _in_the_way(ask, ground, facts):
        return _refuse(ask, why)
    if facts.standing is None or facts.standing.state is State.NONE:
        return _refuse(ask, refusal.nothing_tried())
    return replace(_another(ask, command.Fix(), ground.pull), words=wanted.words)


def _another(ask: Ask, wanted: command.Fix, pull: Pull | None) -> Retry:
    return Retry(
        session=session_id("session", ask.key),
        where=ask.where,
        by=ask.by,
        thread=ask.thread,
        review=ask.review,
        pull=pull,
        oracle=wanted.oracle,
        tests=wanted.tests,
        release=wanted.release,
        counts_as=thread_key(ask.where, ask.thread.number),
        takes_off=ask.takes_off,
    )


def _in_the_way(ask: Ask, ground: Ground, facts: Facts) -> str:
    """Why no agent may begin here now, or ''."""
    if ground.pull and ground.pull.is_from_fork_of(ask.where):
        return refusal.from_fork()
    if facts.standing and facts.standing.state.is_busy:
        return refusal.busy(facts.standing.state)
    return over_a_limit(facts, cap=ground.rules.attempts)


def over_a_limit(facts: Facts, *, cap: int) -> str:
    """``cap``: how many attempts there may be. A limit of no money is no limit."""
    if facts.attempts is None or facts.spent_cents is None or facts.rules is None:
        return "What was tried and spent here is not known."
    if facts.attempts >= cap:
        return refusal.too_many(facts.attempts, limit=cap)
    if 0 < facts.rules.day_cents <= facts.spent_cents:
        return refusal.spent(facts.spent_cents, limit=facts.rules.day_cents)
    return ""


def thread_key(where: Repository, number: int) -> str:
    """Under which key the attempts on an issue or a pull request are counted."""
    return f"{where.id}#{number}"


def _subject(ask: Ask, pull: Pull | None) -> Subject:
    if ask.only_named:
        return Told(pull.title, pull.body) if pull else Named(ask.thread.number)
    return Told(ask.thread.title, ask.thread.body)


def _refuse(ask: Ask, why: str) -> Answer:
    return Answer(where=ask.where, thread=ask.thread.number, refusal=why)
