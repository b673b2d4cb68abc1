"""``jam ledger``: reads the arguments, prints the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.app.requests import LedgerCheckRequest
from bot.cli import options, talk

app = options.command("ledger")


@app.callback()
def ledger() -> None:
    """What a session knows, sealed entry by entry."""


@app.command()
def check(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A ledger, in JSON lines.")],
    json: options.Json = False,
) -> int:
    """Check a ledger's seals and invariants."""
    answer = talk.engine_of(context).ledger_check(LedgerCheckRequest(file=file))
    return talk.tell(answer, as_json=json)
