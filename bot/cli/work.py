"""``jam work``: reads the arguments, and works until it is told to end."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.app.requests import LogKind, ServeRequest
from bot.cli import options, talk

app = options.command("work")


@app.command()
def work(
    context: typer.Context,
    state: options.State = None,
    sessions: Annotated[
        int,
        typer.Option("--sessions", min=0, help="At a time, in each process. 0: as it was set."),
    ] = 0,
    agent: Annotated[
        str, typer.Option("--agent", metavar="NAME[:ARG]", help="Instead of the contracts'.")
    ] = "",
    allow_no_sandbox: Annotated[
        bool,
        typer.Option("--allow-no-sandbox", help="Obey contracts that want none. Not for forks."),
    ] = False,
    log: options.Log = LogKind.TEXT,
) -> int:
    """Work on sessions beside a `jam serve`, on this machine or another.

    Both share a PostgreSQL database (JAM_DATABASE_URL). The limits are the same for all processes:
    what was said last, here or by `jam serve`.
    """
    request = ServeRequest(
        state=state,
        sessions=sessions,
        agent=agent,
        allow_no_sandbox=allow_no_sandbox,
        log=log,
    )
    return talk.engine_of(context).work(request, say=talk.log)
