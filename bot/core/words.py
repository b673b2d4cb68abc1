"""Small things of English: how many of what."""

from __future__ import annotations


def many_of(count: int, noun: str) -> str:
    """``1 file``, ``2 files``, ``0 files``; large counts with commas."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def sentence(text: str) -> str:
    """Begins with a capital letter and ends with one stop."""
    tidy = text.strip().rstrip(".")
    return f"{tidy[:1].upper()}{tidy[1:]}." if tidy else ""
