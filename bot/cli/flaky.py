"""``jam flaky``: reads the arguments, prints the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.app.requests import FlakyRequest
from bot.cli import options, talk

app = options.command("flaky")

Agent = Annotated[
    str, typer.Option("--agent", metavar="NAME[:ARG]", help="Who mends. Default: the contract's.")
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow", metavar="RULE", help="Lift a rule for tests (sleep, seed …); told as such."
    ),
]
Page = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE", help="Where the page goes. Default: the state folder."
    ),
]
Network = Annotated[
    bool, typer.Option("--network", help="Let tests that fail without network run once with it.")
]
Found = Annotated[
    Path | None,
    typer.Option("--found", metavar="FILE", help="What an earlier --json told; no search is made."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Judge mends and tell, leave no branch.")]


@app.command()
def flaky(  # noqa: PLR0913  one parameter is one option
    context: typer.Context,
    repo: options.Repo,
    config: options.Config = None,
    oracle: options.OracleName = "",
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget", min=0.1, metavar="MINUTES", help="How long. Default: the contract's."
        ),
    ] = None,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="ID", help="Look at this one first; may be given again."),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option("--history", metavar="DIR", help="JUnit files of earlier runs in CI."),
    ] = None,
    found: Found = None,
    report: Page = None,
    network: Network = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what was found, and prove that it is mended.")
    ] = False,
    agent: Agent = "",
    allow: Allow = None,
    dry_run: DryRun = False,
    base: options.Base = "HEAD",
    state: options.State = None,
    sandbox: options.Sandbox = None,
    json: options.Json = False,
) -> int:
    """Find flaky tests, prove that they are, and say why and under what they fail.

    Ends with 0 when none was found, 1 when some were, 3 when none was proven and not all could be
    judged: there was no baseline, or the time ended before every test that wavered had an answer.
    """
    request = FlakyRequest(
        repo=repo,
        config=config,
        oracle=oracle,
        base=base,
        minutes=budget,
        fix=fix,
        agent=agent,
        allow=tuple(allow or ()),
        dry_run=dry_run,
        tests=tuple(test or ()),
        history=history,
        found=found,
        report=report,
        network=network,
        state=state,
        sandbox=sandbox,
    )
    with talk.stoppable() as stop, talk.progress() as say:
        answer = talk.engine_of(context).flaky(request, say=say, stop=stop)
    return talk.tell(answer, as_json=json)
