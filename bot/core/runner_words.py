"""
What is said to GitHub's runner, in the runner's own spelling: outputs, summary, masks, and the
words between which it listens to nothing.

The runner reads commands in everything that a step prints, also in the middle of a line, so what
others wrote is printed only while it does not listen. Which values there are is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.core.visible import bound

SUMMARY_BYTES = 1_000_000
"""The runner drops a summary of more than 1 MiB whole."""
OUTPUT_CHARACTERS = 60_000
SHORTEST_SECRET = 8


def outputs(values: Mapping[str, str], *, nonce: str) -> str:
    """For the file behind GITHUB_OUTPUT. ``nonce`` is of this write alone, so that no value can
    end itself and begin another."""
    mark = f"jam-{nonce}"
    return "".join(
        f"{name}<<{mark}\n{bound(_without(value, mark), OUTPUT_CHARACTERS)}\n{mark}\n"
        for name, value in values.items()
    )


def _without(value: str, mark: str) -> str:
    return value.replace(mark, "")


def summary(text: str) -> str:
    """Not a byte too long, and the cut is told."""
    whole = text.encode()
    if len(whole) <= SUMMARY_BYTES:
        return f"{text.rstrip()}\n"
    kept = whole[:SUMMARY_BYTES].decode(errors="ignore")
    return f"{kept.rstrip()}\n\n*Cut here: the rest is in the artifact.*\n"


def masks(secrets: Iterable[str]) -> tuple[str, ...]:
    """The runner puts stars in their place wherever it shows anything. It takes one line each."""
    lines = {line for one in secrets for line in one.splitlines() if len(line) >= SHORTEST_SECRET}
    return tuple(f"::add-mask::{line.replace('%', '%25')}" for line in sorted(lines))


def deaf(nonce: str) -> str:
    """From here on the runner obeys nothing that is printed."""
    return f"::stop-commands::{nonce}"
