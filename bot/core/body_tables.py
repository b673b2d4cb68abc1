"""The tables of a pull request's body: the evidence ledger and the changed files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.core import fence
from bot.core.entries import (
    Adjudicated,
    AnyFact,
    Baselined,
    Composed,
    Disputed,
    Froze,
    Hooked,
    Judged,
    Moved,
    Opened,
    Probed,
    Turned,
)
from bot.core.ledger import Sealed
from bot.core.parts import Change, GateFact
from bot.core.proxied import TOOL, calls_of
from bot.core.session import Session
from bot.core.words import agent_named, many_of

ROWS = 60
"""More rows than this are summed up in the middle."""
FILES = 100
SHORT = 12

Row = tuple[str, str, str, str, str]


def counts(gate: GateFact) -> str:
    bad = gate.failed + gate.errored
    return f"{gate.passed} passed, {bad} failed, {gate.skipped} skipped"


def reached(ledger: Sequence[Sealed]) -> list[str]:
    """What an agent could reach besides its checkout, and how often it did."""
    calls = [
        call
        for sealed in ledger
        if isinstance(sealed.fact, Turned)
        for call in sealed.fact.calls
        if call.tool == TOOL
    ]
    hosts = dict.fromkeys(call.argument for call in calls if call.decision == "allow")
    told = []
    for host in hosts:
        count = sum(calls_of(call.why) for call in calls if call.argument == host)
        told.append(
            f"The agent could reach {fence.code(host)} through jam's proxy: "
            f"{many_of(count, 'call')}, whose cost is not counted here."
        )
    refused = sum(calls_of(call.why) for call in calls if call.decision == "deny")
    if refused:
        told.append(f"{many_of(refused, 'call')} of the agent for other hosts: refused.")
    return told


def ledger_table(session: Session, ledger: Sequence[Sealed]) -> str:
    rows = [
        f"| {sealed.place} | {' | '.join(row)} | `{sealed.seal[:SHORT]}` |"
        for sealed in ledger
        for row in _rows(sealed.fact)
    ]
    if len(rows) > ROWS:
        left = len(rows) - ROWS
        rows = [*rows[: ROWS // 3], f"| … | {left} more rows | | | | | |", *rows[-ROWS * 2 // 3 :]]
    head = "| # | step | tree | verdict | passed / failed / skipped | seconds | seal |"
    return "\n".join([head, "|--:|---|---|---|---|--:|---|", *rows, "", _checks(session)]).rstrip()


def _checks(session: Session) -> str:
    word = session.adjudicated
    if word is None:
        return ""
    lines = [f"- *{check.name}*: {check.result} ({check.why})" for check in word.checks]
    return "\n".join(["Sensitivity checks:", "", *lines])


def _rows(fact: AnyFact) -> Iterable[Row]:  # noqa: C901  # one case per kind of fact
    match fact:
        case Opened(released=(_, *_)):
            yield ("released", "", f"{many_of(len(fact.released), 'test')} need not pass", "", "")
        case Froze():
            yield (
                "frozen paths",
                "",
                f"{many_of(fact.frozen + fact.surface, 'file')} held",
                "",
                "",
            )
        case Baselined():
            held = f"{many_of(fact.targets_count, 'target')}, {fact.passed} to keep"
            yield ("baseline", "", held, "", "")
        case Turned():
            yield (_turn(fact), _tree(fact), fact.wish, "", f"{fact.seconds:.1f}")
        case Moved():
            tree = f"`{fact.checkpoint.tree[:SHORT]}`" if fact.checkpoint else ""
            yield ("went on elsewhere", tree, _moved(fact), "", "")
        case Composed() if fact.restored_count or fact.set_aside_count:
            said = f"{fact.restored_count} restored, {fact.set_aside_count} set aside"
            yield ("candidate", f"`{fact.tree[:SHORT]}`", said, "", "")
        case Judged():
            yield from _judged(fact)
        case Hooked():
            said = "veto" if fact.vetoed else "no objection"
            yield (f"stop hook {fact.number + 1}", "", said, "", "")
        case Disputed():
            said = f"{len(fact.held)} held, {len(fact.wavering)} waver"
            yield (f"{len(fact.ids)} ids in dispute", "", said, "", f"{fact.seconds:.1f}")
        case Probed() if fact.tree:
            seconds = f"{fact.seconds:.1f}"
            yield (f"check {fact.name}", f"`{fact.tree[:SHORT]}`", fact.result, "", seconds)
        case _:
            return


def _moved(fact: Moved) -> str:
    began = f"from checkpoint {fact.checkpoint.number}" if fact.checkpoint else "from the base"
    return f"{began}; {many_of(fact.lost, 'turn')} lost" if fact.lost else began


def _turn(fact: Turned) -> str:
    return f"turn {fact.number} ({fence.cell(agent_named(fact.agent), limit=40)})"


def _tree(fact: Turned) -> str:
    return f"`{fact.checkpoint.tree[:SHORT]}`" if fact.checkpoint else ""


def _judged(fact: Judged) -> Iterable[Row]:
    for gate in fact.gates:
        name = f", {fence.cell(gate.gate, limit=40)}" if len(fact.gates) > 1 else ""
        varied = f", seed {fact.seed}" if fact.seed else ""
        again = ", answered from an earlier run" if fact.cached else ""
        yield (
            f"{fact.purpose.value} {fact.number + 1}{name}{varied}{again}",
            f"`{fact.tree[:SHORT]}`",
            f"**{gate.colour.value}**",
            f"{gate.passed} / {gate.failed + gate.errored} / {gate.skipped}",
            f"{gate.seconds:.1f}",
        )


def changes_table(word: Adjudicated) -> str:
    rows = [_change(change) for change in word.changes[:FILES]]
    left = word.files - len(rows)
    more = [f"| {left} more files | | | |"] if left > 0 else []
    return "\n".join(["| file | + | - | note |", "|---|--:|--:|---|", *rows, *more])


def _change(change: Change) -> str:
    added = "" if change.added is None else str(change.added)
    removed = "" if change.removed is None else str(change.removed)
    return f"| {fence.code_cell(change.path)} | {added} | {removed} | {_note(change)} |"


def _note(change: Change) -> str:
    notes = []
    if change.added is None:
        notes.append("binary")
    if not change.old_mode:
        notes.append("new")
    if not change.new_mode:
        notes.append("deleted")
    if change.old_mode and change.new_mode and change.old_mode != change.new_mode:
        notes.append(f"mode {change.old_mode} → {change.new_mode}")
    if "120000" in (change.old_mode, change.new_mode):
        notes.append("link")
    return ", ".join(notes)
