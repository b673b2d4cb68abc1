"""``jam checkpoints``: reads the arguments, prints the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from bot.app.requests import CheckpointsAction, CheckpointsRequest
from bot.cli import options, talk

app = options.command("checkpoints")

HERE = Path()
Session: TypeAlias = Annotated[str, typer.Argument(help="As `jam sessions` names it.")]
Number: TypeAlias = Annotated[
    int | None, typer.Argument(min=0, metavar="[N]", help="Which one. Default: the last.")
]
Repo: TypeAlias = Annotated[
    Path, typer.Option("--repo", metavar="DIR", help="The repository that keeps them.")
]


@app.callback()
def checkpoints() -> None:
    """What an agent's tree was after each turn, kept under refs/jam/checkpoints."""


@app.command("list")
def list_them(
    context: typer.Context, session: Session, repo: Repo = HERE, json: options.Json = False
) -> int:
    """List a session's checkpoints."""
    return _ask(context, CheckpointsAction.LIST, session, repo=repo, json=json)


@app.command("diff")
def diff(
    context: typer.Context,
    session: Session,
    number: Number = None,
    repo: Repo = HERE,
    json: options.Json = False,
) -> int:
    """Show what a checkpoint changed since the session's base."""
    return _ask(context, CheckpointsAction.DIFF, session, number=number, repo=repo, json=json)


@app.command("restore")
def restore(
    context: typer.Context,
    session: Session,
    number: Number = None,
    repo: Repo = HERE,
    json: options.Json = False,
) -> int:
    """Bring a checkpoint back, without touching what is checked out."""
    return _ask(context, CheckpointsAction.RESTORE, session, number=number, repo=repo, json=json)


@app.command("prune")
def prune(
    context: typer.Context,
    session: Session,
    number: Annotated[
        int | None, typer.Argument(min=0, metavar="[N]", help="Which one. Default: all.")
    ] = None,
    repo: Repo = HERE,
    json: options.Json = False,
) -> int:
    """Forget a session's checkpoints."""
    return _ask(context, CheckpointsAction.PRUNE, session, number=number, repo=repo, json=json)


def _ask(
    context: typer.Context,
    action: CheckpointsAction,
    session: str,
    *,
    repo: Path,
    json: bool,
    number: int | None = None,
) -> int:
    request = CheckpointsRequest(action=action, session=session, repo=repo, number=number)
    return talk.tell(talk.engine_of(context).checkpoints(request), as_json=json)
