"""``jam fix``: reads the arguments, prints the answer. What a session does is the engine's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.app.requests import FixRequest
from bot.cli import options, talk

app = options.command("fix")


@app.command()
def fix(  # noqa: PLR0913  one parameter is one option
    context: typer.Context,
    repo: options.Repo,
    issue: Annotated[
        Path,
        typer.Option("--issue", metavar="FILE", help="What is wanted; - is standard input."),
    ],
    config: options.Config = None,
    oracle: options.OracleName = "",
    target: options.Targets = None,
    release: options.Released = None,
    base: options.Base = "HEAD",
    agent: Annotated[
        str,
        typer.Option(
            "--agent",
            metavar="NAME[:ARG]",
            help="anthropic, repair, command:CMD or scripted:FILE. Default: the contract's.",
        ),
    ] = "",
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="Default: made from the issue.")
    ] = "",
    state: options.State = None,
    sandbox: options.Sandbox = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Judge and tell, but leave no branch.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Let an agent change a checkout until the repository's own tests agree.

    Ends with a branch that holds the change and a pull request body on standard output; exit code
    0 only if the change was proven.
    """
    request = FixRequest(
        repo=repo,
        issue=None if str(issue) == "-" else issue,
        config=config,
        oracle=oracle,
        targets=tuple(target or ()),
        release=tuple(release or ()),
        base=base,
        agent=agent,
        branch=branch,
        state=state,
        sandbox=sandbox,
        dry_run=dry_run,
    )
    with talk.stoppable() as stop, talk.progress() as say:
        answer = talk.engine_of(context).fix(request, say=say, stop=stop)
    return talk.tell(answer, as_json=json)
