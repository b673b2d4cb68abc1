"""``jam minihub``: starts one, peoples it with an example, and waits until it is interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli import options

app = options.command("minihub")


@app.command()
def minihub(
    port: options.Port = 0,
    state: Annotated[
        Path | None,
        typer.Option("--state", metavar="DIR", help="Where the git repositories are kept."),
    ] = None,
    repo: Annotated[
        list[str] | None,
        typer.Option("--repo", metavar="OWNER/NAME=DIR", help="Serve this git repository."),
    ] = None,
    faults: Annotated[
        Path | None, typer.Option("--faults", metavar="FILE", help="A plan of faults, in YAML.")
    ] = None,
    hook: Annotated[str, typer.Option("--hook", help="Where the App's webhooks go.")] = "",
    secret: Annotated[str, typer.Option("--secret", help="What they are signed with.")] = "",
) -> int:
    """Run a small GitHub on this machine, for trials. Nothing leaves it."""
    from bot.minihub import trial

    request = trial.Trial(
        port=port,
        state=state,
        repos=tuple(repo or ()),
        faults=faults,
        hook_url=hook,
        hook_secret=secret,
    )
    with trial.begin(request) as running:
        for line in running.lines:
            print(line, flush=True)
        trial.wait_for_interrupt()
    return 0
