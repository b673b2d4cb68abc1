"""Facts for tests: a new value on every call, with only the difference spelled out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.core import ledger
from bot.core.contract import Dialect
from bot.core.entries import (
    Adjudicated,
    AnyFact,
    Baselined,
    Composed,
    Ended,
    Froze,
    Judged,
    Opened,
    Prepared,
    Probed,
    Published,
    Turned,
)
from bot.core.ledger import Sealed
from bot.core.parts import Change, CheckFact, Colour, GateFact, Held, Purpose
from bot.core.steps import Terms

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
BASE, BASE_TREE = "b" * 40, "0" * 40
FIXED = "f" * 40
DIGEST = "d" * 64
TARGET = "tests/test_a.py::test_b"


def opened(**over: Any) -> Opened:
    values: dict[str, Any] = {
        "session": "20261130-120000-abcd",
        "at": AT,
        "jam": "0.1.0",
        "repository": "lib",
        "base": BASE,
        "base_tree": BASE_TREE,
        "base_name": "main",
        "contract_sha256": DIGEST,
        "contract_from": ".github/jam.yml",
        "objective_sha256": DIGEST,
        "title": "Intervals that touch are not merged",
        "oracle": "unit",
        "commands": (("tests", "python -m pytest -q"),),
        "agents": ("repair",),
        "branch": "jam/intervals-that-touch-are-not-merged",
        "sandbox": "bwrap",
        "network": "none",
    }
    return Opened(**values | over)


def prepared(**over: Any) -> Prepared:
    return Prepared(**{"environment_sha256": DIGEST} | over)


def froze(**over: Any) -> Froze:
    return Froze(**{"patterns": ("tests/",), "frozen": 3, "surface": 1, "sha256": DIGEST} | over)


def gate(colour: Colour = Colour.GREEN, **over: Any) -> GateFact:
    red = colour is Colour.RED
    values: dict[str, Any] = {
        "gate": "tests",
        "report": Dialect.PYTEST,
        "colour": colour,
        "passed": 14 if red else 15,
        "failed": 1 if red else 0,
        "unmended": (TARGET,) if red else (),
        "unmended_count": 1 if red else 0,
        "exit_code": 1 if red else 0,
        "seconds": 0.5,
        "report_sha256": DIGEST,
        "output_sha256": DIGEST,
    }
    return GateFact(**values | over)


def judged(
    purpose: Purpose,
    colour: Colour = Colour.GREEN,
    *,
    gates: tuple[GateFact, ...] = (),
    **over: Any,
) -> Judged:
    values: dict[str, Any] = {
        "purpose": purpose,
        "number": 0,
        "tree": FIXED,
        "colour": colour,
        "gates": gates or (gate(colour),),
        "seconds": 0.5,
        "environment_sha256": DIGEST,
    }
    return Judged(**values | over)


def preflight(number: int, colour: Colour = Colour.RED, **over: Any) -> Judged:
    gates = (gate(colour, unmended=(), unmended_count=0),)
    return judged(
        Purpose.PREFLIGHT, colour, **{"number": number, "tree": BASE_TREE, "gates": gates} | over
    )


def baselined(**over: Any) -> Baselined:
    values: dict[str, Any] = {
        "targets": (TARGET,),
        "targets_count": 1,
        "passed": 14,
        "failing": 0,
        "baseline_sha256": DIGEST,
    }
    return Baselined(**values | over)


def held(number: int = 1, tree: str = FIXED, **over: Any) -> Held:
    return Held(**{"number": number, "commit": f"{number:040x}", "tree": tree, "changed": 1} | over)


def turned(number: int = 1, wish: str = "finish", **over: Any) -> Turned:
    values: dict[str, Any] = {
        "number": number,
        "agent": "repair",
        "wish": wish,
        "seconds": 1.0,
        "memory_sha256": DIGEST,
        "checkpoint": held(number),
    }
    return Turned(**values | over)


def composed(checkpoint: int = 1, tree: str = FIXED, **over: Any) -> Composed:
    return Composed(**{"checkpoint": checkpoint, "tree": tree, "frozen_sha256": DIGEST} | over)


def adjudicated(**over: Any) -> Adjudicated:
    values: dict[str, Any] = {
        "tree": FIXED,
        "head_tree": FIXED,
        "level": "L3",
        "end": "verified",
        "why": "green in every clean room, and red without the change",
        "checks": (CheckFact(name="neutrality", result="passed", why="the base was red"),),
        "changes": (Change(path="lib/a.py", added=1, removed=1),),
        "files": 1,
    }
    return Adjudicated(**values | over)


def published(**over: Any) -> Published:
    values: dict[str, Any] = {
        "branch": "jam/intervals",
        "commit": "c" * 40,
        "tree": FIXED,
        "head_tree": FIXED,
        "draft": False,
    }
    return Published(**values | over)


def ended(**over: Any) -> Ended:
    return Ended(**{"at": AT, "end": "verified", "exit_code": 0, "why": "green"} | over)


def adjudications(colour: Colour = Colour.GREEN) -> tuple[Judged, ...]:
    from bot.core.steps import SEEDS

    return tuple(
        judged(Purpose.ADJUDICATION, colour, number=number, seed=seed)
        for number, seed in enumerate(SEEDS)
    )


def to_red_base() -> tuple[AnyFact, ...]:
    """Up to the baseline: the base is red, and nothing was tried yet."""
    return (opened(), prepared(), froze(), preflight(0), preflight(1), baselined())


def probed(name: str, result: str = "not applicable", **over: Any) -> Probed:
    return Probed(**{"name": name, "result": result, "why": "nothing to act on"} | over)


def probes() -> tuple[Probed, ...]:
    from bot.core.steps import PROBES

    return tuple(probed(name) for name in PROBES)


def verified_story() -> tuple[AnyFact, ...]:
    return (
        *to_red_base(),
        turned(),
        composed(),
        judged(Purpose.STOP_GATE),
        *adjudications(),
        *probes(),
        adjudicated(),
        published(),
        ended(),
    )


def sealed(*facts: AnyFact) -> tuple[Sealed, ...]:
    entries: tuple[Sealed, ...] = ()
    for fact in facts:
        entries = ledger.append(entries, fact)
    return entries


def terms(**over: Any) -> Terms:
    values: dict[str, Any] = {
        "agents": ("repair",),
        "turns": 10,
        "seconds": 3600.0,
        "tokens": 1000,
        "cents": 500.0,
    }
    return Terms(**values | over)
