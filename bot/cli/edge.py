"""
Where a command is called and where errors are met. The only ``except JamError`` of the command
line: what happened becomes one clear sentence on standard error and the exit code of the table of
ends. It knows no command; what is printed on success is ``bot.cli.talk``'s.
"""

from __future__ import annotations

import json
import os
import select
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper

import typer
from typer.main import get_command

from bot.app.requests import Engine
from bot.cli.talk import CONTROLS
from bot.errors import JamError, SpecError

BUG = 70
HUNG_UP = 141  # 128 + SIGPIPE: what a shell says of a command whose reader went away
INTERRUPTED = 130


def engine() -> Engine:
    """The real one. Imported only when a command asks for it, so that help stays fast."""
    from bot import wiring
    from bot.cli import discreet

    discreet.cover(wiring.secrecy.redactor().told)
    return wiring


def run(
    name: str, words: Sequence[str], *, module: str, load: Callable[[], Engine] = engine
) -> int:
    """``module`` holds the command's Typer app."""
    _stand_in_for_closed_streams()
    _spell_out_what_cannot_be_written()
    try:
        code = _call(name, words, module=module, load=load)
        sys.stdout.flush()
    except JamError as refused:
        return _refuse(refused, as_json="--json" in words)
    except typer.TyperException as misused:
        where = getattr(getattr(misused, "ctx", None), "command_path", f"jam {name}")
        _complain(f"{_sentence(misused)} `{where} --help` tells how it is used.")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        _complain("interrupted.")
        return INTERRUPTED
    except SystemExit:  # what Rich makes of a reader that went away; nobody else leaves like this
        return hang_up()
    except Exception as bug:  # noqa: BLE001  whatever is left is a bug, and keeps its traceback
        if isinstance(bug, BrokenPipeError) and _is_unread():
            return hang_up()
        traceback.print_exc()
        _complain(f"this is a bug in jam ({type(bug).__name__}); the lines above say where.")
        return BUG
    return code


def _stand_in_for_closed_streams() -> None:
    """A file that is opened later must not become standard output, and be written all over."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The lowest number that is free, which is the stream's own.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _spell_out_what_cannot_be_written() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _call(name: str, words: Sequence[str], *, module: str, load: Callable[[], Engine]) -> int:
    """Without Typer's own ``main``, which takes every interrupt and broken pipe for its own."""
    command = get_command(import_module(module).app)
    try:
        with command.make_context(f"jam {name}", list(words), obj=load) as context:
            told = command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    return told if isinstance(told, int) else 0


def _sentence(misused: typer.TyperException) -> str:
    message = misused.format_message().replace("Value error, ", "")
    return message if message.endswith((".", "?", ")")) else f"{message}."


def _refuse(refused: JamError, *, as_json: bool) -> int:
    code = refused.code if isinstance(refused, SpecError) else ""
    if as_json:
        document = {"exit_code": refused.exit_code, "error": code, "message": str(refused)}
        print(json.dumps(document, indent=2))
    _complain(f"{refused} [{code}]" if code else str(refused))
    return refused.exit_code


def _complain(sentence: str) -> None:
    # It may quote what a test printed: no terminal shall obey that.
    print(f"jam: {sentence}".translate(CONTROLS), file=sys.stderr)


def _is_unread() -> bool:
    """Whether it is standard output that nobody reads, and not some pipe of the engine's."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return bool(poll.poll(0))


def hang_up() -> int:
    """Nobody reads standard output any more. Quiet, and so is the interpreter's last flush."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return HUNG_UP
