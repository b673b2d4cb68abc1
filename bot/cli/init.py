"""``jam init``: reads the arguments, prints the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli import options, talk

app = options.command("init")

HERE = Path()


@app.command()
def init(
    repo: Annotated[
        Path, typer.Option("--repo", metavar="DIR", help="The checkout that is looked at.")
    ] = HERE,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.")
    ] = False,
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the file; write nothing.")
    ] = False,
    workflows: Annotated[
        bool, typer.Option("--workflows", help="Write the workflows of the Action as well.")
    ] = False,
    action: Annotated[
        str,
        typer.Option(
            "--action", metavar="OWNER/NAME@COMMIT", help="Which jam they run, by its whole commit."
        ),
    ] = "",
    json: options.Json = False,
) -> int:
    """Write .github/jam.yml by looking at the repository. Nothing is run."""
    from bot.app import init as use_case

    request = use_case.InitRequest(
        repo=repo, force=force, only_print=only_print, workflows=workflows, action=action
    )
    return talk.tell(use_case.init(request), as_json=json)
