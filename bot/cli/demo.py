"""``jam demo``: reads the arguments, prints the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.app.requests import DemoRequest
from bot.cli import options, talk

app = options.command("demo")

INTO = Path(".demo")


@app.command()
def demo(  # noqa: PLR0913  one parameter is one option
    context: typer.Context,
    into: Annotated[
        Path, typer.Option("--into", metavar="DIR", help="Where the example is laid out.")
    ] = INTO,
    agent: Annotated[
        str, typer.Option("--agent", metavar="NAME[:ARG]", help="Who mends it.")
    ] = "repair",
    sandbox: options.Sandbox = None,
    local: Annotated[
        bool, typer.Option("--local", help="Without a forge: `jam fix`, and what it prints.")
    ] = False,
    flaky: Annotated[
        bool, typer.Option("--flaky", help="Find and mend the flaky tests of another project.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Keep the pages up until Ctrl-C.")] = False,
    json: options.Json = False,
) -> int:
    """Mend a bundled example, offline and without a key.

    A small project with a real bug is put on a small GitHub of its own, on this machine; a person
    labels an issue, jam mends it, and another asks for the change to be judged again. With --flaky
    the project has flaky tests, which are found, proven, explained, mended and proven again.
    """
    request = DemoRequest(
        into=into, agent=agent, sandbox=sandbox, local=local, flaky=flaky, wait=wait
    )
    with talk.stoppable() as stop, talk.progress() as say:
        answer = talk.engine_of(context).demo(request, say=say, stop=stop)
    return talk.tell(answer, as_json=json)
