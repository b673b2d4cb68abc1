"""
The rules for checks that fail: which of them start a session, and on what.

Only what the contract on the default branch names is acted upon, only on a branch of the
repository itself, and only while the branch still stands where the check failed. On jam's own
branch there is an end to it, whatever the contract says.
"""

from __future__ import annotations

from bot.core import branch_name
from bot.core.asking import over_a_limit
from bot.core.decision import Answer, At, Decision, Failed, Ignore, LookUp, Start, session_id
from bot.core.event import CheckEnded, CheckKind, Conclusion
from bot.core.facts import Facts, Need, Rules
from bot.core.permission import Permission
from bot.core.thread import Thread

OWN_BRANCH_ATTEMPTS = 2
"""Sessions for failing checks on one of jam's own branches."""

_FAILED = frozenset({Conclusion.FAILURE, Conclusion.TIMED_OUT})


def well(event: CheckEnded) -> str:
    """'' where it failed, and else how it ended."""
    ended = f"the {event.kind.value} ended as {event.conclusion.value}"
    return "" if event.conclusion in _FAILED else ended


def decide(event: CheckEnded, facts: Facts) -> Decision:
    if why := well(event):
        return Ignore(why)
    if event.app is not None and event.app == facts.own.app:
        return Ignore("the check is jam's own")
    if event.head_branch is None or event.head_repository not in (None, event.where.id):
        return Ignore("the commit is a fork's")
    rules = facts.rules
    if rules is None:
        return LookUp(facts.lacks(Need.RULES))
    if rules.fault or not rules.checks:
        return Ignore(rules.fault or "the contract names no checks")
    if event.kind is not CheckKind.RUN and facts.failing is None:
        return LookUp(facts.lacks(Need.FAILING))
    return _named(event, event.head_branch, rules, facts)


def _named(event: CheckEnded, branch: str, rules: Rules, facts: Facts) -> Decision:
    told = {event.name, *(facts.failing or ())}
    names = tuple(name for name in rules.checks if name in told)
    if not names:
        return Ignore("the contract names none of the checks that failed")
    if why := _unwelcome(event, facts):
        return Ignore(why)
    counted = attempts_key(event, oracle=rules.checks[names[0]], prefix=rules.branch_prefix)
    lacking = facts.lacks(Need.HEAD, Need.STANDING, Need.ATTEMPTS, Need.SPENT)
    if _is_unknown(event, facts):
        lacking |= {Need.PERMISSION}
    if lacking:
        return LookUp(lacking, counted if Need.ATTEMPTS in lacking else "")
    return _begin(event, branch, names, facts)


def _begin(event: CheckEnded, branch: str, names: tuple[str, ...], facts: Facts) -> Decision:
    rules = facts.rules or Rules()
    oracle = rules.checks[names[0]]
    if _people(event, facts) and (facts.permission or Permission.NONE) < Permission.WRITE:
        return Ignore("it was not caused by somebody with write permission")
    if facts.head != event.head_sha:
        return Ignore("the branch has moved on since")
    if facts.standing and facts.standing.state.is_busy:
        return Ignore(f"a session is {facts.standing.state.value} there already")
    is_own = branch_name.is_ours(branch, prefix=rules.branch_prefix)
    cap = min(rules.attempts, OWN_BRANCH_ATTEMPTS) if is_own else rules.attempts
    if why := over_a_limit(facts, cap=cap):
        return _told(event, why)
    return Start(
        # One failure is told of in many ways (a run, its suite, its workflow): one session.
        session=session_id("check", event.where.id, event.head_sha, oracle),
        where=event.where,
        by=event.by,
        subject=Failed(kind=event.kind, id=event.id, names=names),
        thread=Thread(number=event.pulls[0], is_pull=True) if event.pulls else None,
        base=At(branch, event.head_sha),
        oracle=oracle,
        counts_as=attempts_key(event, oracle=oracle, prefix=rules.branch_prefix),
    )


def attempts_key(event: CheckEnded, *, oracle: str, prefix: str) -> str:
    """On jam's own branch every check counts into one; elsewhere each oracle for itself."""
    branch = event.head_branch or ""
    own = branch_name.is_ours(branch, prefix=prefix)
    return f"{event.where.id}:{branch}" if own else f"{event.where.id}:{branch}:{oracle}"


def _told(event: CheckEnded, why: str) -> Decision:
    if not event.pulls:
        return Ignore(why)
    return Answer(where=event.where, thread=event.pulls[0], refusal=why)


def _unwelcome(event: CheckEnded, facts: Facts) -> str:
    """The sender of a workflow's event is not who caused it: a stranger's comment can be that."""
    for actor in event.actors or (event.by,):
        trusted = facts.own.wrote(actor) or facts.trusts(actor)
        if actor.is_bot and not trusted:
            return f"it was caused by the bot {actor.login} ({actor.id}), which is not allowed to"
    return ""


def _people(event: CheckEnded, facts: Facts) -> bool:
    """Whether anybody's permission matters: jam itself and the bots allowed need none."""
    actors = event.actors or (event.by,)
    return any(not facts.own.wrote(actor) and not facts.trusts(actor) for actor in actors)


def _is_unknown(event: CheckEnded, facts: Facts) -> bool:
    return _people(event, facts) and facts.permission is None
