"""
``go test -json``: one event per line, one id per test, ``package/path::TestName/sub``.

Lines that are no events (the compiler's, a linker's) are left aside; a line that begins like one
and is none means that the report was cut. Every package and every test that began must end.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.core.report import Case, Mark, Reading, Report, Uncollectable, Unreadable
from bot.oracles.raw import MESSAGE, Raw, agreed, merged, not_judged

ENDS = {"pass": Mark.PASSED, "fail": Mark.FAILED, "skip": Mark.SKIPPED}
NOT_BUILT = re.compile(r"^FAIL\t(\S+) \[(?:build|setup) failed\]$", re.MULTILINE)
BUILD_FAILED = ("[build failed]", "[setup failed]")


class Refused(ValueError):
    """Events that go does not write, or not in this order."""


class Cut(Refused):
    """A line that is no whole event any more."""


@dataclass(slots=True)
class _Package:
    """``running``: tests that began and did not end; the same one may begin several times."""

    cases: list[Case] = field(default_factory=list)
    running: dict[str, list[str]] = field(default_factory=dict)
    output: list[str] = field(default_factory=list)
    ended: str = ""
    build_failed: bool = False


def read_go_json(raw: Raw) -> Reading:
    if problem := not_judged(raw):
        return problem
    packages: dict[str, _Package] = defaultdict(_Package)
    builds: dict[str, list[str]] = defaultdict(list)  # what the compiler said, by import path
    try:
        for event in _events(raw.text):
            if event["Action"] in ("build-output", "build-fail"):
                builds[str(event.get("ImportPath"))].append(str(event.get("Output", "")))
            elif event.get("Package"):
                _learn(packages[str(event["Package"])], str(event["Package"]), event)
    except Refused as error:
        return Unreadable(str(error), cut=isinstance(error, Cut))
    for found in NOT_BUILT.finditer(raw.text):
        packages[found[1]].build_failed = True
    if not packages:
        return Unreadable("the command wrote no events of go test -json")
    return _settle(packages, builds, raw)


def _events(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("{"):
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Cut(f"line {number} of the report is no whole event") from error
        if not isinstance(event, dict) or not isinstance(event.get("Action"), str):
            raise Refused(f"line {number} of the report is no event of go test")
        yield event


def _learn(package: _Package, name: str, event: dict[str, Any]) -> None:
    action, test = event["Action"], str(event.get("Test") or "")
    output = str(event.get("Output", ""))
    if not test:
        _learn_of_all(package, action, output, event)
    elif action == "run":
        package.running[test] = []
    elif action == "output":
        package.running.get(test, package.output).append(output)
    elif action in ENDS:
        said = package.running.pop(test, None)
        if said is None:
            raise Refused(f"{name}::{test} ended, though it had not begun or was over")
        mark = ENDS[action]
        message = "" if mark is Mark.PASSED else "".join(said)[-MESSAGE:]
        package.cases.append(Case(f"{name}::{test}", mark, message, _seconds(event)))


def _learn_of_all(package: _Package, action: str, output: str, event: dict[str, Any]) -> None:
    if action == "output":
        package.output.append(output)
    elif action in ENDS:
        package.ended = action
    failed = event.get("FailedBuild") or any(words in output for words in BUILD_FAILED)
    package.build_failed = package.build_failed or bool(failed)


def _settle(packages: dict[str, _Package], builds: dict[str, list[str]], raw: Raw) -> Reading:
    broken = []
    for name, package in packages.items():
        if package.build_failed:
            broken.append(Uncollectable(name, _why(name, package, builds, raw)))
        elif not package.ended or package.running:
            what = next(iter(package.running), "its tests")
            return Unreadable(f"the report breaks off while {name}::{what} ran", cut=True)
        elif package.ended == "fail" and not any(c.mark is Mark.FAILED for c in package.cases):
            return Unreadable(f"{name} failed, though none of its tests did")
    cases = merged(case for package in packages.values() for case in package.cases)
    return agreed(Report(cases=cases, uncollectable=tuple(broken)), raw)


def _why(name: str, package: _Package, builds: dict[str, list[str]], raw: Raw) -> str:
    said = [text for path, lines in builds.items() if path.startswith(name) for text in lines]
    plain = [line for line in raw.output.splitlines() if line and not line.startswith("{")]
    return ("".join(said) or "\n".join(plain) or "".join(package.output)).strip()[-MESSAGE:]


def _seconds(event: dict[str, Any]) -> float:
    elapsed = event.get("Elapsed")
    return float(elapsed) if isinstance(elapsed, int | float) and 0 <= elapsed < 1e9 else 0.0
