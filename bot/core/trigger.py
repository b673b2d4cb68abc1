"""
The trigger: what jam does about an event, from the event and the facts alone.

``decide`` answers with a decision, or with ``LookUp`` when facts are missing that this event makes
necessary; whoever asks looks them up and asks again. So nothing is looked up for what is ignored
anyway, and a doubt never starts anything.
"""

from __future__ import annotations

from typing import assert_never

from bot.core import asking, by_hand, check_text, command, failing, refusal
from bot.core.asking import Ask
from bot.core.decision import (
    Decision,
    Forget,
    Ignore,
    LookUp,
    MarkStale,
    Scope,
    Stop,
)
from bot.core.event import (
    Access,
    CheckAsked,
    CheckEnded,
    Commented,
    Dispatched,
    Event,
    Fate,
    How,
    InstallationChanged,
    Labelled,
    PullMoved,
    Pushed,
    RepositoriesChanged,
    RepositoryChanged,
    Reviewed,
    Scheduled,
    ThreadEnded,
    Unlabelled,
)
from bot.core.facts import Facts, Need, State
from bot.core.permission import Permission
from bot.core.thread import Account, Repository, Thread

BUTTONS: dict[str, command.Command] = {
    "verify": command.Verify(),
    "retry": command.Retry(),
    "stop": command.Stop(),
}
"""What the buttons on jam's check runs ask for, by their identifier."""

PUSHED = "a push starts nothing; the checks it causes may"
SILENT = "the comment asks for nothing"


def decide(event: Event, facts: Facts, *, key: str) -> Decision:  # noqa: C901  # one case per event
    """``key`` names the delivery; the same one always leads to the same session."""
    match event:
        case Labelled():
            return _labelled(event, facts, key)
        case Unlabelled():
            return _unlabelled(event, facts)
        case ThreadEnded():
            return _ended(event, facts)
        case Commented():
            return _commented(event, facts, key)
        case Reviewed():
            return _reviewed(event, facts, key)
        case PullMoved():
            return _moved(event, facts)
        case CheckEnded():
            return failing.decide(event, facts)
        case CheckAsked():
            return _check_asked(event, facts, key)
        case Pushed():
            return Ignore(PUSHED)
        case InstallationChanged():
            return _installation(event)
        case RepositoriesChanged():
            return _repositories(event)
        case RepositoryChanged():
            return _repository(event)
        case Scheduled():
            return by_hand.scheduled(event, facts, key)
        case Dispatched():
            return by_hand.dispatched(event, facts, key)
        case _:
            assert_never(event)


def at_a_glance(event: Event) -> str:
    """Why the event means nothing whoever it is from; '' where that is yet to be found out. Most of
    what GitHub sends is of this kind, and takes no more than this."""
    match event:
        case Commented():
            return "" if command.may_be_in(event.words) else SILENT
        case CheckEnded():
            return failing.well(event)
        case Pushed():
            return PUSHED
        case _:
            return ""


def needs(event: Event, facts: Facts) -> frozenset[Need]:
    """What has to be looked up next; nothing once the decision stands."""
    decision = decide(event, facts, key="")
    return decision.needs if isinstance(decision, LookUp) else frozenset()


def _labelled(event: Labelled, facts: Facts, key: str) -> Decision:
    if facts.own.wrote(event.by):
        return Ignore("jam does not listen to itself")
    if facts.rules is None:
        return LookUp(facts.lacks(Need.RULES))
    if not _is_label(event.label, facts.rules.label):
        return Ignore(f"the label {event.label!r} is not {facts.rules.label!r}")
    ask = Ask(
        where=event.where,
        by=event.by,
        thread=event.thread,
        command=command.Fix(),
        key=key,
        pull=event.pull,
        takes_off=event.label,
    )
    return asking.answer(ask, facts)


def _is_label(label: str, ours: str) -> bool:
    """Two labels of a repository never differ in case alone."""
    return label.casefold() == ours.casefold()


def _unlabelled(event: Unlabelled, facts: Facts) -> Decision:
    if facts.own.wrote(event.by):
        return Ignore("jam takes the label off itself when work starts")
    if facts.rules is None:
        return LookUp(facts.lacks(Need.RULES))
    if not _is_label(event.label, facts.rules.label):
        return Ignore(f"the label {event.label!r} is not {facts.rules.label!r}")
    return _stop(event.where, event.by, facts, why="the label was taken off")


def _ended(event: ThreadEnded, facts: Facts) -> Decision:
    """Ending something needs no permission of jam's: GitHub has asked for its own."""
    if facts.standing is None:
        return LookUp(facts.lacks(Need.STANDING))
    kind = "pull request" if event.thread.is_pull else "issue"
    why = f"the {kind} was {event.how.value}"
    ours = event.pull is not None and facts.own.wrote(event.pull.author)
    if ours or event.how in (How.DELETED, How.TRANSFERRED):
        active = facts.standing.state not in (State.NONE, State.ENDED)
        return Forget(
            scope=Scope.THREAD,
            ids=(event.thread.number,),
            why=why,
            where=event.where,
            session=facts.standing.session if active else "",
        )
    if facts.own.wrote(event.by):
        return Ignore("jam does not listen to itself")
    return _stop(event.where, event.by, facts, why=why)


def _stop(where: Repository, by: Account, facts: Facts, *, why: str) -> Decision:
    standing = facts.standing
    if standing is None:
        return LookUp(facts.lacks(Need.STANDING))
    if standing.state in (State.NONE, State.ENDED):
        return Ignore(f"{why}, and nothing runs there")
    return Stop(session=standing.session, where=where, by=by, why=why)


def _commented(event: Commented, facts: Facts, key: str) -> Decision:
    if facts.own.wrote(event.by) or (event.app is not None and event.app == facts.own.app):
        return Ignore("jam does not listen to itself")
    heard = command.read(event.words)
    if heard is None:
        return Ignore(SILENT)
    ask = Ask(
        where=event.where,
        by=event.by,
        thread=event.thread,
        command=heard.command,
        key=key,
        note=refusal.more_commands(heard.others) if heard.others else "",
    )
    return asking.answer(ask, facts)


def _reviewed(event: Reviewed, facts: Facts, key: str) -> Decision:
    if not facts.own.wrote(event.pull.author):
        return Ignore("the review is not of jam's own pull request")
    heard = command.read(event.words)
    ask = Ask(
        where=event.where,
        by=event.by,
        thread=event.pull.thread,
        command=heard.command if heard else command.Retry(event.words[: command.WORDS_LIMIT]),
        key=key,
        pull=event.pull,
        review=event.review,
    )
    decision = asking.answer(ask, facts)
    asks_nothing = heard is None and facts.permission is not None
    if asks_nothing and (facts.permission or Permission.NONE) < Permission.WRITE:
        return Ignore("the review is by somebody without write permission")
    return decision


def _moved(event: PullMoved, facts: Facts) -> Decision:
    if facts.standing is None:
        return LookUp(facts.lacks(Need.STANDING))
    judged = facts.standing.judged_sha
    if not judged or judged == event.pull.head_sha:
        return Ignore("nothing was judged there that the new head makes stale")
    return MarkStale(where=event.where, pull=event.pull, judged_sha=judged)


def _check_asked(event: CheckAsked, facts: Facts, key: str) -> Decision:
    if event.app is None or event.app != facts.own.app:
        return Ignore("the check is not jam's")
    if not event.pulls:
        return Ignore("no pull request of this repository has the commit")
    again = command.Verify() if event.name in (check_text.VERIFY, "") else command.Retry()
    wanted = BUTTONS.get(event.action) if event.action else again
    if wanted is None:
        return Ignore(f"jam has no button {event.action[:40]!r}")
    ask = Ask(
        where=event.where,
        by=event.by,
        thread=Thread(number=event.pulls[0], is_pull=True),
        command=wanted,
        key=key,
        only_named=True,
    )
    return asking.answer(ask, facts)


def _installation(event: InstallationChanged) -> Decision:
    if event.change in (Access.DELETED, Access.SUSPENDED):
        why = f"the installation was {event.change.value}"
        return Forget(scope=Scope.INSTALLATION, ids=(event.installation,), why=why)
    return Ignore(f"installation: {event.change.value}")


def _repositories(event: RepositoriesChanged) -> Decision:
    if not event.removed:
        return Ignore("repositories were added")
    why = "the installation no longer covers it"
    return Forget(scope=Scope.REPOSITORY, ids=event.removed, why=why)


def _repository(event: RepositoryChanged) -> Decision:
    if event.fate in (Fate.RENAMED, Fate.UNARCHIVED):
        return Ignore("repositories are known by their number")
    why = f"the repository was {event.fate.value}"
    return Forget(scope=Scope.REPOSITORY, ids=(event.where.id,), why=why)
