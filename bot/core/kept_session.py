"""
A session as it is kept in the repository between two jobs: its row of the docket, and whose job it
is. Read back it is history: nothing in it was said by a jam that can be asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from bot.core.docket import Listed
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
    """This was not written by ``spell``."""


def spell(kept: KeptSession) -> bytes:
    return _ADAPTER.dump_json(kept, indent=1) + b"\n"


def unspell(content: bytes) -> KeptSession:
    try:
        return _ADAPTER.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise NotKept(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


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
