"""
What a person should look at first in a change, in sentences: what tests cannot answer for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.core.session import Session
from bot.core.words import many_of


def first_looks(session: Session, *, needs_surface: bool, max_files: int) -> Iterator[str]:
    """``needs_surface``: the change is green only together with what the tests mean."""
    candidate = session.candidate
    if candidate is None:
        return
    released = session.opened.released if session.opened else ()
    if released:
        yield (
            f"Not held against this change, because whoever asked released it: "
            f"{', '.join(released[:10])}{_more(released, 10)}."
        )
    if needs_surface:
        yield f"It changes what the tests mean: {', '.join(candidate.surface)}."
    elif candidate.surface:
        yield f"Changes to the oracle's surface were set back: {', '.join(candidate.surface[:10])}."
    if candidate.restored_count:
        yield (
            f"The agent changed {many_of(candidate.restored_count, 'frozen file')}, set back here: "
            f"{', '.join(candidate.restored[:10])}."
        )
    if session.head and session.head.left_out:
        left = [f"{path} ({why})" for path, why in session.head.left_out]
        yield f"Not kept of what the agent wrote: {', '.join(left[:10])}{_more(left, 10)}."
    if session.head and session.head.changed > max_files:
        yield f"It changes {session.head.changed} files, more than {max_files}."


def _more(names: Sequence[str], shown: int) -> str:
    return f", and {len(names) - shown} more" if len(names) > shown else ""
