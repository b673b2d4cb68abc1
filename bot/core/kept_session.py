"""
A session as it is kept in the repository between two jobs: its row of the docket, and whose job it
is. Read back it is history: nothing in it was said by a jam that can be asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from bot.core import asked, branch_name
from bot.core.asked import NotAsked
from bot.core.contract import Contract
from bot.core.decision import Verify
from bot.core.docket import Kind, Listed
from bot.core.entries import Opened
from bot.core.facts import State

PREFIX = "refs/jam/sessions/"
ROW, LEDGER, EVIDENCE = "session.json", "ledger.jsonl", "evidence"
KEPT_FOR = timedelta(days=30)
GONE = "its job ended before it did; `/jam resume`, or running the job again, goes on"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSession:
    """``delivery``: what began it. ``job``: the workflow run that has it."""

    listed: Listed
    delivery: str
    job: int


_ADAPTER = TypeAdapter(KeptSession)


class NotKept(ValueError):
    """No job keeps a session like this."""


def spell(kept: KeptSession) -> bytes:
    return _ADAPTER.dump_json(kept, indent=1) + b"\n"


def unspell(content: bytes) -> KeptSession:
    try:
        kept = _ADAPTER.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise NotKept(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    _demand_a_fix(kept.listed)
    return kept


def _demand_a_fix(listed: Listed) -> None:
    """What only judges is never kept: a verdict on another's change would come from nowhere. And
    one odd row must not end every job."""
    try:
        wish = asked.unspell(listed.asked).wish
    except NotAsked as odd:
        raise NotKept(str(odd)) from None
    if listed.kind is not Kind.FIX or isinstance(wish, Verify):
        raise NotKept("sessions that only judge are not kept")
    if any(at is not None and at.tzinfo is None for at in (listed.opened_at, listed.ended_at)):
        raise NotKept("a time without its zone")
    if wish.where.id != listed.where.id:
        raise NotKept("it was asked for another repository")


def at_rest(kept: KeptSession, *, is_alive: bool) -> KeptSession:
    """Whoever ran it may be gone without a word; then it rests, and can go on."""
    listed = kept.listed
    if listed.state not in (State.QUEUED, State.RUNNING) or is_alive:
        return kept
    return replace(kept, listed=replace(listed, state=State.RESTING, why=GONE))


def is_over(kept: KeptSession, *, now: datetime) -> bool:
    """Long enough ago that nobody will come back to it."""
    ended = kept.listed.ended_at
    return ended is not None and now - ended > KEPT_FOR


def is_the_same(
    opened: Opened, contract: Contract, *, agents: tuple[str, ...], sandbox: str
) -> bool:
    """
    Whether the opening says what opening it anew would, in all that decides how it is judged, who
    works and where it is published. ``agents``: who would work.
    """
    oracle = contract.oracles.get(opened.oracle)
    if oracle is None or opened.dry_run:
        return False
    return (
        opened.commands == tuple((gate.name, gate.run) for gate in oracle.gates)
        and (opened.agents, opened.sandbox, opened.network) == (agents, sandbox, "none")
        and branch_name.is_ours(opened.branch, prefix=contract.publish.branch_prefix)
    )
