"""``jam action``: lets the runner's job be done, and ends its step."""

from __future__ import annotations

import signal

import typer

from bot.cli import options, talk

app = options.command("action")


@app.command()
def action(context: typer.Context) -> int:
    """Do one job of a GitHub workflow. Everything is read from the runner's environment."""
    # A job that is cancelled is interrupted, and soon after that terminated: both may be orderly.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return talk.engine_of(context).action(say=talk.log, shout=talk.shout)
