"""``jam sessions``: reads the arguments, prints the answer."""

from __future__ import annotations

import typer

from bot.app.requests import SessionsRequest
from bot.cli import options, talk

app = options.command("sessions")


@app.command()
def sessions(
    context: typer.Context, state: options.State = None, json: options.Json = False
) -> int:
    """List the sessions of the state folder, newest first."""
    answer = talk.engine_of(context).sessions(SessionsRequest(state=state))
    return talk.tell(answer, as_json=json)
