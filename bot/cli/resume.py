"""``jam resume``: reads the arguments, prints the answer."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.app.requests import ResumeRequest
from bot.cli import options, talk

app = options.command("resume")


@app.command()
def resume(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="As `jam sessions` names it.")],
    state: options.State = None,
    json: options.Json = False,
) -> int:
    """Go on with a session that was interrupted, as if it had not been."""
    request = ResumeRequest(session=session, state=state)
    with talk.stoppable() as stop, talk.progress() as say:
        answer = talk.engine_of(context).resume(request, say=say, stop=stop)
    return talk.tell(answer, as_json=json)
