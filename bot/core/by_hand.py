"""
The rules for what is asked by hand in a workflow, and for what the clock asks.

The clock has no permission to look up: a schedule stands on the default branch, where only writers
put it. Everybody else is asked for theirs.
"""

from __future__ import annotations

from bot.core import asking, command, refusal
from bot.core.asking import Ask
from bot.core.decision import At, Decision, Flaky, Ignore, LookUp, Start, Words, session_id
from bot.core.event import Dispatched, Scheduled
from bot.core.facts import Facts, Need, Rules
from bot.core.permission import Permission
from bot.core.thread import NOBODY, Thread


def scheduled(event: Scheduled, facts: Facts, key: str) -> Decision:
    # Nothing counts runs of a schedule: the day's money and one at a time are their limits.
    lacking = facts.lacks(Need.RULES, Need.STANDING, Need.SPENT)
    if lacking or facts.rules is None:
        return LookUp(lacking)
    if why := _closed(facts.rules, facts):
        return Ignore(why)
    if facts.standing and facts.standing.state.is_busy:
        return Ignore("the last scheduled session is not over")
    return Start(
        session=session_id("schedule", key),
        where=event.where,
        by=NOBODY,
        subject=Flaky(),
        counts_as=f"{event.where.id}:flaky",
    )


def dispatched(event: Dispatched, facts: Facts, key: str) -> Decision:
    wanted = command.Fix(oracle=event.oracle, tests=event.tests)
    if event.issue:
        ask = Ask(
            where=event.where,
            by=event.by,
            thread=Thread(number=event.issue),
            command=wanted,
            key=key,
            only_named=True,
        )
        return asking.answer(ask, facts)
    if not event.objective.strip():
        return Ignore("neither an issue nor an objective was given")
    return _by_words(event, facts, key)


def _by_words(event: Dispatched, facts: Facts, key: str) -> Decision:
    """No thread: who may not is not answered, and the log of whoever asked says why."""
    if facts.own.wrote(event.by):
        return Ignore("jam does not listen to itself")
    trusted = facts.trusts(event.by)
    lacking = facts.lacks(Need.RULES, Need.SPENT)
    if not trusted:
        lacking |= facts.lacks(Need.PERMISSION)
    if lacking or facts.rules is None:
        return LookUp(lacking)
    if not trusted and (event.by.is_bot or (facts.permission or 0) < Permission.WRITE):
        return Ignore(f"{event.by.login} may not start sessions here")
    if why := _closed(facts.rules, facts, oracle=event.oracle):
        return Ignore(why)
    return Start(
        session=session_id("session", key),
        where=event.where,
        by=event.by,
        subject=Words(event.objective),
        base=At(event.branch),
        oracle=event.oracle,
        tests=event.tests,
        counts_as=f"{event.where.id}:words",
    )


def _closed(rules: Rules, facts: Facts, *, oracle: str = "") -> str:
    """Why nothing may begin in this repository now, or ''."""
    if rules.fault:
        return refusal.no_contract(rules.fault)
    if oracle and oracle not in rules.oracles:
        return refusal.no_oracle(oracle, known=rules.oracles)
    spent = facts.spent_cents or 0
    if 0 < rules.day_cents <= spent:
        return refusal.spent(spent, limit=rules.day_cents)
    return ""
