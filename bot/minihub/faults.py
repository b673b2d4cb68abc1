"""
A plan of faults: which call goes wrong, how, and how often. Decides only that; the server acts on
requests and the courier on deliveries.

A plan is a list of mappings, in YAML, JSON or Python::

    - match: POST /repos/*/pulls      # a glob; webhooks are "DELIVER issues.labeled"
      kind: timeout                   # one of KINDS
      when: after                     # the effect has happened; or "before"
      nth: 2                          # from the second matching call on
      times: 1                        # how many calls; null is for ever
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from typing import Any

import yaml

from bot.errors import RequestError

REQUEST_KINDS = {
    "status": "answer with `status`, `headers` and `message`",
    "timeout": "hold the connection for `seconds`, then drop it",
    "reset": "reset the connection",
    "cut": "promise the whole body, send half of it, drop the connection",
    "truncated": "a whole answer whose JSON ends in the middle",
    "html": "200 with a page instead of JSON",
    "accepted": "202 with an empty object",
    "redirect": "`status` (301 or 307) to `location`",
    "slow": "answer after `seconds`",
}
DELIVERY_KINDS = {
    "duplicate": "send it `copies` times more",
    "hold": "send it after the `copies` deliveries that follow it",
    "drop": "never send it; the delivery list says so",
    "slow": "send it after `seconds`",
}
KINDS = REQUEST_KINDS | DELIVERY_KINDS


class PlanUnusable(RequestError):
    """The plan of faults cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    match: str
    kind: str
    when: str = "before"
    nth: int = 1
    times: int | None = 1
    status: int = 500
    message: str = "Server Error"
    headers: Mapping[str, str] = field(default_factory=dict)
    location: str = ""
    seconds: float = 0.0
    copies: int = 1

    def __post_init__(self) -> None:
        known = DELIVERY_KINDS if self.match.startswith("DELIVER ") else REQUEST_KINDS
        if self.kind not in known:
            raise PlanUnusable(f"{self.kind!r} is no fault here; there are {', '.join(known)}.")
        if self.when not in ("before", "after"):
            raise PlanUnusable(f"when: {self.when!r} is neither before nor after.")


@dataclass(slots=True)
class _Line:
    fault: Fault
    seen: int = 0
    used: int = 0


class Plan:
    def __init__(self) -> None:
        self._lines: list[_Line] = []
        self._lock = threading.Lock()

    def add(self, *faults: Fault) -> None:
        with self._lock:
            self._lines += [_Line(fault) for fault in faults]

    def clear(self) -> None:
        with self._lock:
            self._lines = []

    def take(self, call: str) -> Fault | None:
        """The fault for this call, ``METHOD /path`` or ``DELIVER event.action``, if it is due.
        Every line that matches counts the call; the first that is due is used."""
        due: _Line | None = None
        with self._lock:
            for line in self._lines:
                if not fnmatchcase(call, line.fault.match):
                    continue
                line.seen += 1
                left = line.fault.times is None or line.used < line.fault.times
                if due is None and left and line.seen >= line.fault.nth:
                    due = line
            if due is not None:
                due.used += 1
        return due.fault if due else None

    def unused(self) -> list[Fault]:
        """Faults that never struck: a test that planned one wants to know."""
        with self._lock:
            return [line.fault for line in self._lines if not line.used]


def read_plan(text: str) -> list[Fault]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as broken:
        raise PlanUnusable(f"The plan is not YAML: {broken}") from broken
    if not isinstance(document, list):
        raise PlanUnusable("The plan is not a list of faults.")
    return list(map(_fault, document))


def _fault(entry: Any) -> Fault:
    names = {each.name for each in fields(Fault)}
    if not isinstance(entry, dict) or not {"match", "kind"} <= entry.keys() <= names:
        raise PlanUnusable(
            f"A fault has `match` and `kind`, and may have {_listed(names)}: {entry}"
        )
    return Fault(**entry)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names) - {"match", "kind"}))
