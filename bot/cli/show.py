"""``jam show``: reads the arguments, prints the answer."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.app.requests import ShowRequest
from bot.cli import options, talk

app = options.command("show")


@app.command()
def show(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="As `jam sessions` names it.")],
    state: options.State = None,
    json: options.Json = False,
) -> int:
    """Tell the story of one session, from its ledger."""
    answer = talk.engine_of(context).show(ShowRequest(session=session, state=state))
    return talk.tell(answer, as_json=json)
