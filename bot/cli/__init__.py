"""
The command line's front door. Decides which command is meant, from a table that can be seen.

It knows no command and imports nothing heavy: help, the version and a mistyped command are
answered from the table; a command's module is imported when the command is called.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bot import __version__

#: name -> the module that holds its Typer app, and what it does in one line
COMMANDS: dict[str, tuple[str, str]] = {
    "fix": (
        "bot.cli.fix",
        "Let an agent change a checkout until the repository's own tests agree.",
    ),
    "verify": ("bot.cli.verify", "Judge a change that somebody else made."),
    "locate": ("bot.cli.locate", "Name the lines that the failing tests point at."),
    "flaky": ("bot.cli.flaky", "Find flaky tests, prove that they are, and say why."),
    "resume": ("bot.cli.resume", "Go on with a session that was interrupted."),
    "show": ("bot.cli.show", "Tell the story of one session, from its ledger."),
    "sessions": ("bot.cli.sessions", "List the sessions of the state folder."),
    "checkpoints": (
        "bot.cli.checkpoints",
        "List, compare, restore or prune an agent's checkpoints.",
    ),
    "ledger": ("bot.cli.ledger", "Check a ledger's seals and invariants."),
    "attest": ("bot.cli.attest", "Check a statement on a change, or make a key to sign with."),
    "init": ("bot.cli.init", "Write .github/jam.yml by looking at the repository."),
    "schema": ("bot.cli.schema", "Print the JSON schema of .github/jam.yml."),
    "doctor": ("bot.cli.doctor", "Say what works here, and what to do about the rest."),
    "minihub": ("bot.cli.minihub", "Run a small GitHub on this machine, for trials."),
    "serve": ("bot.cli.serve", "Be a GitHub App: webhooks, queue, sessions and pages."),
    "work": ("bot.cli.work", "Take sessions off the queue of a `jam serve` elsewhere."),
    "action": ("bot.cli.action", "Do one job of a GitHub workflow."),
    "demo": ("bot.cli.demo", "Mend a bundled example, offline and without a key."),
}

USAGE = 2  # the exit code of a request that cannot be carried out as it was made


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    match words[:1]:
        case [] | ["--help" | "-h" | "help"]:
            return _tell(overview())
        case ["--version" | "-V"]:
            return _tell(f"jam {__version__}")
        case [name] if name not in COMMANDS:
            return _unknown(name)
    from bot.cli import edge

    module, _ = COMMANDS[words[0]]
    return edge.run(words[0], words[1:], module=module)


def overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(
        [
            "Usage: jam COMMAND [OPTIONS]",
            "",
            "An agent changes a checkout, its own tests decide, jam shows the evidence.",
            "",
            "Commands:",
            *lines,
            "",
            "`jam COMMAND --help` tells the rest. `jam --version` tells the version.",
        ]
    )


def _tell(text: str) -> int:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        from bot.cli import edge

        return edge.hang_up()
    return 0


def _unknown(name: str) -> int:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
    hint = f"did you mean `jam {near[0]}`?" if near else "`jam --help` lists the commands."
    print(f"jam: {name!r} is not a command; {hint}", file=sys.stderr)
    return USAGE
