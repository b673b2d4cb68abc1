"""``jam verify``: reads the arguments, prints the answer."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.app.requests import VerifyRequest
from bot.cli import options, talk

app = options.command("verify")


@app.command()
def verify(  # noqa: PLR0913  one parameter is one option
    context: typer.Context,
    repo: options.Repo,
    base: Annotated[str, typer.Option("--base", metavar="REF", help="Before the change.")],
    head: Annotated[str, typer.Option("--head", metavar="REF", help="After the change.")],
    target: options.Targets = None,
    config: options.Config = None,
    oracle: options.OracleName = "",
    state: options.State = None,
    sandbox: options.Sandbox = None,
    json: options.Json = False,
) -> int:
    """Judge a change that somebody else made.

    Without targets, they are the head's tests that are red on the base and green at the head.
    """
    request = VerifyRequest(
        repo=repo,
        base=base,
        head=head,
        targets=tuple(target or ()),
        config=config,
        oracle=oracle,
        state=state,
        sandbox=sandbox,
    )
    with talk.stoppable() as stop, talk.progress() as say:
        answer = talk.engine_of(context).verify(request, say=say, stop=stop)
    return talk.tell(answer, as_json=json)
