"""``jam attest``: reads the arguments, prints the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.app.requests import AttestRequest, KeygenRequest
from bot.cli import options, talk

app = options.command("attest")


@app.callback()
def attest() -> None:
    """What a stranger can know of a change: a statement, the ledger under it, the evidence."""


@app.command()
def verify(  # noqa: PLR0913  one parameter is one option
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A statement in its envelope.")
    ] = None,
    repo: Annotated[
        Path | None,
        typer.Option("--repo", metavar="DIR", help="A repository that has the commit."),
    ] = None,
    commit: Annotated[
        str,
        typer.Option(
            "--commit", metavar="SHA", help="Instead of FILE: what the repository has on it."
        ),
    ] = "",
    key: Annotated[
        Path | None, typer.Option("--key", metavar="PUB", help="Whose signature is wanted.")
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option("--ledger", metavar="FILE", help="Default: ledger.jsonl beside FILE."),
    ] = None,
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", metavar="DIR", help="Default: evidence beside FILE."),
    ] = None,
    json: options.Json = False,
) -> int:
    """Check a statement against its signature, its ledger, its evidence and its commit."""
    request = AttestRequest(
        file=file, repo=repo, commit=commit, key=key, ledger=ledger, evidence=evidence
    )
    return talk.tell(talk.engine_of(context).attest_verify(request), as_json=json)


@app.command()
def keygen(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new private key.")],
    json: options.Json = False,
) -> int:
    """Make a key for JAM_SIGNING_KEY, and its public half beside it."""
    answer = talk.engine_of(context).attest_keygen(KeygenRequest(file=file))
    return talk.tell(answer, as_json=json)
