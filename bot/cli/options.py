"""The options that several commands share, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from bot.app.requests import LogKind
from bot.core.sandbox_kind import SandboxKind


def command(name: str) -> typer.Typer:
    """A Typer app that leaves errors to ``bot.cli.edge`` and completion to the shell."""
    return typer.Typer(name=name, add_completion=False, pretty_exceptions_enable=False)


Repo: TypeAlias = Annotated[
    Path, typer.Option("--repo", metavar="DIR", help="The checkout; it is never changed.")
]
Config: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="The contract. Default: .github/jam.yml of the base."
    ),
]
OracleName: TypeAlias = Annotated[
    str,
    typer.Option("--oracle", metavar="NAME", help="Which oracle judges. Default: the first one."),
]
Targets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--target", metavar="ID", help="A test that must become green; may be given again."
    ),
]
Released: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--release", metavar="ID", help="A test that pins the bug and need not pass."),
]
Base: TypeAlias = Annotated[
    str, typer.Option("--base", metavar="REF", help="The commit to start from.")
]
Port: TypeAlias = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")
]
State: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--state", metavar="DIR", help="Where sessions live. Default: the user's state folder."
    ),
]
Sandbox: TypeAlias = Annotated[
    SandboxKind | None,
    typer.Option("--sandbox", help="Where commands run. Default: what the contract says."),
]
Log: TypeAlias = Annotated[
    LogKind, typer.Option("--log", help="Lines for people, or one JSON object each.")
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output.")
]
