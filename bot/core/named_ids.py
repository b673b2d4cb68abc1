"""
Ids of tests as people name them: split, counted and held to what an argument may be.

An id goes to a test runner as one argument and never through a shell. It is still refused when it
could be read as an option, leave the checkout, hide something, or means anything only to a shell.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core import fence
from bot.core.visible import see

MANY = 50
LONG = 500


@dataclass(frozen=True, slots=True)
class Unfit:
    """``why`` is a sentence without its stop; what was written stands in it fenced."""

    why: str


def read(value: str) -> tuple[str, ...] | Unfit:
    """Ids between commas. A comma in brackets, ``test_a[1,2]``, belongs to its id."""
    parts = _split(value)
    if parts is None:
        return Unfit("the brackets of a test id do not close")
    ids = tuple(dict.fromkeys(parts))
    if not all(ids) or not ids:
        return Unfit("a test id is missing between the commas")
    if len(ids) > MANY:
        return Unfit(f"{len(ids)} test ids are more than {MANY}")
    faults = [
        f"{fence.code(name, limit=80)} {fault}" for name in ids for fault in [_fault(name)] if fault
    ]
    return Unfit(faults[0]) if faults else ids


def _fault(name: str) -> str:
    if len(name) > LONG:
        return f"is longer than {LONG} characters"
    if see(name).text != name or "\n" in name or "\t" in name:
        return "holds characters that cannot be seen"
    if name.startswith(("-", "/")) or ".." in name.split("::")[0].split("/"):
        return "is no test id: it begins like an option or leaves the checkout"
    if "`" in name or "$(" in name:
        return "holds what only a shell would read"
    return ""


def _split(value: str) -> tuple[str, ...] | None:
    parts, depth = [""], 0
    for letter in value:
        depth += (letter == "[") - (letter == "]")
        if depth < 0:
            return None
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return None if depth else tuple(part.strip() for part in parts)
