"""``jam locate``: reads the arguments, prints the answer."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.app.requests import LocateRequest
from bot.cli import options, talk

app = options.command("locate")


@app.command()
def locate(  # noqa: PLR0913  one parameter is one option
    context: typer.Context,
    repo: options.Repo,
    config: options.Config = None,
    oracle: options.OracleName = "",
    target: options.Targets = None,
    base: options.Base = "HEAD",
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="N", help="How many lines are told.")
    ] = 10,
    state: options.State = None,
    sandbox: options.Sandbox = None,
    json: options.Json = False,
) -> int:
    """Name the lines that the failing tests run and the passing ones do not, worst first."""
    request = LocateRequest(
        repo=repo,
        config=config,
        oracle=oracle,
        targets=tuple(target or ()),
        base=base,
        limit=limit,
        state=state,
        sandbox=sandbox,
    )
    with talk.stoppable() as stop, talk.progress() as say:
        answer = talk.engine_of(context).locate(request, say=say, stop=stop)
    return talk.tell(answer, as_json=json)
