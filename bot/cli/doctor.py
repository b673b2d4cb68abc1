"""``jam doctor``: reads the arguments, prints the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.app.requests import DoctorRequest
from bot.cli import options, talk

app = options.command("doctor")


@app.command()
def doctor(
    context: typer.Context,
    repo: Annotated[
        Path | None,
        typer.Option("--repo", metavar="DIR", help="Look at this checkout and its contract too."),
    ] = None,
    github_app: Annotated[
        bool, typer.Option("--app", help="Ask GitHub about the App as well.")
    ] = False,
    state: options.State = None,
    json: options.Json = False,
) -> int:
    """Say what works here, by trying it, and what to do about the rest."""
    with talk.progress() as say:
        answer = talk.engine_of(context).doctor(
            DoctorRequest(repo=repo, state=state, app=github_app), say=say
        )
    return talk.tell(answer, as_json=json)
