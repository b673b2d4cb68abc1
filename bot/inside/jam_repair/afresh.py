"""
Asks for candidates to be tried the slow way, imported anew, and keeps what that taught.
"""

from __future__ import annotations

import os
import time
from typing import Any, Sequence

from .cold import Other
from .evaluate import Suite
from .rank import Candidate
from .trial import PASSED

FIRST_GUESS_S = 3.0  # for one import and collection, before any was seen
SLOWER = 4.0  # how much longer than usual is waited for


class Afresh:
    def __init__(self, other: Other, suite: Suite, root: str) -> None:
        self._other, self._suite, self._root = other, suite, root
        self._usual = FIRST_GUESS_S
        self._is_heard: dict[str, bool] = {}  # whether a file's changed text is really loaded

    def may_be_heard(self, path: str) -> bool:
        return self._is_heard.get(path, True)

    def passes(
        self, candidate: Candidate, ids: Sequence[str], *, narrow: bool, until: float
    ) -> bool:
        """``narrow``: only the files of ``ids`` are collected."""
        began = time.monotonic()
        limits = {id_: 0.5 + 3 * self._suite.seconds.get(id_, 0.1) for id_ in ids}
        seconds = 2.0 + SLOWER * self._usual + 3 * sum(limits.values())
        answer = self._other.ask(
            {
                "overrides": {candidate.source.file: candidate.text},
                "ids": list(ids),
                "files": self._files(ids) if narrow else None,
                "limits": limits,
                "seconds": max(min(seconds, until - began), 0.5),
            }
        )
        if answer is None or not answer["marks"]:
            return False
        if narrow:
            self._usual += 0.3 * (time.monotonic() - began - self._usual)
        self._is_heard.setdefault(candidate.source.path, bool(answer["loaded"]))
        return bool(answer["loaded"]) and _are_passed(answer["marks"], ids)

    def _files(self, ids: Sequence[str]) -> list[str]:
        return sorted({os.path.join(self._root, id_.split("::")[0]) for id_ in ids})


def _are_passed(marks: dict[str, Any], ids: Sequence[str]) -> bool:
    """Every id, or, where it is a file's, everything in that file."""
    return all(mark == PASSED for mark in marks.values()) and all(
        id_ in marks or any(mark.startswith(f"{id_}::") for mark in marks) for id_ in ids
    )
