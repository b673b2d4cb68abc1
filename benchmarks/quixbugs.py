"""
How many of the 40 Python programs of QuixBugs ``repair`` mends, and how many of those rightly.

    python benchmarks/quixbugs.py PATH_OF_A_COPY [PROGRAM ...] [--seconds 60] [--sandbox none]

Each program is laid out as a small repository with its own tests; ``repair`` gets the failing
tests and the time. What it puts forward is judged twice: by those tests in a fresh process, and by
comparison with the benchmark's reference on random valid inputs that no test contains. Nothing of
the benchmark is kept. https://github.com/jkoppel/QuixBugs
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from bot.adapters.lab import RiggedLab
from bot.adapters.sandbox import choose
from bot.adapters.toolchain import Toolchain, readable_for
from bot.agents.repair import Repair
from bot.core.contract import Gate, Oracle, SandboxKind
from bot.ports import Bench, Brief, Jail, Remaining, View, Wish

COMMAND = "PYTHONPATH=. python -m pytest -q -p no:cacheprovider tests"
COMPARE = Path(__file__).parent / "quixbugs_compare.py"
BESIDE = ("load_testdata.py", "node.py")


@dataclass(frozen=True, slots=True)
class Result:
    program: str
    seconds: float
    is_green: bool
    compared: int = 0
    differ: int = 0
    change: str = ""

    @property
    def is_right(self) -> bool:
        return self.is_green and self.compared > 0 and self.differ == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("copy", type=Path)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--sandbox", choices=[kind.value for kind in SandboxKind], default="auto")
    asked = parser.parse_args()
    jail = choose(SandboxKind(asked.sandbox))
    results = []
    for program in asked.programs or programs_of(asked.copy):
        with tempfile.TemporaryDirectory(prefix="jam-quixbugs-") as folder:
            Path(folder).chmod(0o755)
            result = mend(asked.copy, program, Path(folder), jail=jail, seconds=asked.seconds)
        results.append(result)
        print(told(result), flush=True)
    green, right = sum(r.is_green for r in results), sum(r.is_right for r in results)
    print(f"{len(results)} programs: {green} green by their own tests, {right} of those right")


def programs_of(copy: Path) -> list[str]:
    tests = (copy / "python_testcases").glob("test_*.py")
    return sorted(path.stem.removeprefix("test_") for path in tests)


def mend(copy: Path, program: str, folder: Path, *, jail: Jail, seconds: float) -> Result:
    tree = lay(copy, program, folder / "tree")
    targets = failing(tree)
    jail.adopt(tree)
    bench = bench_for(tree, program, jail)
    lab = RiggedLab(folder=folder / "scratch", interpreters=lambda: toolchain().interpreters)
    began = time.monotonic()
    done = Repair(lab, longest_s=seconds).turn(
        Brief(objective="", targets=targets),
        bench,
        history=(),
        feedback="",
        remaining=Remaining(turns=1, seconds=seconds * 2, tokens=0, cents=0),
    )
    took = time.monotonic() - began
    if done.wish is not Wish.FINISH or failing(tree):
        return Result(program, took, is_green=False, change=done.said.splitlines()[0])
    compared = compare(copy, tree / "python_programs", program)
    change = " ".join(re.findall(r"^    [-+].*$", done.said, re.MULTILINE)[:2])
    return Result(
        program,
        took,
        is_green=True,
        compared=compared["compared"],
        differ=compared["differ"],
        change=re.sub(r"\s+", " ", change),
    )


def lay(copy: Path, program: str, tree: Path) -> Path:
    for name in ("python_programs", "tests", "json_testcases"):
        (tree / name).mkdir(parents=True)
    (tree / "python_programs" / "__init__.py").touch()
    shutil.copy(copy / "conftest.py", tree)
    for path in (copy / "python_programs" / f"{program}.py", copy / "python_programs" / "node.py"):
        shutil.copy(path, tree / "python_programs")
    for name in (*BESIDE, f"test_{program}.py"):
        if (path := copy / "python_testcases" / name).exists():
            shutil.copy(path, tree / "tests")
    if (path := copy / "json_testcases" / f"{program}.json").exists():
        shutil.copy(path, tree / "json_testcases")
    return tree


def failing(tree: Path) -> tuple[str, ...]:
    """Ids that are red in a process of their own, two seconds allowed to each."""
    argv = (sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider")
    env = {**os.environ, "PYTHONPATH": ".", "PYTHONDONTWRITEBYTECODE": "1"}
    # The slowest right answer takes some seconds; an endless one takes for ever.
    ran = subprocess.run(
        (*argv, "--timeout=20" if is_changed(tree) else "--timeout=2", "tests"),
        cwd=tree,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    is_changed(tree, now=True)
    red = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", ran.stdout, re.MULTILINE)
    return tuple(red) if red or ran.returncode == 0 else ("?",)


def is_changed(tree: Path, *, now: bool = False) -> bool:
    """Whether this tree was asked about before, and so has been changed since."""
    mark = tree.parent / "asked"
    if now:
        mark.touch()
    return mark.exists()


def bench_for(tree: Path, program: str, jail: Jail) -> Bench:
    found = toolchain()
    return Bench(
        jail=jail,
        view=View(
            tree=tree,
            at=Path("/jam/repo") if jail.level != "none" else tree,
            readable=found.readable,
            binds=found.binds,
            env={"PATH": found.path, "LANG": "C.UTF-8"},
        ),
        oracle=Oracle(gates=(Gate(run=COMMAND),)),
        passing=frozenset(),
        is_read_only=lambda path: path != f"python_programs/{program}.py",
        may_run=lambda _: ("allow", ""),
        may_write=lambda _: ("allow", ""),
        say=lambda _: None,
        stop=Event(),
    )


def toolchain() -> Toolchain:
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return readable_for(COMMAND, path=path, home=Path.home(), tree=Path("/nowhere"))


def compare(copy: Path, changed: Path, program: str) -> dict[str, int]:
    argv = (sys.executable, str(COMPARE), str(copy / "correct_python_programs"), str(changed))
    ran = subprocess.run((*argv, program), capture_output=True, text=True, check=False)
    try:
        found: dict[str, int] = json.loads(ran.stdout)
    except ValueError:
        return {"compared": 0, "differ": 0}
    return found


def told(result: Result) -> str:
    verdict = "right" if result.is_right else "WRONG" if result.is_green else "nothing"
    compared = f"{result.differ} of {result.compared} differ" if result.is_green else ""
    return f"{result.program:28} {result.seconds:6.1f} s  {verdict:8} {compared:18} {result.change}"


if __name__ == "__main__":
    main()
