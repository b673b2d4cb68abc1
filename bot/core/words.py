"""Small things of English: how many of what."""

from __future__ import annotations


def many_of(count: int, noun: str) -> str:
    """``1 file``, ``2 files``, ``0 files``; large counts with commas."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def agent_named(spoken: str) -> str:
    """As people call it: what follows the colon may be a place on somebody's machine."""
    name, _, argument = spoken.partition(":")
    if name != "command" or not argument.strip():
        return name
    return f"{name}:{argument.split()[0].rpartition('/')[2]}"


def sentence(text: str) -> str:
    """Begins with a capital letter and ends with one stop."""
    tidy = text.strip().rstrip(".")
    return f"{tidy[:1].upper()}{tidy[1:]}." if tidy else ""
