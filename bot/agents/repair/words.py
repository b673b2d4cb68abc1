"""
What the agent says: one line of progress, and its last words of a turn.

It found something by trying; it understood nothing. The words say so, every time.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.agents.repair.heard import Heard, Plausible
from bot.ports import Suspect

SHOWN = 6
CAVEAT = (
    "This change was found by search: small edits near the lines that the failing tests run were "
    "tried one after another until all tests passed. No one, and no model, has understood why it "
    "is right; read it as you would read a stranger's first patch."
)


def progress(heard: Heard) -> str:
    best = heard.suspects[0] if heard.suspects else None
    parts = []
    if heard.progress is not None:
        parts.append(f"{heard.progress.tried:,} of {heard.candidates:,} changes tried")
        parts.append(f"{heard.progress.plausible} pass")
    elif heard.observing is not None:
        count = heard.observing
        parts.append(f"watching {count.failing} failing and {count.passing} passing tests")
    if best is not None:
        parts.append(f"most suspicious {best.path}:{best.line} ({best.score:.2f})")
    if heard.progress is not None:
        parts.append(f"{heard.progress.seconds:.0f} s")
    return "repair: " + ", ".join(parts)


def found(put: Plausible, others: Sequence[Plausible], heard: Heard) -> str:
    said = [
        f"{put.path}, line {put.line}:",
        _change(put),
        CAVEAT,
        f"{heard.tried:,} changes were tried; {_count(len(heard.plausible))} passed all tests.",
    ]
    if others:
        said += [_runner_up(put, others[0], heard), _change(others[0])]
    return "\n\n".join(said)


def next_one(put: Plausible, *, left: int) -> str:
    return "\n\n".join(
        (
            f"The change before was refused. The next that the same search found, in {put.path}, "
            f"line {put.line}:",
            _change(put),
            CAVEAT,
            f"{_count(left)} more left to try.",
        )
    )


def nothing(heard: Heard, *, why: str) -> str:
    said = [why]
    if heard.tried:
        said.append(f"{heard.tried:,} changes were tried and none passed all tests.")
    if heard.suspects:
        said.append("The most suspicious lines, with their scores:\n" + suspects(heard.suspects))
    return "\n\n".join(said)


def refused(*, tried: int) -> str:
    return (
        f"All that the search found was refused by the oracle ({_count(tried)}), so the checkout "
        "is as it was."
    )


def suspects(lines: Sequence[Suspect]) -> str:
    return "\n".join(
        f"{one.score:.2f}  {one.path}:{one.line}  {one.text}".rstrip() for one in lines[:SHOWN]
    )


def _change(change: Plausible) -> str:
    before = (f"    - {line.rstrip()}" for line in change.before.splitlines())
    after = (f"    + {line.rstrip()}" for line in change.after.splitlines())
    return "\n".join((*before, *after))


def _runner_up(put: Plausible, other: Plausible, heard: Heard) -> str:
    if heard.behaviour.get(put.digest) == heard.behaviour.get(other.digest):
        return "The runner-up behaved the same on inputs near those of the tests:"
    return (
        "The runner-up passes the same tests but behaves differently on inputs near theirs, so the "
        "tests do not tell which is right:"
    )


def _count(number: int) -> str:
    return "one" if number == 1 else f"{number:,}"
