"""
Lines for machines: one JSON object each, with the ids of what it is about.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from bot.app.about import ids
from bot.app.requests import LogKind
from bot.ports import Say


def spoken(kind: LogKind, say: Say) -> Say:
    """``say`` gets a line and lets no secret through."""
    if kind is LogKind.TEXT:
        return say

    def as_json(line: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        say(json.dumps({"at": at, "line": line.rstrip(), **ids()}, ensure_ascii=True))

    return as_json
