"""
What jam asks of one search. Written by jam as JSON, read here once.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

VARIABLE = "JAM_REPAIR"
PLACE = "/jam/repair/ask.json"  # in a sandbox, for what was started without its environment


class Settings(NamedTuple):
    socket: str
    root: str  # the checkout
    editable: frozenset[str]  # files that may be changed, relative to the root
    targets: tuple[str, ...]  # test ids that are red
    passing: frozenset[str]  # test ids that passed; empty: whatever passes here
    until: float  # seconds since the epoch: the end of all of it
    locate_only: bool = False
    skip: frozenset[str] = frozenset()  # digests of texts that were tried and refused


def read(file: str) -> Settings:
    with open(file, encoding="utf-8") as opened:
        facts: Any = json.load(opened)
    return Settings(
        socket=facts["socket"],
        root=facts["root"],
        editable=frozenset(facts["editable"]),
        targets=tuple(facts["targets"]),
        passing=frozenset(facts["passing"]),
        until=float(facts["until"]),
        locate_only=bool(facts.get("locate_only", False)),
        skip=frozenset(facts.get("skip", ())),
    )
