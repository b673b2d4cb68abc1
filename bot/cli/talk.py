"""
How a command talks: the answer on standard output, progress on standard error, and what a signal
means. It prints what others have rendered and makes up no words about a session.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING

import typer

from bot.app.requests import Answer, Engine
from bot.cli import discreet

if TYPE_CHECKING:  # what a line of progress goes to; nothing of it is needed to tell one
    from bot.ports import Say

# What a terminal would obey instead of show; new lines and tabs are kept.
CONTROLS = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)])


def engine_of(context: typer.Context) -> Engine:
    load = context.obj
    engine: Engine = load()
    return engine


def tell(answer: Answer, *, as_json: bool) -> int:
    """Prints one of the answer's two forms, and hands on its exit code."""
    if as_json:
        print(json.dumps(answer.document, indent=2))
    elif answer.text:
        print(_shown(answer.text), end="" if answer.text.endswith("\n") else "\n")
    return answer.exit_code


def _shown(text: str) -> str:
    # A patch in a pipe is wanted byte for byte; on a terminal it must not be obeyed.
    return text.translate(CONTROLS) if sys.stdout.isatty() else text


@contextmanager
def progress() -> Iterator[Say]:
    """Lines of progress, with a spinner where somebody watches."""
    if not sys.stderr.isatty():
        yield lambda line: print(line, file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    with console.status("") as status:

        def say(line: str) -> None:
            text = Text(line.translate(CONTROLS))
            console.print(text)
            status.update(text)

        yield say


def log(line: str) -> None:
    """One line of a program that runs for long, which no log on a full disk shall end."""
    with suppress(OSError):
        print(line.translate(CONTROLS), file=sys.stderr, flush=True)


def shout(line: str) -> None:
    """A word of jam's to whoever reads standard output as commands: a secret to be masked, also."""
    print(line, file=discreet.bare(sys.stdout), flush=True)


@contextmanager
def stoppable() -> Iterator[Event]:
    """Set by the first interrupt or termination: the session is then judged and told as it stands.
    The second one is an ordinary KeyboardInterrupt."""
    stop = Event()

    def asked(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        # Not print: the signal may have come in the middle of one.
        os.write(2, b"jam: stopping; once more to leave at once.\n")

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
