"""What the ledger keeps of an agent's calls: bounded, a line each."""

from __future__ import annotations

from bot.core.parts import CallFact
from bot.core.visible import bound, one_line
from bot.ports import TurnDone

CALLS_TOLD = 60
ARGUMENT = 400


def calls_of(done: TurnDone) -> tuple[CallFact, ...]:
    return tuple(
        CallFact(
            tool=one_line(call.tool, 60),
            argument=bound(call.argument, ARGUMENT),
            decision=call.decision,
            why=one_line(call.why, ARGUMENT),
            exit_code=call.exit_code,
            seconds=round(call.seconds, 3),
        )
        for call in done.calls[:CALLS_TOLD]
    )
