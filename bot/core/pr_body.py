"""
The body of a pull request, from the ledger alone.

Every number stands in an entry; every word that is not jam's own is fenced. The order is what a
maintainer wants to know first: what, the verdict, what to look at, the evidence, and last how to
go on. A body that would be too long loses its middle sections, and says so at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.core import body_end, fence
from bot.core.body_tables import changes_table, counts, ledger_table, reached
from bot.core.ledger import Sealed
from bot.core.parts import Colour, Remark
from bot.core.session import Session, replay
from bot.core.settled import settled_run
from bot.core.steps import SEEDS
from bot.core.words import agent_named, many_of, sentence

LIMIT = 60_000

SHORT = 12  # characters of a digest that a person reads
TARGETS = 12
REMARKS = 16

HEADLINES = {
    "verified": "**Verified.**",
    "partial": "**Partial.**",
    "failed": "**Failed.**",
    "unverified": "**Unverified.**",
    "cancelled": "**Cancelled.**",
}


class Reader(StrEnum):
    """Where it is read: what may be done next is another thing in each place."""

    SHELL = "shell"
    PULL = "pull request"  # the body of jam's own
    ANSWER = "answer"  # a comment on anybody's


@dataclass(frozen=True, slots=True)
class About:
    issue: int | None
    reader: Reader


def render(
    ledger: Sequence[Sealed],
    *,
    issue: int | None = None,
    reader: Reader = Reader.SHELL,
    statement: str = "",
    limit: int = LIMIT,
) -> str:
    """
    ``issue``: the number that the pull request is about, where there is one. ``statement``: the
    sha256 of what a stranger can fetch and check.
    """
    session = replay(ledger)
    sections = [section(session, ledger, About(issue, reader)) for section in SECTIONS]
    sections = [text for text in sections if text]
    end = body_end.tail(session, ledger, statement)
    body = "\n\n".join([*sections, end])
    return body if len(body) <= limit else _shortened(sections, end, limit)


def _what(session: Session, _: Sequence[Sealed], about_it: About) -> str:
    opened, baseline = session.opened, session.baseline
    if opened is None:
        return ""
    word = "Fixes" if _verified(session) else "Refs"
    about = f"{word} #{about_it.issue}: " if about_it.issue is not None else ""
    count = baseline.targets_count if baseline else 0
    tests = many_of(count, "test")
    claim = {
        "verified": f"This change makes {tests} pass that failed before",
        "partial": f"This change makes some gates green; of {tests} that failed, not all pass yet",
    }.get(_end(session), _tried(session, count))
    own = "" if opened.given else _own_words(session)
    by = ", then ".join(map(agent_named, opened.agents))
    words = f"\n\nThe agent's own words ({fence.cell(by, limit=80)}; not checked):\n\n{own}"
    if about_it.reader is Reader.ANSWER:  # which begins with what was judged
        return f"{claim}."
    return f"{about}{fence.cell(opened.title, limit=240)}\n\n{claim}.{words if own else ''}"


def _tried(session: Session, count: int) -> str:
    """What failed before the change is told of, whatever became of it."""
    tests = many_of(count, "test")
    fail = "fails" if count == 1 else "fail"
    if session.opened and session.opened.given:
        return f"The question is whether the change mends {tests} that {fail} on the base"
    return f"This is what was tried to mend {tests} that {fail} on the base"


def _own_words(session: Session) -> str:
    """As they were written: a search shows its change line by line."""
    said = session.last.said if session.last else ""
    return fence.block(said, info="text", limit=1800) if said.strip() else ""


def _verdict(session: Session, ledger: Sequence[Sealed], _: About) -> str:
    word, opened = session.adjudicated, session.opened
    if word is None or opened is None:
        return ""
    lines = [f"{HEADLINES[word.end]} {sentence(fence.prose(word.why))}", ""]
    lines += [f"- {_gate_line(session, name, run)}" for name, run in opened.commands]
    if session.reproduced:
        theirs = session.reproduced.by == "the change"
        whose = "the tests of the change itself" if theirs else "a test that the agent wrote"
        lines.append(f"- Judged against {whose}.")
    lines.append(f"- Base `{opened.base[:SHORT]}`, tree of the change `{word.tree[:SHORT]}`.")
    lines.append(f"- Evidence level {word.level}; sandbox: {opened.sandbox}.")
    lines += [f"- {line}" for line in reached(ledger)]
    lines += _targets(session)
    return "\n".join(lines)


def _targets(session: Session) -> list[str]:
    baseline = session.baseline
    if baseline is None or not baseline.targets:
        return []
    told = [fence.code(target) for target in baseline.targets[:TARGETS]]
    more = baseline.targets_count - len(told)
    rest = [f"… and {more:,} more"] if more > 0 else []
    return [f"- Had to become green: {', '.join([*told, *rest])}."]


def _gate_line(session: Session, name: str, command: str) -> str:
    before = [gate for run in session.preflights for gate in run.gates if gate.gate == name]
    tree = session.adjudicated.tree if session.adjudicated else ""
    runs = [run for run in session.adjudications if run.tree == tree]
    after = [gate for run in runs for gate in run.gates if gate.gate == name]
    green = sum(settled_run(session, run) is Colour.GREEN for run in runs)
    was = f"before: {counts(before[-1])}" if before else "before: not run"
    now = f"after: {counts(after[-1])}" if after else "after: not run"
    rooms = f", green in {green} of {len(SEEDS)} clean rooms" if runs else ""
    return f"{fence.code(command, limit=300)}: {was}; {now}{rooms}."


def _review(session: Session, _: Sequence[Sealed], __: About) -> str:
    word = session.adjudicated
    if word is None or not (word.review or word.remarks):
        return ""
    told = [_remark(remark) for remark in word.remarks[:REMARKS]]
    if more := len(word.remarks) - len(told):
        told.append(f"… and {many_of(more, 'remark')} more, in the ledger.")
    return "### Look at this first\n\n" + _bullets([*map(fence.prose, word.review), *told])


def _remark(remark: Remark) -> str:
    weight = "**Needs a person:** " if remark.blocks else ""
    return f"{weight}{fence.code(remark.place)}: {fence.prose(remark.what)}."


def _evidence(session: Session, ledger: Sequence[Sealed], _: About) -> str:
    return f"### Evidence\n\n{ledger_table(session, ledger)}"


def _changed(session: Session, _: Sequence[Sealed], __: About) -> str:
    word = session.adjudicated
    if word is None or not word.files:
        return ""
    return f"### Changed files\n\n{changes_table(word)}"


def _frozen(session: Session, _: Sequence[Sealed], __: About) -> str:
    froze, candidate = session.froze, session.candidate
    if froze is None:
        return ""
    held = many_of(froze.frozen, "frozen file"), many_of(froze.surface, "file")
    head = f"{held[0]} and {held[1]} of the oracle's surface: "
    if session.guard_restores == 0 and not (candidate and candidate.set_aside_count):
        return f"### Frozen paths\n\n{head}untouched."
    lines = [f"{head}{many_of(session.guard_restores, 'file')} restored while the agent worked."]
    if candidate and candidate.restored:
        lines.append(f"Restored in this change: {_names(candidate.restored)}.")
    if candidate and candidate.set_aside:
        lines.append(f"Set aside (new where nothing new may be): {_names(candidate.set_aside)}.")
    return "### Frozen paths\n\n" + "\n".join(lines)


def _not_verified(session: Session, _: Sequence[Sealed], __: About) -> str:
    word = session.adjudicated
    if word is None:
        return ""
    return "### Not verified\n\n" + _bullets(word.not_verified)


def _left(session: Session, _: Sequence[Sealed], __: About) -> str:
    """Where a session without a pull request leaves things, for whoever goes on."""
    if _end(session) not in ("failed", "cancelled") or session.opened is None:
        return ""
    if session.opened.given:  # nobody worked
        return ""
    name, last = session.opened.session, session.last
    lines = [f"What the agent left is kept: `jam checkpoints list {name}`."]
    if session.head is None:
        lines = ["The agent left the checkout as it was."]
    lines += [
        f"{fence.code(path)}, line {line}: suspicion {score:.2f}"
        for path, line, score in (last.suspects if last else ())[:8]
    ]
    return "### Where it stands\n\n" + _bullets(lines)


def _limits(session: Session, _: Sequence[Sealed], __: About) -> str:
    return (
        "### Used\n\n"
        f"{many_of(session.turns, 'turn')} · {many_of(session.tokens, 'token')} · "
        f"${session.cents / 100:.2f} · {session.seconds:.1f} s of setup, turns and test runs · "
        f"{many_of(session.refusals, 'refusal')} at the stop gate"
    )


def _drive(session: Session, _: Sequence[Sealed], about: About) -> str:
    if about.reader is Reader.PULL:
        return (
            "In a comment: `/jam verify` judges this again · `/jam retry`, with your words behind "
            "it, tries again · `/jam stop` ends what runs"
        )
    if about.reader is Reader.ANSWER:
        return "In a comment: `/jam verify` judges it again · `/jam help` tells what else there is"
    name = session.opened.session if session.opened else ""
    return f"`jam show {name}` tells the whole story · `jam verify` judges it again"


SECTIONS: tuple[Callable[[Session, Sequence[Sealed], About], str], ...] = (
    _what,
    _verdict,
    _review,
    _evidence,
    _changed,
    _frozen,
    _not_verified,
    _left,
    _limits,
    _drive,
)


def _shortened(sections: Sequence[str], tail: str, limit: int) -> str:
    """Whole sections first; the first that does not fit is cut at a line's end."""
    top = "> This body was too long for the page and is cut; the ledger has all of it."
    room = limit - len(top) - len(tail) - 80
    kept: list[str] = []
    for section in sections:
        if len(section) + 2 > room:
            kept.append(f"{_whole_lines(section, room)}\n\n> … cut here.")
            break
        kept.append(section)
        room -= len(section) + 2
    return "\n\n".join([top, *kept, tail])


def _whole_lines(text: str, room: int) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    unclosed = sum(line.startswith("```") for line in lines) % 2
    return "\n".join(lines + ["```"] * unclosed)


def _bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _names(paths: Iterable[str]) -> str:
    return ", ".join(fence.code(path) for path in paths)


def _end(session: Session) -> str:
    return session.adjudicated.end if session.adjudicated else ""


def _verified(session: Session) -> bool:
    return _end(session) == "verified"
