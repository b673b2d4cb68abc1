"""What jam does about what happens: one table of cases, each a row of event, facts and decision."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.asking import over_a_limit
from bot.core.contract import Contract, Gate, Oracle
from bot.core.decision import (
    Answer,
    At,
    Decision,
    Failed,
    Flaky,
    Forget,
    Ignore,
    LookUp,
    MarkStale,
    Named,
    Resume,
    Retry,
    Scope,
    Show,
    Start,
    Stop,
    Told,
    Undo,
    Verify,
    Words,
    session_id,
)
from bot.core.event import (
    Access,
    CheckAsked,
    CheckEnded,
    CheckKind,
    Commented,
    Conclusion,
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
from bot.core.facts import Facts, Gone, Need, Own, Rules, Standing, State, rules
from bot.core.permission import Permission
from bot.core.reactions import Reaction, at_end, to
from bot.core.thread import NOBODY, Account, Pull, Repository, Thread
from bot.core.trigger import at_a_glance, decide, needs

ADA = Account(7, "ada")  # writes here
EVE = Account(8, "eve")  # a stranger
JAM = Account(900, "jam[bot]", is_bot=True)
CI = Account(55, "ci[bot]", is_bot=True)
OTHER_BOT = Account(66, "echo[bot]", is_bot=True)
SHA, NEW = "a1" * 20, "b2" * 20
LIB = Repository(id=41, name="ada/lib", default_branch="trunk", installation=5)
ISSUE = Thread(number=12, title="Touching intervals", body="They are not merged.", author=EVE)
OURS = Pull(
    number=13,
    author=JAM,
    head_sha=SHA,
    head_branch="jam/issue-12-touching",
    head_repository=41,
    base_branch="trunk",
    title="fix: Touching intervals",
)
THEIRS = replace(OURS, number=14, author=EVE, head_branch="topic", title="Merge them")
FORK = replace(THEIRS, head_repository=42)
RULES = Rules(
    checks={"test (3.12)": "unit", "lint": "style"},
    oracles=("unit", "style"),
    attempts=3,
    day_cents=5_000,
)
OWN = Own(account=900, app=77)
KNOWN = Facts(
    own=OWN,
    bots=frozenset({55}),
    rules=RULES,
    permission=Permission.WRITE,
    standing=Standing(),
    attempts=0,
    spent_cents=0,
    pull=THEIRS,
    head=SHA,
    failing=(),
)
NOTHING = Facts(own=OWN, bots=frozenset({55}))
KEY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
MINE, VERIFYING = session_id("session", KEY), session_id("verify", KEY)


def known(**over: Any) -> Facts:
    return replace(KNOWN, **over)


def standing(state: State, judged: str = "") -> Standing:
    return Standing(state=state, session="gh-1", judged_sha=judged)


def labelled(by: Account = ADA, **over: Any) -> Labelled:
    values: dict[str, Any] = {"where": LIB, "by": by, "thread": ISSUE, "label": "jam"}
    return Labelled(**values | over)


def said(words: str, by: Account = ADA, **over: Any) -> Commented:
    values: dict[str, Any] = {
        "where": LIB,
        "by": by,
        "thread": ISSUE,
        "comment": 301,
        "words": words,
        "at": datetime(2026, 11, 30, 12, tzinfo=UTC),
    }
    return Commented(**values | over)


def on_pull(words: str, by: Account = ADA, pull: Pull = THEIRS) -> Commented:
    return said(words, by, thread=pull.thread)


def check(**over: Any) -> CheckEnded:
    values: dict[str, Any] = {
        "where": LIB,
        "by": ADA,
        "kind": CheckKind.RUN,
        "id": 501,
        "name": "test (3.12)",
        "conclusion": Conclusion.FAILURE,
        "head_sha": SHA,
        "head_branch": "topic",
        "app": 15368,
        "pulls": (14,),
    }
    return CheckEnded(**values | over)


def flow(**over: Any) -> CheckEnded:
    values: dict[str, Any] = {
        "kind": CheckKind.WORKFLOW,
        "id": 701,
        "name": "CI",
        "app": None,
        "head_repository": 41,
        "actors": (ADA,),
        "pulls": (),
    }
    return check(**values | over)


def ended(how: How = How.CLOSED, pull: Pull | None = None, by: Account = ADA) -> ThreadEnded:
    thread = pull.thread if pull else ISSUE
    return ThreadEnded(where=LIB, by=by, thread=thread, how=how, pull=pull)


def start(**over: Any) -> Start:
    values: dict[str, Any] = {
        "session": MINE,
        "where": LIB,
        "by": ADA,
        "thread": ISSUE,
        "subject": Told("Touching intervals", "They are not merged."),
        "counts_as": "41#12",
    }
    return Start(**values | over)


def start_for_check(**over: Any) -> Start:
    values: dict[str, Any] = {
        "session": session_id("check", 41, SHA, "unit"),
        "thread": Thread(number=14, is_pull=True),
        "subject": Failed(kind=CheckKind.RUN, id=501, names=("test (3.12)",)),
        "base": At("topic", SHA),
        "oracle": "unit",
        "counts_as": "41:topic:unit",
    }
    return start(**values | over)


def retry(**over: Any) -> Retry:
    values: dict[str, Any] = {
        "session": MINE,
        "where": LIB,
        "by": ADA,
        "thread": ISSUE,
        "counts_as": "41#12",
    }
    return Retry(**values | over)


def verify(**over: Any) -> Verify:
    values: dict[str, Any] = {
        "id": VERIFYING,
        "where": LIB,
        "by": ADA,
        "pull": THEIRS,
        "is_fork": False,
    }
    return Verify(**values | over)


def refused(why: str, thread: int = 12) -> Answer:
    return Answer(where=LIB, thread=thread, refusal=why)


def forget(thread: int, why: str, session: str = "") -> Forget:
    return Forget(scope=Scope.THREAD, ids=(thread,), why=why, where=LIB, session=session)


class Case(NamedTuple):
    event: Event
    facts: Facts
    decision: Decision


SILENT = "jam does not listen to itself"
STRANGER = "`eve` has read permission here; this takes write."
BUSY = "A session is running here already; `/jam stop` ends it."
CAP = "This was tried 3 times, and the limit is 3 (`budget.attempts`): a person is needed."
CAP_HERE = "This was tried 2 times, and the limit is 2 (`budget.attempts`): a person is needed."
MONEY = (
    "$50.00 were spent in this repository today, and the limit is $50.00 (`budget.usd_per_day`)."
)
FROM_FORK = "This comes from a fork, where no agent works; `/jam verify` judges it."
NONE, QUEUED, RUNNING = standing(State.NONE), standing(State.QUEUED), standing(State.RUNNING)
ASKING, RESTING, OVER = standing(State.ASKING), standing(State.RESTING), standing(State.ENDED)
READER = known(permission=Permission.READ)

LABELS = {
    "the label by a writer": Case(labelled(), known(), start(takes_off="jam")),
    "the label in another case": Case(labelled(label="JAM"), known(), start(takes_off="JAM")),
    "the label again, after the end": Case(
        labelled(), known(standing=OVER, attempts=1), start(takes_off="jam")
    ),
    "the label while one rests": Case(labelled(), known(standing=RESTING), start(takes_off="jam")),
    "another label": Case(labelled(label="bug"), known(), Ignore("the label 'bug' is not 'jam'")),
    "the label by a stranger, as from an issue form": Case(
        labelled(EVE), READER, refused(STRANGER)
    ),
    "the label by jam": Case(labelled(JAM), known(), Ignore(SILENT)),
    "the label by a bot": Case(
        labelled(OTHER_BOT),
        known(),
        Ignore("the bot echo[bot] (66) is not allowed to ask"),
    ),
    "the label by an allowed bot, which has no permission of its own": Case(
        labelled(CI), known(permission=Permission.NONE), start(by=CI, takes_off="jam")
    ),
    "the label by nobody": Case(
        labelled(NOBODY),
        known(permission=Permission.NONE),
        refused("`ghost` has no permission here; this takes write."),
    ),
    "the label on a closed issue": Case(
        labelled(thread=replace(ISSUE, is_open=False)),
        known(),
        refused("This is closed; open it again first."),
    ),
    "the label while one runs": Case(labelled(), known(standing=RUNNING), refused(BUSY)),
    "the label while one is queued": Case(
        labelled(),
        known(standing=QUEUED),
        refused("A session is queued here already; `/jam stop` ends it."),
    ),
    "the label once too often": Case(labelled(), known(attempts=3), refused(CAP)),
    "the label when the money is spent": Case(labelled(), known(spent_cents=5_000), refused(MONEY)),
    "the label where money has no limit": Case(
        labelled(),
        known(spent_cents=9_999, rules=replace(RULES, day_cents=0)),
        start(takes_off="jam"),
    ),
    "the label where the contract is broken": Case(
        labelled(),
        known(rules=Rules(fault="jam.yml, line 3: no such key: oracels")),
        refused("The contract cannot be used: jam.yml, line 3: no such key: oracels"),
    ),
    "the label on a person's pull request": Case(
        labelled(thread=THEIRS.thread, pull=THEIRS),
        known(),
        start(
            thread=THEIRS.thread,
            subject=Told("Merge them", ""),
            base=At("topic", SHA),
            counts_as="41#14",
            takes_off="jam",
        ),
    ),
    "the label on jam's own pull request": Case(
        labelled(thread=OURS.thread, pull=OURS),
        known(standing=OVER),
        retry(thread=OURS.thread, pull=OURS, counts_as="41#13", takes_off="jam"),
    ),
    "the label on a fork's pull request": Case(
        labelled(thread=FORK.thread, pull=FORK), known(), refused(FROM_FORK, 14)
    ),
}
FIXES = {
    "fix": Case(said("/jam fix"), known(), start()),
    "fix with options": Case(
        said("/jam fix oracle=style tests=a::b release=c::d"),
        known(),
        start(oracle="style", tests=("a::b",), release=("c::d",)),
    ),
    "fix with an oracle that is not there": Case(
        said("/jam fix oracle=unti"),
        known(),
        refused("There is no oracle `unti`; the contract names `unit`, `style`."),
    ),
    "fix by a stranger": Case(said("/jam fix", EVE), READER, refused(STRANGER)),
    "fix by somebody who may triage": Case(
        said("/jam fix"),
        known(permission=Permission.TRIAGE),
        refused("`ada` has triage permission here; this takes write."),
    ),
    "fix by jam": Case(said("/jam fix", JAM), known(), Ignore(SILENT)),
    "fix by jam, though somebody allowed it as a bot": Case(
        said("/jam fix", JAM), known(bots=frozenset({900})), Ignore(SILENT)
    ),
    "the label by jam, though somebody allowed it as a bot": Case(
        labelled(JAM), known(bots=frozenset({900})), Ignore(SILENT)
    ),
    "words by jam": Case(
        Dispatched(where=LIB, by=JAM, objective="Mend it."), known(), Ignore(SILENT)
    ),
    "an issue by jam, though somebody allowed it as a bot": Case(
        Dispatched(where=LIB, by=JAM, issue=12), known(bots=frozenset({900})), Ignore(SILENT)
    ),
    "fix by a person through jam's own App": Case(
        said("/jam fix", app=77), known(), Ignore(SILENT)
    ),
    "fix by a person whose number is among the bots": Case(
        said("/jam fix", EVE),
        known(bots=frozenset({8}), permission=Permission.READ),
        refused(STRANGER),
    ),
    "fix by another bot": Case(
        said("/jam fix", OTHER_BOT),
        known(),
        Ignore("the bot echo[bot] (66) is not allowed to ask"),
    ),
    "fix, and more": Case(
        said("/jam fix\n\n/jam stop\n\n/jam help"),
        known(),
        start(note="2 more commands were not read: the first one in a comment counts."),
    ),
    "fix by a stranger, and more": Case(
        said("/jam fix\n/jam stop", EVE),
        READER,
        replace(
            refused(STRANGER),
            note="1 more command was not read: the first one in a comment counts.",
        ),
    ),
    "fix on a pull request": Case(
        on_pull("/jam fix"),
        known(),
        start(
            thread=THEIRS.thread,
            subject=Told("Merge them", ""),
            base=At("topic", SHA),
            counts_as="41#14",
        ),
    ),
    "fix on jam's own pull request is another try": Case(
        on_pull("/jam fix tests=a", pull=OURS),
        known(pull=OURS, standing=OVER),
        retry(thread=OURS.thread, pull=OURS, tests=("a",), counts_as="41#13"),
    ),
    "fix on a fork": Case(on_pull("/jam fix", pull=FORK), known(pull=FORK), refused(FROM_FORK, 14)),
    "fix on a pull request that cannot be read": Case(
        on_pull("/jam fix"),
        known(pull=Gone()),
        refused("The pull request could not be read just now; ask again.", 14),
    ),
    "fix on a pull request closed since": Case(
        on_pull("/jam fix"),
        known(pull=replace(THEIRS, is_open=False)),
        refused("This is closed; open it again first.", 14),
    ),
    "a word that is none": Case(
        said("/jam fox"), known(), refused("There is no `/jam fox`; did you mean `/jam fix`?")
    ),
    "a word that is none, by a stranger": Case(
        said("/jam fox", EVE),
        READER,
        Ignore("not understood, from somebody with read permission"),
    ),
    "only words": Case(said("it fixes /jam"), known(), Ignore("the comment asks for nothing")),
    "help": Case(said("/jam help"), known(), Answer(where=LIB, thread=12, show=Show.HELP)),
    "status": Case(said("/jam status"), known(), Answer(where=LIB, thread=12, show=Show.STATUS)),
    "help by a stranger": Case(said("/jam help", EVE), READER, refused(STRANGER)),
}
VERIFIES = {
    "verify": Case(on_pull("/jam verify"), known(), verify()),
    "verify by somebody who may triage": Case(
        on_pull("/jam verify"), known(permission=Permission.TRIAGE), verify()
    ),
    "verify by the author, who may nothing": Case(
        on_pull("/jam verify", EVE),
        known(permission=Permission.NONE, pull=FORK),
        verify(by=EVE, pull=FORK, is_fork=True),
    ),
    "verify by an account that is gone, of one that is gone": Case(
        on_pull("/jam verify", NOBODY, replace(THEIRS, author=NOBODY)),
        known(permission=Permission.NONE, pull=replace(THEIRS, author=NOBODY)),
        refused("`ghost` has no permission here; this takes triage.", 14),
    ),
    "verify by a stranger": Case(
        on_pull("/jam verify", Account(9, "mal")),
        READER,
        refused("`mal` has read permission here; this takes triage.", 14),
    ),
    "verify with tests by the author": Case(
        on_pull("/jam verify tests=a", EVE), READER, refused(STRANGER, 14)
    ),
    "verify with tests by a writer": Case(
        on_pull("/jam verify tests=a oracle=style"),
        known(),
        verify(tests=("a",), oracle="style"),
    ),
    "verify a fork whose repository is gone": Case(
        on_pull("/jam verify"),
        known(pull=replace(FORK, head_repository=None)),
        verify(pull=replace(FORK, head_repository=None), is_fork=True),
    ),
    "verify this head": Case(on_pull("/jam verify a1a1a1a"), known(), verify()),
    "verify a head that has moved": Case(
        on_pull("/jam verify b2b2b2b"),
        known(),
        refused("The head is `a1a1a1a1a1a1` now, not `b2b2b2b`.", 14),
    ),
    "verify an issue": Case(
        said("/jam verify"), known(), refused("Only pull requests can be verified.")
    ),
    "verify an issue without a contract": Case(
        said("/jam verify"),
        known(rules=Rules(fault="there is none")),
        refused("The contract cannot be used: there is none"),
    ),
    "verify beside a session": Case(on_pull("/jam verify"), known(standing=RUNNING), verify()),
    "verify without money": Case(on_pull("/jam verify"), known(spent_cents=5_000), verify()),
    "verify without a contract": Case(
        on_pull("/jam verify"),
        known(rules=Rules(fault="there is none")),
        refused("The contract cannot be used: there is none", 14),
    ),
}
SESSIONS = {
    "retry": Case(said("/jam retry"), known(standing=OVER, attempts=1), retry()),
    "retry with words": Case(
        said("/jam retry mind\nthe gap"), known(standing=OVER), retry(words="mind\nthe gap")
    ),
    "retry where nothing was tried": Case(
        said("/jam retry"), known(), refused("Nothing was tried here yet; `/jam fix` begins.")
    ),
    "retry while one runs": Case(said("/jam retry"), known(standing=RUNNING), refused(BUSY)),
    "retry once too often": Case(
        said("/jam retry"), known(standing=OVER, attempts=3), refused(CAP)
    ),
    "retry on jam's own pull request": Case(
        on_pull("/jam retry so", pull=OURS),
        known(standing=OVER, pull=OURS),
        retry(thread=OURS.thread, pull=OURS, words="so", counts_as="41#13"),
    ),
    "stop": Case(
        said("/jam stop"),
        known(standing=RUNNING),
        Stop(session="gh-1", where=LIB, by=ADA, why="ada"),
    ),
    "stop in the queue": Case(
        said("/jam stop"),
        known(standing=QUEUED),
        Stop(session="gh-1", where=LIB, by=ADA, why="ada"),
    ),
    "stop what rests": Case(
        said("/jam stop"),
        known(standing=RESTING),
        Stop(session="gh-1", where=LIB, by=ADA, why="ada"),
    ),
    "stop what is over": Case(
        said("/jam stop"), known(standing=OVER), refused("Nothing is running here.")
    ),
    "stop by a stranger": Case(said("/jam stop", EVE), READER, refused(STRANGER)),
    "stop without a contract": Case(
        said("/jam stop"),
        known(standing=RUNNING, rules=Rules(fault="broken")),
        Stop(session="gh-1", where=LIB, by=ADA, why="ada"),
    ),
    "resume what rests": Case(
        said("/jam resume"), known(standing=RESTING), Resume(session="gh-1", where=LIB, by=ADA)
    ),
    "resume what asks": Case(
        said("/jam resume"),
        known(standing=ASKING),
        refused(
            "A session here waits for an answer: `/jam approve` lets it go on, `/jam stop` ends it."
        ),
    ),
    "resume what is over": Case(
        said("/jam resume"),
        known(standing=OVER),
        refused("The session here has ended; `/jam retry` tries again."),
    ),
    "resume nothing": Case(
        said("/jam resume"),
        known(),
        refused("There is no session here to go on with; `/jam fix` begins one."),
    ),
    "approve what asks": Case(
        said("/jam approve"),
        known(standing=ASKING),
        Resume(session="gh-1", where=LIB, by=ADA, approves=True),
    ),
    "approve what only rests": Case(
        said("/jam approve"), known(standing=RESTING), refused("No session here asks for anything.")
    ),
    "undo": Case(
        said("/jam undo 2"),
        known(standing=OVER),
        Undo(session="gh-1", where=LIB, by=ADA, count=2),
    ),
    "undo while it runs": Case(said("/jam undo 2"), known(standing=RUNNING), refused(BUSY)),
    "undo nothing": Case(
        said("/jam undo 2"), known(), refused("Nothing was tried here yet; `/jam fix` begins.")
    ),
}
REVIEW = Reviewed(where=LIB, by=ADA, pull=OURS, review=401, words="Name the case.")
REVIEWS = {
    "a review of jam's pull request": Case(
        REVIEW,
        known(standing=OVER),
        retry(
            thread=OURS.thread,
            pull=OURS,
            words="Name the case.",
            review=401,
            counts_as="41#13",
        ),
    ),
    "a review with a command": Case(
        replace(REVIEW, words="No.\n\n/jam stop"),
        known(standing=RUNNING),
        Stop(session="gh-1", where=LIB, by=ADA, why="ada"),
    ),
    "a review of a person's pull request": Case(
        replace(REVIEW, pull=THEIRS),
        known(standing=OVER),
        Ignore("the review is not of jam's own pull request"),
    ),
    "a review by a stranger": Case(
        replace(REVIEW, by=EVE),
        known(permission=Permission.READ, standing=OVER),
        Ignore("the review is by somebody without write permission"),
    ),
    "a review by a bot": Case(
        replace(REVIEW, by=OTHER_BOT),
        known(standing=OVER),
        Ignore("the bot echo[bot] (66) is not allowed to ask"),
    ),
    "a review while one runs": Case(REVIEW, known(standing=RUNNING), refused(BUSY, 13)),
    "one review too many": Case(REVIEW, known(standing=OVER, attempts=3), refused(CAP, 13)),
}
OWN_BRANCH = "jam/issue-12-touching"
CHECKS = {
    "a check that the contract names": Case(check(), known(), start_for_check()),
    "a check that timed out": Case(
        check(conclusion=Conclusion.TIMED_OUT), known(), start_for_check()
    ),
    "a check on no pull request": Case(
        check(pulls=(), head_branch="trunk"),
        known(),
        start_for_check(thread=None, base=At("trunk", SHA), counts_as="41:trunk:unit"),
    ),
    "another check that the contract names": Case(
        check(name="lint"),
        known(),
        start_for_check(
            session=session_id("check", 41, SHA, "style"),
            subject=Failed(kind=CheckKind.RUN, id=501, names=("lint",)),
            oracle="style",
            counts_as="41:topic:style",
        ),
    ),
    "a check that nobody named": Case(
        check(name="docs"),
        known(),
        Ignore("the contract names none of the checks that failed"),
    ),
    "a check where the contract names none": Case(
        check(), known(rules=Rules()), Ignore("the contract names no checks")
    ),
    "a check where the contract is broken": Case(
        check(), known(rules=replace(RULES, fault="broken")), Ignore("broken")
    ),
    "a check of a fork": Case(check(head_branch=None), known(), Ignore("the commit is a fork's")),
    "jam's own check": Case(check(app=77, name="jam"), known(), Ignore("the check is jam's own")),
    "a check that jam's push caused": Case(
        check(by=JAM, head_branch=OWN_BRANCH, pulls=(13,)),
        known(permission=Permission.NONE),
        start_for_check(
            by=JAM,
            thread=Thread(number=13, is_pull=True),
            base=At(OWN_BRANCH, SHA),
            counts_as=f"41:{OWN_BRANCH}",
        ),
    ),
    "a second one on jam's branch": Case(
        check(by=JAM, head_branch=OWN_BRANCH, pulls=(13,)),
        known(attempts=1),
        start_for_check(
            by=JAM,
            thread=Thread(number=13, is_pull=True),
            base=At(OWN_BRANCH, SHA),
            counts_as=f"41:{OWN_BRANCH}",
        ),
    ),
    "a third one on jam's branch": Case(
        check(by=JAM, head_branch=OWN_BRANCH, pulls=(13,)),
        known(attempts=2, rules=replace(RULES, attempts=100)),
        refused(CAP_HERE, 13),
    ),
    "a check tried too often, on a pull request": Case(
        check(), known(attempts=3), refused(CAP, 14)
    ),
    "a check tried too often, on no pull request": Case(
        check(pulls=()), known(attempts=3), Ignore(CAP)
    ),
    "a check when the money is spent": Case(check(), known(spent_cents=5_000), refused(MONEY, 14)),
    "a check while a session runs": Case(
        check(), known(standing=RUNNING), Ignore("a session is running there already")
    ),
    "a check on a branch that has moved on": Case(
        check(), known(head=NEW), Ignore("the branch has moved on since")
    ),
    "a check on a branch that is gone": Case(
        check(), known(head=""), Ignore("the branch has moved on since")
    ),
    "a check caused by a stranger": Case(
        check(by=EVE), READER, Ignore("it was not caused by somebody with write permission")
    ),
    "a check caused by a bot": Case(
        check(by=OTHER_BOT),
        known(),
        Ignore("it was caused by the bot echo[bot] (66), which is not allowed to"),
    ),
    "a check caused by an allowed bot": Case(
        check(by=CI), known(permission=Permission.NONE), start_for_check(by=CI)
    ),
    "a workflow with a job that the contract names": Case(
        flow(),
        known(failing=("docs", "test (3.12)")),
        start_for_check(
            thread=None,
            subject=Failed(kind=CheckKind.WORKFLOW, id=701, names=("test (3.12)",)),
        ),
    ),
    "a workflow that the contract names": Case(
        flow(),
        known(rules=replace(RULES, checks={"CI": "unit"})),
        start_for_check(
            thread=None, subject=Failed(kind=CheckKind.WORKFLOW, id=701, names=("CI",))
        ),
    ),
    "a workflow whose sender writes but whose actor is a stranger": Case(
        flow(actors=(EVE, ADA)),
        known(failing=("lint",), permission=Permission.READ),
        Ignore("it was not caused by somebody with write permission"),
    ),
    "a workflow whose sender is an allowed bot but whose actor is a stranger": Case(
        flow(by=CI, actors=(EVE,)),
        known(failing=("lint",), permission=Permission.READ),
        Ignore("it was not caused by somebody with write permission"),
    ),
    "a workflow that a bot caused behind a person": Case(
        flow(actors=(OTHER_BOT, ADA)),
        known(failing=("lint",)),
        Ignore("it was caused by the bot echo[bot] (66), which is not allowed to"),
    ),
    "a workflow of a fork": Case(
        flow(head_repository=42), known(failing=("lint",)), Ignore("the commit is a fork's")
    ),
    "a suite with a run that the contract names": Case(
        check(kind=CheckKind.SUITE, id=601, name=""),
        known(failing=("test (3.12)",)),
        start_for_check(subject=Failed(kind=CheckKind.SUITE, id=601, names=("test (3.12)",))),
    ),
    **{
        f"a check that ended as {conclusion.value}": Case(
            check(conclusion=conclusion),
            known(),
            Ignore(f"the check run ended as {conclusion.value}"),
        )
        for conclusion in Conclusion
        if conclusion not in (Conclusion.FAILURE, Conclusion.TIMED_OUT)
    },
}


def asked(name: str = "jam", action: str = "", **over: Any) -> CheckAsked:
    values: dict[str, Any] = {
        "where": LIB,
        "by": ADA,
        "name": name,
        "head_sha": SHA,
        "app": 77,
        "action": action,
        "pulls": (14,),
    }
    return CheckAsked(**values | over)


ON_14 = Thread(number=14, is_pull=True)
BUTTONS = {
    "the verification again": Case(asked("jam / verify"), known(), verify()),
    "all checks again": Case(asked(""), known(), verify()),
    "the session again": Case(
        asked(),
        known(standing=OVER),
        retry(thread=ON_14, pull=THEIRS, counts_as="41#14"),
    ),
    "the button to stop": Case(
        asked(action="stop"),
        known(standing=RUNNING),
        Stop(session="gh-1", where=LIB, by=ADA, why="ada"),
    ),
    "the button to verify": Case(asked(action="verify"), known(), verify()),
    "a button of somebody's invention": Case(
        asked(action="deploy"), known(), Ignore("jam has no button 'deploy'")
    ),
    "a button by a stranger": Case(asked(by=EVE, action="stop"), READER, refused(STRANGER, 14)),
    "a check of another App": Case(asked(app=15368), known(), Ignore("the check is not jam's")),
    "a check on no pull request again": Case(
        asked(pulls=()), known(), Ignore("no pull request of this repository has the commit")
    ),
}
UNLABELLED = Unlabelled(where=LIB, by=ADA, thread=ISSUE, label="jam")
STOP_CLOSED = Stop(session="gh-1", where=LIB, by=ADA, why="the issue was closed")
ENDS = {
    "the label taken off": Case(
        UNLABELLED,
        known(standing=QUEUED),
        Stop(session="gh-1", where=LIB, by=ADA, why="the label was taken off"),
    ),
    "the label taken off by jam, since work starts": Case(
        replace(UNLABELLED, by=JAM),
        known(standing=RUNNING),
        Ignore("jam takes the label off itself when work starts"),
    ),
    "another label taken off": Case(
        replace(UNLABELLED, label="bug"),
        known(standing=RUNNING),
        Ignore("the label 'bug' is not 'jam'"),
    ),
    "the label taken off where nothing runs": Case(
        UNLABELLED, known(), Ignore("the label was taken off, and nothing runs there")
    ),
    "the issue closed": Case(ended(), known(standing=RUNNING), STOP_CLOSED),
    "the issue closed by a bot": Case(
        ended(by=OTHER_BOT), known(standing=RUNNING), replace(STOP_CLOSED, by=OTHER_BOT)
    ),
    "the issue closed where nothing runs": Case(
        ended(), known(standing=OVER), Ignore("the issue was closed, and nothing runs there")
    ),
    "the issue deleted": Case(
        ended(How.DELETED),
        known(standing=RUNNING),
        forget(12, "the issue was deleted", "gh-1"),
    ),
    "the issue transferred": Case(
        ended(How.TRANSFERRED), known(standing=OVER), forget(12, "the issue was transferred")
    ),
    "jam's pull request merged": Case(
        ended(How.MERGED, OURS),
        known(standing=OVER),
        forget(13, "the pull request was merged"),
    ),
    "jam's pull request closed while it works on it": Case(
        ended(How.CLOSED, OURS),
        known(standing=RUNNING),
        forget(13, "the pull request was closed", "gh-1"),
    ),
    "the issue closed by jam": Case(ended(by=JAM), known(standing=RUNNING), Ignore(SILENT)),
    "a person's pull request merged": Case(
        ended(How.MERGED, THEIRS),
        known(standing=RUNNING),
        Stop(session="gh-1", where=LIB, by=ADA, why="the pull request was merged"),
    ),
}
MOVED = PullMoved(where=LIB, by=ADA, pull=OURS, before=NEW)


def repository(fate: Fate) -> RepositoryChanged:
    return RepositoryChanged(where=LIB, by=ADA, fate=fate)


def installation(change: Access) -> InstallationChanged:
    return InstallationChanged(by=ADA, installation=5, change=change)


def gone(why: str) -> Forget:
    return Forget(scope=Scope.REPOSITORY, ids=(41,), why=why)


OTHERS = {
    "a head that makes evidence stale": Case(
        MOVED,
        known(standing=standing(State.ENDED, NEW)),
        MarkStale(where=LIB, pull=OURS, judged_sha=NEW),
    ),
    "a head that was judged": Case(
        replace(MOVED, by=JAM),
        known(standing=standing(State.ENDED, SHA)),
        Ignore("nothing was judged there that the new head makes stale"),
    ),
    "a head where nothing was judged": Case(
        MOVED, known(), Ignore("nothing was judged there that the new head makes stale")
    ),
    "a push": Case(
        Pushed(where=LIB, by=ADA, ref="refs/heads/trunk", before=SHA, after=NEW),
        known(),
        Ignore("a push starts nothing; the checks it causes may"),
    ),
    "an installation": Case(installation(Access.CREATED), known(), Ignore("installation: created")),
    "an installation deleted": Case(
        installation(Access.DELETED),
        known(),
        Forget(scope=Scope.INSTALLATION, ids=(5,), why="the installation was deleted"),
    ),
    "an installation suspended": Case(
        installation(Access.SUSPENDED),
        known(),
        Forget(scope=Scope.INSTALLATION, ids=(5,), why="the installation was suspended"),
    ),
    "repositories added": Case(
        RepositoriesChanged(by=ADA, installation=5, added=(41,)),
        known(),
        Ignore("repositories were added"),
    ),
    "a repository taken away": Case(
        RepositoriesChanged(by=ADA, installation=5, removed=(41,)),
        known(),
        gone("the installation no longer covers it"),
    ),
    "a repository renamed": Case(
        repository(Fate.RENAMED), known(), Ignore("repositories are known by their number")
    ),
    "a repository archived": Case(
        repository(Fate.ARCHIVED), known(), gone("the repository was archived")
    ),
    "a repository transferred": Case(
        repository(Fate.TRANSFERRED), known(), gone("the repository was transferred")
    ),
    "a repository deleted": Case(
        repository(Fate.DELETED), known(), gone("the repository was deleted")
    ),
}
CLOCK = Scheduled(where=LIB, cron="37 3 * * *")
BY_CLOCK = start(
    session=session_id("schedule", KEY),
    by=NOBODY,
    thread=None,
    subject=Flaky(),
    counts_as="41:flaky",
)
DISPATCH = Dispatched(where=LIB, by=ADA, issue=12, oracle="unit", tests=("a",), branch="topic")
BY_WORDS = replace(DISPATCH, issue=0, objective="Merge them.")
HAND = {
    "the clock": Case(CLOCK, known(), BY_CLOCK),
    "the clock while the last one runs": Case(
        CLOCK, known(standing=RUNNING), Ignore("the last scheduled session is not over")
    ),
    "the clock when the money is spent": Case(CLOCK, known(spent_cents=5_000), Ignore(MONEY)),
    "the clock without a contract": Case(
        CLOCK,
        known(rules=Rules(fault="broken")),
        Ignore("The contract cannot be used: broken"),
    ),
    "an issue by hand": Case(
        DISPATCH,
        known(),
        start(thread=Thread(number=12), subject=Named(12), oracle="unit", tests=("a",)),
    ),
    "an issue by the hand of a stranger": Case(
        replace(DISPATCH, by=EVE), READER, refused(STRANGER)
    ),
    "words by hand": Case(
        BY_WORDS,
        known(),
        start(
            thread=None,
            subject=Words("Merge them."),
            base=At("topic"),
            oracle="unit",
            tests=("a",),
            counts_as="41:words",
        ),
    ),
    "words by an allowed bot": Case(
        replace(BY_WORDS, by=CI, oracle="", tests=(), branch=""),
        known(permission=None),
        start(by=CI, thread=None, subject=Words("Merge them."), counts_as="41:words"),
    ),
    "words by a stranger": Case(
        replace(BY_WORDS, by=EVE), READER, Ignore("eve may not start sessions here")
    ),
    "words by a bot": Case(
        replace(BY_WORDS, by=OTHER_BOT), known(), Ignore("echo[bot] may not start sessions here")
    ),
    "words for an oracle that is not there": Case(
        replace(BY_WORDS, oracle="x"),
        known(),
        Ignore("There is no oracle `x`; the contract names `unit`, `style`."),
    ),
    "nothing by hand": Case(
        replace(BY_WORDS, objective=" "),
        known(),
        Ignore("neither an issue nor an objective was given"),
    ),
}
TABLE: dict[str, Case] = {
    **LABELS,
    **FIXES,
    **VERIFIES,
    **SESSIONS,
    **REVIEWS,
    **CHECKS,
    **BUTTONS,
    **ENDS,
    **OTHERS,
    **HAND,
}


@pytest.mark.parametrize("case", TABLE)
def test_what_is_decided(case: str) -> None:
    event, facts, decision = TABLE[case]

    assert decide(event, facts, key=KEY) == decision


def look_up(case: Case) -> Facts:
    """Learn what is asked for, as long as anything is."""
    learnt = replace(NOTHING, own=case.facts.own, bots=case.facts.bots)
    for _ in Need:
        missing = needs(case.event, learnt)
        assert all(getattr(learnt, need.value) is None for need in missing)
        found = {need.value: getattr(case.facts, need.value) for need in missing}
        learnt = replace(learnt, **found)
    return learnt


def test_looking_up_what_is_asked_for_leads_to_the_same_decisions() -> None:
    """And only what nobody knew yet is ever asked for, so that it ends."""
    decided = {name: decide(case.event, look_up(case), key=KEY) for name, case in TABLE.items()}

    assert decided == {name: case.decision for name, case in TABLE.items()}


@pytest.mark.parametrize(
    ("event", "first"),
    [
        (labelled(), {Need.RULES}),
        (labelled(JAM), set()),
        (said("thanks"), set()),
        (said("/jam fix", OTHER_BOT), set()),
        (said("/jam fix"), {Need.PERMISSION}),
        (check(conclusion=Conclusion.SUCCESS), set()),
        (check(), {Need.RULES}),
        (ended(), {Need.STANDING}),
        (installation(Access.DELETED), set()),
        (DISPATCH, {Need.PERMISSION}),
        (BY_WORDS, {Need.PERMISSION, Need.RULES, Need.SPENT}),
        (CLOCK, {Need.RULES, Need.STANDING, Need.SPENT}),
    ],
)
def test_nothing_is_looked_up_for_what_is_ignored_anyway(event: Event, first: set[Need]) -> None:
    assert needs(event, NOTHING) == first


@pytest.mark.parametrize("case", TABLE)
def test_what_means_nothing_at_a_glance_never_does(case: str) -> None:
    event, _, decision = TABLE[case]

    assert not at_a_glance(event) or isinstance(decision, Ignore)


@pytest.mark.parametrize(
    ("event", "seen"),
    [
        (said("thanks"), "the comment asks for nothing"),
        (said("thanks, /jam"), ""),
        (said("/JAM fix"), ""),
        (check(conclusion=Conclusion.SUCCESS), "the check run ended as success"),
        (check(), ""),
        (labelled(label="bug"), ""),
    ],
)
def test_most_of_what_github_sends_means_nothing_at_a_glance(event: Event, seen: str) -> None:
    assert at_a_glance(event) == seen


@pytest.mark.parametrize(
    ("event", "counted"),
    [
        (said("/jam fix"), "41#12"),
        (check(), "41:topic:unit"),
        (check(name="lint"), "41:topic:style"),
        (check(head_branch=OWN_BRANCH), f"41:{OWN_BRANCH}"),
        (check(name="lint", head_branch=OWN_BRANCH), f"41:{OWN_BRANCH}"),
    ],
)
def test_attempts_are_looked_up_under_the_key_they_are_counted_under(
    event: Event, counted: str
) -> None:
    decision = decide(event, known(attempts=None), key=KEY)
    begun = decide(event, known(), key=KEY)

    assert decision == LookUp(frozenset({Need.ATTEMPTS}), counted)
    assert isinstance(begun, Start)
    assert begun.counts_as == counted


def test_a_limit_that_nobody_looked_up_is_a_limit() -> None:
    assert over_a_limit(NOTHING, cap=3) == "What was tried and spent here is not known."
    assert over_a_limit(known(), cap=3) == ""


def test_the_same_delivery_starts_the_same_session_and_another_one_another() -> None:
    first, again = (decide(labelled(), known(), key=KEY) for _ in range(2))
    later = decide(labelled(), known(), key="another")

    assert first == again
    assert isinstance(first, Start)
    assert isinstance(later, Start)
    assert first.session != later.session


def test_one_failure_told_three_ways_is_one_session() -> None:
    told = [
        decide(check(), known(), key="1"),
        decide(check(kind=CheckKind.SUITE, name=""), known(failing=("test (3.12)",)), key="2"),
        decide(flow(), known(failing=("test (3.12)",)), key="3"),
    ]

    assert {decision.session for decision in told if isinstance(decision, Start)} == {
        session_id("check", 41, SHA, "unit")
    }
    assert len([decision for decision in told if isinstance(decision, Start)]) == 3


def test_an_empty_app_never_matches_an_event_without_one() -> None:
    """Through a workflow's token jam has no App of its own, and neither have workflow runs."""
    token = replace(KNOWN, own=Own(account=41898282), failing=("lint",))

    assert isinstance(decide(flow(), token, key=KEY), Start)
    assert isinstance(decide(said("/jam fix"), token, key=KEY), Start)
    assert decide(asked(app=None), token, key=KEY) == Ignore("the check is not jam's")


states = st.builds(Standing, state=st.sampled_from(State), session=st.just("gh-1"))
facts_of_strangers = st.builds(
    Facts,
    own=st.just(OWN),
    bots=st.just(frozenset({55})),
    rules=st.sampled_from([RULES, Rules(), Rules(fault="x")]) | st.none(),
    permission=st.sampled_from([Permission.NONE, Permission.READ]) | st.none(),
    standing=states | st.none(),
    attempts=st.integers(0, 4) | st.none(),
    spent_cents=st.integers(0, 6_000) | st.none(),
    pull=st.sampled_from([THEIRS, FORK, OURS, Gone()]) | st.none(),
    head=st.sampled_from([SHA, NEW, ""]) | st.none(),
    failing=st.sampled_from([(), ("lint",)]) | st.none(),
)
ACTS = Start | Retry | Verify | Resume | Undo


@given(st.sampled_from(sorted(TABLE)), facts_of_strangers)
def test_a_stranger_never_moves_anything(case: str, facts: Facts) -> None:
    stranger = Account(9, "mal")
    event = TABLE[case].event
    if isinstance(event, Scheduled | InstallationChanged | RepositoriesChanged | RepositoryChanged):
        return
    strange: dict[str, Any] = {"by": stranger}
    if isinstance(event, CheckEnded):
        strange["actors"] = (stranger,) if event.actors else ()

    assert not isinstance(decide(replace(event, **strange), facts, key=KEY), ACTS)


@given(st.sampled_from(sorted(TABLE)), facts_of_strangers, st.sampled_from(Permission))
def test_jam_and_foreign_bots_never_ask(case: str, facts: Facts, has: Permission) -> None:
    event = TABLE[case].event
    if isinstance(event, Labelled | Commented | Reviewed | CheckAsked | Dispatched):
        for bot in (JAM, OTHER_BOT):
            decision = decide(replace(event, by=bot), replace(facts, permission=has), key=KEY)
            assert isinstance(decision, Ignore | LookUp)


def test_the_rules_come_from_the_contract() -> None:
    contract = Contract(
        label="mend",
        oracles={"unit": Oracle(gates=(Gate(run="make test"),))},
        checks={"test": "unit"},
    )

    assert rules(contract, fault="x") == Rules(
        label="mend",
        checks={"test": "unit"},
        oracles=("unit",),
        attempts=3,
        day_cents=5_000,
        branch_prefix="jam/",
        fault="x",
    )


@pytest.mark.parametrize(
    ("decision", "shown"),
    [
        (start(), Reaction.EYES),
        (verify(), Reaction.EYES),
        (STOP_CLOSED, Reaction.EYES),
        (refused("no"), Reaction.CONFUSED),
        (Answer(where=LIB, thread=12, show=Show.HELP), Reaction.EYES),
        (Ignore("no"), None),
        (forget(12, "gone"), None),
    ],
)
def test_the_sign_at_once(decision: Decision, shown: Reaction | None) -> None:
    assert to(decision) is shown


def test_the_sign_at_the_end_flies_for_verified_alone() -> None:
    ends = ("verified", "partial", "failed", "unverified", "cancelled")

    assert [at_end(end) for end in ends] == [Reaction.ROCKET] + [Reaction.CONFUSED] * 4
