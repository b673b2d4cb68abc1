"""
Every recorded report, and what must be read from it. A case is a folder under data/oracles with
what the gate left (raw.toml, recording, report, output.txt) and expected.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.contract import Dialect, Gate
from bot.core.report import Reading, Report, Unreadable
from bot.oracles import PARSERS, Raw

DATA = Path(__file__).parent.parent / "data" / "oracles"
CASES = sorted(path.parent for path in DATA.glob("*/*/expected.toml"))


def raw_of(case: Path) -> Raw:
    def content(name: str) -> bytes | None:
        return (case / name).read_bytes() if (case / name).exists() else None

    return Raw(
        exit_code=tomllib.loads((case / "raw.toml").read_text())["exit_code"],
        output=(content("output.txt") or b"").decode(),
        recording=content("recording") or b"",
        report_file=content("report"),
        gate=Gate(name="tests", run="the command", report=Dialect(case.parent.name)),
    )


def told(reading: Reading) -> dict[str, Any]:
    """A reading in the words of expected.toml."""
    if isinstance(reading, Unreadable):
        return {"unreadable": reading.reason} | ({"cut": True} if reading.cut else {})
    facts = {
        "marks": {case.id: case.mark.value for case in reading.cases},
        "doubled": [case.id for case in reading.cases if case.doubled],
        "uncollectable": {broken.path: broken.missing_module for broken in reading.uncollectable},
        "tampering": list(reading.tampering),
    }
    return {name: fact for name, fact in facts.items() if fact}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_a_report_is_read_as_written_down(case: Path) -> None:
    reading = PARSERS[Dialect(case.parent.name)](raw_of(case))

    assert told(reading) == tomllib.loads((case / "expected.toml").read_text())


@pytest.mark.parametrize(
    ("code", "reason", "cut"),
    [
        (126, "the shell found the command, but could not run it (exit 126)", False),
        (127, "the shell did not find the command (exit 127)", False),
        (None, "the command did not end by itself", True),
    ],
    ids=["not-executable", "not-found", "killed"],
)
def test_no_report_is_believed_of_a_command_that_did_not_run_to_its_end(
    code: int | None, reason: str, cut: bool
) -> None:
    readings = {
        case: PARSERS[Dialect(case.parent.name)](replace(raw_of(case), exit_code=code))
        for case in CASES
    }

    assert readings == dict.fromkeys(CASES, Unreadable(reason, cut=cut))


@pytest.mark.parametrize("dialect", sorted({case.parent.name for case in CASES}))
def test_no_beginning_of_a_report_passes_more_than_the_whole(dialect: str) -> None:
    """Wherever it is cut, what is left is unreadable, or says nothing better."""
    parser = PARSERS[Dialect(dialect)]
    better = {}
    for whole in (raw_of(case) for case in CASES if case.parent.name == dialect):
        most = _passed(parser(whole))
        for beginning in _beginnings(whole):
            if more := _passed(parser(beginning)) - most:
                better[beginning] = more

    assert better == {}


def _beginnings(raw: Raw) -> Iterator[Raw]:
    for at in _places(raw.recording):
        yield replace(raw, recording=raw.recording[:at])
    for at in _places(raw.report_file or b""):
        yield replace(raw, report_file=(raw.report_file or b"")[:at])
    for at in _places(raw.output.encode()):
        yield replace(raw, output=raw.output[:at])


def _places(content: bytes) -> set[int]:
    """Every end of a line, and some places in between."""
    lines = {at for at, byte in enumerate(content) if byte == ord("\n")}
    return {*lines, *range(0, len(content), max(1, len(content) // 20))}


def _passed(reading: Reading) -> frozenset[str]:
    if not isinstance(reading, Report):
        return frozenset()
    return frozenset(c.id for c in reading.cases if c.mark.value == "passed" and not c.doubled)


def test_every_dialect_has_a_parser() -> None:
    assert set(PARSERS) == set(Dialect)
