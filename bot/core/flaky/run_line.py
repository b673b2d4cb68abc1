"""A run as one line of JSON, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from bot.core.canonical import spell, unspell
from bot.core.flaky.runs import Run

RUN: TypeAdapter[Run] = TypeAdapter(Run)


def write(run: Run, *, gate: str, tree: str, look: bool) -> str:
    plain: dict[str, Any] = asdict(run)
    plain["condition"] = run.condition.model_dump(mode="json")
    plain["passed"] = sorted(run.passed)
    plain["leaked"] = [leaked.model_dump(mode="json") for leaked in run.leaked]
    return spell({"gate": gate, "tree": tree, "look": look, "run": plain})


def read(line: str) -> tuple[tuple[str, str, bool], Run] | None:
    """None: another program, or another version of this one, wrote it."""
    try:
        held = unspell(line)
        key = (held["gate"], held["tree"], held["look"])
        return key, RUN.validate_python(held["run"])
    except (ValueError, KeyError, TypeError):
        return None
