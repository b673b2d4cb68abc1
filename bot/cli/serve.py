"""``jam serve``: reads the arguments, and serves until it is told to end."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.app.requests import LogKind, ServeRequest
from bot.cli import options, talk

app = options.command("serve")


@app.command()
def serve(  # noqa: PLR0913  one parameter is one option
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")
    ] = 8321,
    state: options.State = None,
    sessions: Annotated[
        int,
        typer.Option("--sessions", min=0, help="At a time, in each process. 0: none in this one."),
    ] = 2,
    per_repository: Annotated[
        int, typer.Option("--per-repository", min=1, help="At a time, of one repository.")
    ] = 1,
    in_all: Annotated[
        int, typer.Option("--in-all", min=0, help="At a time, of everything. 0: no limit.")
    ] = 0,
    agent: Annotated[
        str, typer.Option("--agent", metavar="NAME[:ARG]", help="Instead of the contracts'.")
    ] = "",
    allow_no_sandbox: Annotated[
        bool,
        typer.Option("--allow-no-sandbox", help="Obey contracts that want none. Not for forks."),
    ] = False,
    log: options.Log = LogKind.TEXT,
    register: Annotated[
        bool, typer.Option("--register", help="Show the page on which the App is made.")
    ] = False,
) -> int:
    """Receive GitHub's webhooks and work on what they ask for.

    The App's number, key and secret are read from the environment (JAM_APP_ID,
    JAM_PRIVATE_KEY_FILE, JAM_WEBHOOK_SECRET).
    """
    request = ServeRequest(
        host=host,
        port=port,
        state=state,
        sessions=sessions,
        per_repository=per_repository,
        in_all=in_all,
        agent=agent,
        allow_no_sandbox=allow_no_sandbox,
        log=log,
        register=register,
    )
    return talk.engine_of(context).serve(request, say=talk.log)
