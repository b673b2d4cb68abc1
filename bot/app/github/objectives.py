"""
What a session is for, in the words of whoever asked: an issue, a comment, the log of a check.

All of it is foreign text and stays data; it is fenced where it is used. Text comes from the
delivery where it holds any, so that nobody can change it between asking and beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core import check_log
from bot.core.asked import Wish
from bot.core.decision import Failed, Flaky, Named, Retry, Start, Told, Undo, Verify, Words
from bot.core.entries import Opened
from bot.core.event import CheckKind
from bot.core.forge_values import JobFacts, OfRun, OfSuite
from bot.errors import ForgeMissing, RequestError
from bot.forge_port import Forge
from bot.ports import Evidence

LOGS = 3
"""How many jobs' logs are read where several failed."""


class NotYet(RequestError):
    """jam cannot do this on GitHub."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """``tests``: what the text names as failing."""

    text: str
    tests: tuple[str, ...] = ()


def of(wish: Wish, forge: Forge, before: Opened | None, evidence: Evidence) -> Spoken:
    match wish:
        case Verify(pull=pull):
            return Spoken(text=f"Verify #{pull.number} ({pull.head_sha[:12]}): {pull.title}")
        case Retry():
            return Spoken(text=_again(wish, forge, before, evidence))
        case Undo():
            return Spoken(text=_earlier(before, evidence))
        case Start(subject=subject):
            if isinstance(subject, Failed):
                return _failed(subject, forge)
            return Spoken(text=_subject(subject, forge))


def _subject(subject: Told | Named | Words | Flaky, forge: Forge) -> str:
    match subject:
        case Told(title, body):
            return _text(title, body)
        case Named(number):
            return _thread(number, forge)
        case Words(text):
            return text
        case Flaky():
            raise NotYet("flaky tests are looked for with `jam flaky`, in a workflow")


def _thread(number: int, forge: Forge) -> str:
    found = forge.thread(number)
    if found is None:
        raise ForgeMissing(f"there is no #{number}")
    return _text(found.thread.title, found.thread.body)


def _text(title: str, body: str) -> str:
    return f"# {title}\n\n{body}".strip()


def _again(wish: Retry, forge: Forge, before: Opened | None, evidence: Evidence) -> str:
    """The new words after the old ones: the title is the old one's, the last word the new one's."""
    old = _earlier(before, evidence) if before else _thread(wish.thread.number, forge)
    return f"{old}\n\n## Once more\n\n{wish.words}" if wish.words.strip() else old


def _earlier(before: Opened | None, evidence: Evidence) -> str:
    if before is None:
        raise ForgeMissing("the session before this one is not known here")
    return evidence.get(before.objective_sha256).decode(errors="replace")


def _failed(failed: Failed, forge: Forge) -> Spoken:
    jobs = _jobs(failed, forge)
    logs = [(job.name, forge.log(job.id)) for job in jobs[:LOGS]]
    texts = [(name, check_log.read(log.content)) for name, log in logs if log is not None]
    tests = tuple(dict.fromkeys(test for _, text in texts for test in check_log.failing(text)))
    names = ", ".join(failed.names)
    parts = [f"# {names} fails"]
    parts += [f"## {name}\n\n{check_log.excerpt(text)}" for name, text in texts]
    return Spoken(text="\n\n".join(parts), tests=tests)


def _jobs(failed: Failed, forge: Forge) -> tuple[JobFacts, ...]:
    """The jobs behind the checks that failed; none where somebody else's service ran them."""
    match failed.kind:
        case CheckKind.WORKFLOW:
            jobs = forge.jobs(failed.id)
        case CheckKind.SUITE:
            jobs = _as_jobs(forge, OfSuite(failed.id))
        case CheckKind.RUN:
            found = forge.check(failed.id)
            jobs = (JobFacts(id=found.id, run=0, name=found.name, sha=found.sha),) if found else ()
    named = [job for job in jobs if job.name in failed.names]
    return tuple(named or [job for job in jobs if job.has_failed])


def _as_jobs(forge: Forge, where: OfSuite | OfRun) -> tuple[JobFacts, ...]:
    return tuple(
        JobFacts(id=one.id, run=0, name=one.name, sha=one.sha, conclusion=one.conclusion)
        for one in forge.failing(where)
    )
