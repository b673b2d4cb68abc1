"""
The short words that people read on a terminal: a session's story, a list of sessions, a ledger's
check. Bodies of pull requests are ``bot.core.pr_body``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.core.body_tables import counts
from bot.core.entries import (
    Adjudicated,
    AnyFact,
    Approved,
    Baselined,
    Composed,
    Disputed,
    Ended,
    Froze,
    Hooked,
    Judged,
    Moved,
    Opened,
    Prepared,
    Probed,
    Published,
    Reproduced,
    Stopped,
    Suspended,
    Turned,
)
from bot.core.flaky import mend_telling
from bot.core.ledger import Sealed, last_seal
from bot.core.session import replay
from bot.core.visible import one_line
from bot.core.words import many_of

WIDE = 100


def story(ledger: Sequence[Sealed]) -> str:
    """Every entry on a line: place, kind, what it says, the beginning of its seal."""
    lines = [
        f"{sealed.place:4}  {sealed.seal[:12]}  {sealed.fact.kind:12}  {told}"
        for sealed in ledger
        for told in [one_line(tell(sealed.fact), 400)]
    ]
    return "\n".join(lines)


def tell(fact: AnyFact) -> str:  # noqa: C901  # one case per kind of fact
    match fact:
        case Opened():
            return f"{fact.title} (base {fact.base[:12]}, oracle {fact.oracle}, {fact.sandbox})"
        case Prepared():
            setup = f"; setup took {fact.setup_s:.1f} s" if fact.setup else ""
            return f"environment {fact.environment_sha256[:12]}{setup}"
        case Froze():
            return f"{many_of(fact.frozen, 'frozen file')}, {fact.surface} of the oracle's surface"
        case Judged():
            said = "; ".join(f"{g.gate}: {g.colour.value}, {counts(g)}" for g in fact.gates)
            return f"{fact.purpose.value} {fact.number + 1} of {fact.tree[:12]}: {said}"
        case Baselined():
            targets = many_of(fact.targets_count, "target")
            return f"{targets}, {many_of(fact.passed, 'test')} to keep"
        case Reproduced():
            return f"the agent's test shows the issue: {', '.join(fact.paths)}"
        case Turned():
            held = fact.checkpoint
            kept = f", checkpoint of {many_of(held.changed, 'file')}" if held else ""
            calls = many_of(fact.calls_count, "call")
            return f"turn {fact.number} of {fact.agent}: {calls}, {fact.wish}{kept}"
        case Composed():
            return f"{fact.restored_count} restored, {fact.set_aside_count} set aside"
        case Hooked():
            return f"{fact.command}: {'veto' if fact.vetoed else 'no objection'}"
        case Stopped():
            return f"by {fact.by}"
        case Suspended():
            return fact.why
        case Moved():
            at = f"checkpoint {fact.checkpoint.number}" if fact.checkpoint else "the base"
            return f"went on elsewhere from {at}; {many_of(fact.lost, 'turn')} lost"
        case Approved():
            return f"by {fact.by}: {'; '.join(fact.what)}"
        case Disputed():
            ids, runs = many_of(len(fact.ids), "id"), many_of(fact.runs, "run")
            return f"{ids} in {runs}: {len(fact.wavering)} of them wavering"
        case Probed():
            return f"{fact.name}: {fact.result} ({fact.why})"
        case Adjudicated():
            return f"{fact.end} ({fact.level}): {fact.why}"
        case Published():
            return f"{fact.branch} at {fact.commit[:12]}{' (draft)' if fact.draft else ''}"
        case Ended():
            return f"{fact.end}, exit code {fact.exit_code}"
        case _:
            return mend_telling.tell(fact)


def sessions(rows: Iterable[Sequence[Sealed]], *, broken: Mapping[str, str]) -> str:
    """``broken``: sessions whose ledger does not hold, and why."""
    lines = [f"{name}  {'broken':11}  {one_line(why, WIDE)}" for name, why in broken.items()]
    for ledger in rows:
        session = replay(ledger)
        if session.opened is None:
            continue
        end = session.ended.end if session.ended else "resting"
        title = one_line(session.opened.title, 60)
        lines.append(f"{session.opened.session}  {end:11}  {session.opened.repository}: {title}")
    return "\n".join(lines) or "No sessions yet."


def summary(ledger: Sequence[Sealed]) -> dict[str, object]:
    """One session of a list, as data."""
    session = replay(ledger)
    opened = session.opened
    return {
        "session": opened.session if opened else "",
        "outcome": session.ended.end if session.ended else None,
        "repository": opened.repository if opened else "",
        "title": opened.title if opened else "",
        "branch": session.published.branch if session.published else None,
    }


def checkpoints(rows: Sequence[tuple[int, str, str]]) -> str:
    lines = [f"{number:4}  {commit[:12]}  {ref}" for number, commit, ref in rows]
    return "\n".join(lines) or "No checkpoints of this session are in this repository."


def suspects(places: Sequence[tuple[str, int, float]], read: Callable[[str], bytes | None]) -> str:
    """Worst first: score, place, and the line itself."""
    lines = []
    for path, number, score in places:
        text = (read(path) or b"").decode(errors="replace").splitlines()
        shown = text[number - 1].strip() if 0 < number <= len(text) else ""
        lines.append(f"{score:5.2f}  {path}:{number}  {one_line(shown, WIDE)}")
    return (
        "\n".join(lines) or "Nothing could be located: no failing test runs a line of Python here."
    )


def checked(ledger: Sequence[Sealed], broken: Sequence[str]) -> str:
    if broken:
        return "\n".join([f"{len(broken)} invariants do not hold:", *(f"- {b}" for b in broken)])
    count = len(ledger)
    return (
        f"{count} entries, every seal follows, every invariant holds; last seal {last_seal(ledger)}"
    )


def attested(said: Mapping[str, Any], lines: Sequence[str], wrong: Sequence[str]) -> str:
    """What a statement says, and what became of looking at it. ``lines``: a thing looked at each"""
    if wrong:
        return "\n".join(["The statement does not hold:", *(f"- {one}" for one in wrong)])
    facts = said["predicate"]["jam"]
    head = (
        f"{said['predicate']['result']}: {facts['end']} ({facts['level']}), session "
        f"{facts['session']}: {facts['why']}"
    )
    return "\n".join([one_line(head, 500), *(f"- {one}" for one in lines)])


def resume_hint(session_id: str) -> str:
    return f"`jam resume {session_id}` goes on from here"
