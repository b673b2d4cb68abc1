"""A court looks at frozen files before the first command and after every run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.gates import state
from bot.app.court import Court, Trial
from bot.core.baseline import Baseline, GateBaseline
from bot.core.contract import Dialect, Gate, Oracle
from bot.core.parts import Colour, Purpose
from bot.ports import Ended, GateRan, Ran

TREE = "f" * 40
TEST = "tests/test_a.py"
ORACLE = Oracle(gates=(Gate(name="check", run="make check", report=Dialect.EXIT),))
BASELINE = Baseline(
    gates={
        "check": GateBaseline(
            passed=(), targets=("check",), failing=("check",), known=("check",), wavering=()
        )
    }
)


@dataclass
class Room:
    """Rooms and gates in one: every command is ``deed`` on the folder, and succeeds."""

    top: Path
    deed: Callable[[Path], object]
    kept: dict[str, bytes] = field(default_factory=dict)

    def room(self, tree: str, *, name: str) -> Path:
        (self.top / "tests").mkdir()
        (self.top / TEST).write_text("assert True\n")
        return self.top

    def discard(self, room: Path) -> None:
        pass

    def look(self, room: Path, paths: Iterable[str]) -> Mapping[str, str]:
        return {path: state(room / path) for path in paths}

    def run(self, gate: Gate, room: Path, **_: Any) -> GateRan:
        return GateRan(ran=self.ask(gate.run, room, timeout_s=1))

    def ask(self, command: str, room: Path, *, timeout_s: float) -> Ran:
        self.deed(room)
        return Ran(
            ended=Ended.EXITED, exit_code=0, output="", output_sha256="", output_bytes=0, seconds=0
        )

    def put(self, content: bytes) -> str:
        self.kept["a" * 64] = content
        return "a" * 64

    def get(self, sha256: str) -> bytes:
        return self.kept[sha256]


def rewrite(room: Path) -> None:
    (room / TEST).write_text("assert False\n")


def rewrite_and_put_back(room: Path) -> None:
    path = room / TEST
    was = path.stat()
    path.write_text("assert False\n")
    path.write_text("assert True\n")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def exchange(room: Path) -> None:
    (room / "new").write_text("assert True\n")
    (room / "new").rename(room / TEST)


def remove(room: Path) -> None:
    (room / TEST).unlink(missing_ok=True)


def add_a_conftest(room: Path) -> None:
    (room / "tests" / "conftest.py").write_text("")


def add_output(room: Path) -> None:
    (room / "tests" / "out.txt").write_text("x")
    (room / "tests" / "__pycache__").mkdir(exist_ok=True)


def hold(tmp_path: Path, deed: Callable[[Path], object], *, build: str = "") -> tuple[Colour, Any]:
    room: Any = Room(tmp_path, deed)
    court = Court(
        oracle=ORACLE,
        workcopy=room,
        gates=room,
        evidence=room,
        held=lambda _: frozenset({TEST}),
        build=build,
    )
    trial = Trial(purpose=Purpose.ADJUDICATION, number=0, tree=TREE)
    judged = court.of_candidate(trial, baseline=BASELINE)
    return judged.colour, judged.gates[0].integrity


DEEDS = {
    "rewritten": (rewrite, TEST),
    "rewritten-and-put-back": (rewrite_and_put_back, TEST),
    "exchanged": (exchange, TEST),
    "removed": (remove, TEST),
    "a-conftest-added": (add_a_conftest, "tests/conftest.py"),
}


@pytest.mark.parametrize(("deed", "path"), DEEDS.values(), ids=DEEDS)
def test_a_run_that_touches_frozen_files_is_red(
    deed: Callable[[Path], object], path: str, tmp_path: Path
) -> None:
    found = hold(tmp_path, deed)

    assert found == (Colour.RED, (f"the tests were tampered with: {path} was touched",))


def test_a_run_may_write_beside_them(tmp_path: Path) -> None:
    assert hold(tmp_path, add_output) == (Colour.GREEN, ())


def test_a_build_is_looked_at_like_a_run(tmp_path: Path) -> None:
    deeds = iter([rewrite])

    def once(room: Path) -> None:
        next(deeds, lambda _: None)(room)

    found = hold(tmp_path, once, build="make")

    assert found == (Colour.RED, (f"the tests were tampered with: {TEST} was touched",))
