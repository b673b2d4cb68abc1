"""
Rules of a contract that reach across keys. They look at the plain values of the file, so that they
can be told together with mistakes of shape; what has the wrong shape they leave to others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import PurePosixPath
from typing import TypeAlias

from bot.core.contract_words import nearest
from bot.core.yaml_lines import Path, Value

NO_ORACLE = "no oracle has a gate, so nothing can judge a change; `jam init` writes one"
Broken: TypeAlias = tuple[Path, str]
#: by their place in the list; what does not look like a gate is told as a mistake of shape
Gates: TypeAlias = dict[int, dict[str, Value]]


def broken(value: Value) -> Iterator[Broken]:
    if has_no_gate(value):
        yield ("oracles",), NO_ORACLE
    yield from _unknown_oracles(value)
    for name, oracle in _mapping(value, "oracles").items():
        path: Path = ("oracles", name, "gates")
        gates = _gates(oracle)
        yield from _gateless(gates, path=path, value=value)
        yield from _doubled_names(gates, path=path)
        yield from _exit_alone(gates, path=path, value=value)
        yield from chain.from_iterable(
            _report_file(gate, path=(*path, place)) for place, gate in gates.items()
        )


def has_no_gate(value: Value) -> bool:
    """No oracle, or none that has a gate."""
    return not any(_gates(oracle) for oracle in _mapping(value, "oracles").values())


def _gateless(gates: Gates, *, path: Path, value: Value) -> Iterator[Broken]:
    if not gates and not has_no_gate(value):
        yield path, "an oracle needs at least one gate"


def _unknown_oracles(value: Value) -> Iterator[Broken]:
    oracles = _mapping(value, "oracles")
    named: list[tuple[Path, Value]] = [
        (("checks", check), name) for check, name in _mapping(value, "checks").items()
    ]
    named.append((("flaky", "oracle"), _mapping(value, "flaky").get("oracle")))
    for path, name in named:
        if isinstance(name, str) and name and name not in oracles:
            yield path, f"there is no oracle {name!r}; {nearest(name, oracles)}"


def _doubled_names(gates: Gates, *, path: Path) -> Iterator[Broken]:
    seen: dict[Value, int] = {}
    for place, gate in gates.items():
        name = gate.get("name", "tests")
        if isinstance(name, str) and seen.setdefault(name, place) != place:
            key = (*path, place, "name")
            yield key, f"two gates of this oracle are called {name!r}; give each its own name"


def _exit_alone(gates: Gates, *, path: Path, value: Value) -> Iterator[Broken]:
    if not gates or any(gate.get("report") != "exit" for gate in gates.values()):
        return
    if _mapping(value, "publish").get("accept") != "L2":
        yield (
            (*path, min(gates), "report"),
            "an exit code alone proves little: put it beside a gate with test ids, "
            "or write publish: {accept: L2}",
        )


def _report_file(gate: dict[str, Value], *, path: Path) -> Iterator[Broken]:
    file = gate.get("report_file")
    if gate.get("report") == "junit" and not file:
        yield (*path, "report"), "junit needs report_file: where the command writes its report"
    if not isinstance(file, str) or not file:
        return
    if gate.get("report") != "junit":
        yield (*path, "report_file"), "only junit reads a report_file"
    elif PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts:
        yield (*path, "report_file"), f"{file!r} does not stay inside the checkout"


def _mapping(value: Value, key: str) -> dict[str, Value]:
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _gates(oracle: Value) -> Gates:
    gates = oracle.get("gates") if isinstance(oracle, dict) else None
    listed = gates if isinstance(gates, list) else []
    return {place: gate for place, gate in enumerate(listed) if isinstance(gate, dict)}
