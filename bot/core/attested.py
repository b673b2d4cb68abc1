"""
Whether a statement says what its ledger says.

A statement is believed only as far as it can be made again: from the ledger, from the reports that
the ledger cites, from the commit that it names. Each thing that does not hold is one sentence.
Signatures are checked elsewhere; what only a signature could show is said here in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.core import invariants
from bot.core.canonical import spell, unspell
from bot.core.ledger import Sealed, last_seal
from bot.core.session import replay
from bot.core.statement import FORMAT, PREDICATE, TYPE, Document, Tests, plain_run, statement
from bot.errors import RequestError, StatementBroken

TRAILER = "Jam-Session: "
LISTS = ("passedTests", "warnedTests", "failedTests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The commit that a statement names, as a repository has it. ``tree`` None: it has not."""

    tree: str | None
    message: str = ""


def read(payload: bytes) -> Document:
    """
    A statement that jam may have made. ``StatementBroken`` where no jam spells like this,
    ``RequestError`` where it is about something else or a later jam made it.
    """
    try:
        said = unspell(payload)
    except ValueError as error:
        raise RequestError(f"the statement is not JSON: {error}") from error
    if not isinstance(said, dict) or said.get("_type") != TYPE:
        raise RequestError(f"this is no statement of the type {TYPE}")
    if said.get("predicateType") != PREDICATE:
        raise RequestError(f"the statement is not about the result of tests ({PREDICATE})")
    if _at(said, "predicate", "jam", "format") != FORMAT:
        raise RequestError("the statement was not made by jam, or by another version of it")
    if spell(said).encode() != payload:
        raise StatementBroken("the statement is not spelled as jam spells: somebody rewrote it")
    return said


def commit_of(said: Document) -> str | None:
    """The commit that it is about."""
    return _subject(said, "gitCommit")


def wrong_with_ledger(
    said: Document, ledger: Sequence[Sealed], *, tests: Tests | None
) -> Iterable[str]:
    """``tests``: as the reports say that the ledger cites; None where those are not at hand."""
    session = replay(ledger)
    if session.adjudicated is None or session.opened is None:
        yield "the ledger has no last word that a statement could be about"
        return
    yield from (f"the ledger does not hold: {what}" for what in invariants.broken(ledger))
    if session.ended is None:
        yield "the ledger has no outcome"
    seal = _at(said, "predicate", "jam", "ledger", "seal")
    if seal != last_seal(ledger):
        yield (
            f"the statement is about a ledger whose last seal is {str(seal)[:12]}, and this one's "
            f"is {last_seal(ledger)[:12]}"
        )
    if session.published and commit_of(said) is None:
        yield "the statement names no commit, and one was published"
    known = tests if tests is not None else _lists(said)
    made = statement(ledger, commit=commit_of(said), tests=known)
    for place in _differences(said, made, ()):
        yield f"the statement's {place} is not what the ledger says"
    if tests is None:
        yield from _wrong_numbers(known, ledger)


def wrong_with_commit(said: Document, committed: Committed | None) -> Iterable[str]:
    """``committed`` None: there is no repository to look at."""
    commit = commit_of(said)
    if committed is None or commit is None:
        return
    tree = _subject(said, "gitTree")
    if committed.tree is None:
        yield f"the repository has no commit {commit[:12]}"
    elif committed.tree != tree:
        yield f"the commit {commit[:12]} holds the tree {committed.tree[:12]}, not the judged one"
    if committed.tree is not None and not _is_signed_off(said, committed.message):
        yield f"the commit {commit[:12]} names no session of jam's"


def _is_signed_off(said: Document, message: str) -> bool:
    """
    What somebody else wrote, and jam only judged, names no session; a tree that an earlier attempt
    published already names that one.
    """
    judged_only = _at(said, "predicate", "jam", "published") is False
    return judged_only or any(line.startswith(TRAILER) for line in message.splitlines())


def _wrong_numbers(tests: Tests, ledger: Sequence[Sealed]) -> Iterable[str]:
    """Without the reports the names are not known, and how many there are is."""
    run = plain_run(replay(ledger))
    if tests.is_cut:
        return
    passed = run.passed if run else 0
    if len(tests.passed) + len(tests.warned) != passed:
        yield f"the statement names {len(tests.passed)} passed tests, and {passed} passed"


def _lists(said: Document) -> Tests:
    passed, warned, failed = (
        tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()
        for found in (_at(said, "predicate", key) for key in LISTS)
    )
    return Tests(passed=passed, warned=warned, failed=failed)


def _subject(said: Document, kind: str) -> str | None:
    subjects = said.get("subject")
    for one in subjects if isinstance(subjects, list) else []:
        if isinstance(found := _at(one, "digest", kind), str):
            return found
    return None


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _differences(said: Any, made: Any, at: tuple[str, ...]) -> Iterable[str]:
    """Where two documents differ, as deep as can be said."""
    if isinstance(said, dict) and isinstance(made, dict):
        for key in sorted({*said, *made}):
            if key not in said or key not in made:
                yield ".".join((*at, key))
            else:
                yield from _differences(said[key], made[key], (*at, key))
    elif said != made or type(said) is not type(made):
        yield ".".join(at)
