"""Small repositories with a bug, and a bench to repair them at: real sandbox, real pytest."""

from __future__ import annotations

import functools
import os
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from bot.adapters.lab import RiggedLab
from bot.adapters.sandbox import choose
from bot.adapters.toolchain import Toolchain, readable_for
from bot.agents.repair import Repair
from bot.core.contract import Dialect, Gate, Oracle, SandboxKind
from bot.ports import Bench, Brief, Jail, Remaining, TurnDone, View

COMMAND = "PYTHONPATH=. python -m pytest -q"


@functools.cache
def jail() -> Jail:
    return choose(SandboxKind.AUTO)


@functools.cache
def toolchain() -> Toolchain:
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return readable_for(COMMAND, path=path, home=Path("/root"), tree=Path("/nowhere"))


@dataclass
class Ground:
    """A checkout in a folder of the test, and everything around it."""

    tree: Path
    scratch: Path
    command: str = COMMAND
    dialect: Dialect = Dialect.PYTEST
    said: list[str] = field(default_factory=list)
    stop: Event = field(default_factory=Event)
    read_only: Callable[[str], bool] = lambda path: path.startswith("tests/")

    @property
    def bench(self) -> Bench:
        found = toolchain()
        return Bench(
            jail=jail(),
            view=View(
                tree=self.tree,
                at=Path("/jam/repo"),
                readable=found.readable,
                binds=found.binds,
                env={"PATH": found.path, "LANG": "C.UTF-8"},
            ),
            oracle=Oracle(gates=(Gate(run=self.command, report=self.dialect),)),
            passing=frozenset(),
            is_read_only=self.read_only,
            may_run=lambda _: ("allow", ""),
            may_write=lambda _: ("allow", ""),
            say=self.said.append,
            stop=self.stop,
        )

    @property
    def lab(self) -> RiggedLab:
        return RiggedLab(folder=self.scratch, interpreters=lambda: toolchain().interpreters)

    def repair(
        self,
        *targets: str,
        seconds: float = 60,
        history: tuple[bytes, ...] = (),
        feedback: str = "",
    ) -> TurnDone:
        return Repair(self.lab, longest_s=seconds).turn(
            Brief(objective="", targets=targets),
            self.bench,
            history=history,
            feedback=feedback,
            remaining=Remaining(turns=9, seconds=seconds * 2, tokens=0, cents=0),
        )

    def files(self) -> Mapping[str, str]:
        """What the checkout holds now."""
        return {
            str(path.relative_to(self.tree)): path.read_text()
            for path in sorted(self.tree.rglob("*"))
            if path.is_file()
        }


def lay(tmp_path: Path, files: Mapping[str, str], *, command: str = COMMAND) -> Ground:
    tree, scratch = tmp_path / "tree", tmp_path / "scratch"
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"))
    scratch.mkdir()
    os.chmod(tmp_path, 0o755)  # noqa: PTH101  # those in the jail have another uid
    jail().adopt(tree)
    return Ground(tree, scratch, command)
