"""
What a job says of itself: its summary, its outputs, and whether its step is red.

The summary is the evidence itself, as in the pull request; foreign text in it was fenced where it
was rendered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bot.core import fence, pr_body
from bot.core.ledger import Sealed

FLAKY_TOLD = 200_000

#: fail-on -> the exit codes that leave the step green
FORGIVEN: dict[str, frozenset[int]] = {
    "error": frozenset({0, 1, 2, 3, 4, 75}),
    "failed": frozenset({0, 3, 4, 75}),
    "unverified": frozenset({0}),
}


def step_code(exit_code: int, *, fail_on: str) -> int:
    """The step's own exit code."""
    if fail_on == "never" or exit_code in FORGIVEN[fail_on]:
        return 0
    return exit_code


def summary(outcome: str, why: str, *, entries: Sequence[Sealed], thread: int, text: str) -> str:
    """``text``: what jam says in the thread, where there is no ledger that came to an end."""
    said = f": {fence.prose(why, limit=2_000)}" if why else ""
    head = f"## jam: {outcome}{said}"
    if entries:
        return f"{head}\n\n{_body(entries, thread)}"
    return f"{head}\n\n{text}" if text else head


def _body(entries: Sequence[Sealed], thread: int) -> str:
    return pr_body.render(entries, issue=thread or None, reader=pr_body.Reader.PULL)


def flaky(document: Mapping[str, Any], done: Sequence[str] = ()) -> str:
    """What a search for tests that waver found, as it was told, and what was done about it."""
    found = json.dumps(document, indent=1, ensure_ascii=True)
    lines = "".join(f"- {fence.prose(line)}\n" for line in done)
    acts = f"{lines}\n" if lines else ""
    return f"## jam: flaky tests\n\n{acts}{fence.block(found, limit=FLAKY_TOLD)}"
