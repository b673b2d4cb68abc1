"""
What a turn costs besides its command, against mini-swe-agent with a scripted model.

    python benchmarks/turns.py [--peer PYTHON] [--rounds N]

The same forty shell commands are run by five: a bare `sh -c` in a loop; mini-swe-agent (its
DefaultAgent, its trajectory saved after each step as its own command line does) on the bare
machine and in its bubblewrap environment; jam's scripted agent in the sandbox; and a whole
`jam fix` (sandbox, checkpoints, ledger). Each is a process of its own, run with forty turns and
with none; the difference, by forty, is what a turn takes, and less the bare loop's it is what a
turn costs. Interleaved, median of the rounds; processor time beside the clock's, because a busy
machine stretches the one and not the other.

`--peer` names a Python that has mini-swe-agent; without it one is made in a temporary folder.
Aim: jam's turn costs less, sandbox included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TURNS = 40
ROUNDS = 5
HERE = Path(__file__).resolve().parent
PEER = "mini-swe-agent==2.4.6"
# What agents do: mostly look, now and then change something.
COMMANDS = (
    "ls -la",
    "cat calc.py",
    "grep -rn add .",
    "sed -n '1,20p' tests/test_calc.py",
    "git log --oneline | head -3",
    "echo '# note' >> calc.py",
    "wc -l calc.py",
    "find . -name '*.py' -not -path './.git/*' | sort",
)

BARE = """
import json, subprocess, sys
for command in json.load(open(sys.argv[1])):
    subprocess.run(["sh", "-c", command], capture_output=True, cwd=sys.argv[2])
"""
MINI = """
import json, logging, os, sys
os.environ["MSWEA_SILENT_STARTUP"] = "1"
from pathlib import Path
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.extra.bubblewrap import BubblewrapEnvironment
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output
commands = json.load(open(sys.argv[1])) + ["echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"]
outputs = [make_output("I look.", [{"command": c}], cost=0.0) for c in commands]
agent = DefaultAgent(
    DeterministicModel(outputs=outputs, cost_per_call=0.0),
    {"local": LocalEnvironment, "bubblewrap": BubblewrapEnvironment}[sys.argv[3]](cwd=sys.argv[2]),
    system_template="You change a checkout.",
    instance_template="{{task}}",
    cost_limit=0.0,
    output_path=Path(sys.argv[2]).parent / "trajectory.json",
)
said = agent.run("Mend it.")
assert said["exit_status"] == "Submitted" and agent.n_calls == len(commands), said
"""
AGENT = """
import json, sys
from pathlib import Path
from threading import Event
from bot.adapters.sandbox import choose
from bot.agents.means import Means
from bot.agents.scripted import make
from bot.core.contract import Contract, Gate, Oracle, SandboxKind
from bot.core.policy import decide_command, decide_write, of_contract
from bot.ports import Bench, Brief, Remaining, View
jail, policy = choose(SandboxKind.BWRAP), of_contract(Contract())
tree = Path(sys.argv[2])
jail.adopt(tree)
def pair(decision): return decision.answer.value, decision.why
bench = Bench(
    jail=jail, view=View(tree=tree, at=Path("/jam/repo"), env={"PATH": "/usr/bin:/bin"}),
    oracle=Oracle(gates=(Gate(run="true"),)), passing=frozenset(), is_read_only=lambda path: False,
    may_run=lambda script: pair(decide_command(policy, script)),
    may_write=lambda path: pair(decide_write(policy, path)), say=lambda line: None, stop=Event(),
)
script = Path(sys.argv[2]).parent / "script.yml"
commands = json.load(open(sys.argv[1]))
script.write_text("".join(f"- shell: {json.dumps(c)}\\n" for c in commands) + "- finish: true\\n")
agent, history = make(Means(argument=str(script))), []
left = Remaining(turns=99, seconds=600.0, tokens=10**6, cents=100.0)
brief = Brief(objective="Mend it.", targets=("tests/test_calc.py::test_add",))
for _ in range(len(commands) + 1):
    done = agent.turn(brief, bench, history=history, feedback="", remaining=left)
    history.append(done.memory)
assert done.wish.value == "finish" and len(history) == len(commands) + 1
"""
CONTRACT = """
version: 1
oracles:
  unit:
    gates: [{name: tests, run: python -m unittest -q, report: unittest}]
    frozen: [tests/]
"""


def make_repository(at: Path) -> Path:
    """One test that fails, one that passes."""
    shutil.rmtree(at.parent, ignore_errors=True)
    (at / "tests").mkdir(parents=True)
    (at / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (at / "tests/__init__.py").write_text("")
    (at / "tests/test_calc.py").write_text(
        "import unittest\n\nfrom calc import add\n\n\nclass Sums(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n\n"
        "    def test_none(self):\n        self.assertEqual(add(0, 0), 0)\n"
    )
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "one")):
        subprocess.run(("git", *words), cwd=at, check=True)
    return at


class Took(NamedTuple):
    clock: float
    processor: float

    def less(self, other: Took, *, by: int = 1) -> Took:
        return Took((self.clock - other.clock) / by, (self.processor - other.processor) / by)


Run = Callable[[Path, int], Took]


def taken(argv: list[str], *, ends: tuple[int, ...] = (0,)) -> Took:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ran = subprocess.run(argv, cwd=HERE.parent, capture_output=True, text=True, check=False)
    clock, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode not in ends:
        sys.exit(f"{argv[:3]} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(clock, used)


def scripted(python: str, program: str, *more: str) -> Run:
    def run(folder: Path, turns: int) -> Took:
        repository = make_repository(folder / "run" / "repository")
        commands = folder / "run" / "commands.json"
        commands.write_text(json.dumps([COMMANDS[n % len(COMMANDS)] for n in range(turns)]))
        return taken([python, "-c", program, str(commands), str(repository), *more])

    return run


def jam_fix(folder: Path, turns: int) -> Took:
    """Ends red: nothing is mended, and both runs pay the same for being judged."""
    repository = make_repository(folder / "run" / "repository")
    lines = [f"- shell: {json.dumps(COMMANDS[n % len(COMMANDS)])}\n" for n in range(turns)]
    files = {"script.yml": "".join(lines) + "- give_up: enough\n", "jam.yml": CONTRACT}
    files["issue.md"] = "add is wrong\n"
    for name, content in files.items():
        (repository.parent / name).write_text(content)
    jam = str(Path(sys.executable).with_name("jam"))
    given = {"--repo": repository, "--issue": "issue.md", "--config": "jam.yml", "--state": "state"}
    words = [jam, "fix", "--agent", f"scripted:{repository.parent / 'script.yml'}"]
    for option, value in given.items():
        words += [option, str(repository.parent / value)]
    return taken(words, ends=(0, 1))


def peer_python(folder: Path) -> str:
    venv.create(folder / "peer", with_pip=True)
    python = folder / "peer" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True)
    return str(python)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--peer", help="a Python that has mini-swe-agent")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jam-turns-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        peer = chosen.peer or peer_python(folder)
        runs = {
            BARE_LOOP: scripted(sys.executable, BARE),
            "mini-swe-agent": scripted(peer, MINI, "local"),
            "mini-swe-agent, bwrap": scripted(peer, MINI, "bubblewrap"),
            "jam's agent, sandboxed": scripted(sys.executable, AGENT),
            "jam fix": jam_fix,
        }
        took: dict[str, list[Took]] = {who: [] for who in runs}
        for _ in range(chosen.rounds):
            for who, run in runs.items():
                took[who].append(run(folder, TURNS).less(run(folder, 0), by=TURNS))
    report({who: median(all_of_them) for who, all_of_them in took.items()}, chosen.rounds)


BARE_LOOP = "bare sh -c"


def median(took: list[Took]) -> Took:
    return Took(
        statistics.median(one.clock for one in took),
        statistics.median(one.processor for one in took),
    )


def report(took: dict[str, Took], rounds: int) -> None:
    load = os.getloadavg()[0]
    print(f"{TURNS} turns, median of {rounds} rounds, load {load:.1f}, {os.cpu_count()} cores")
    print(f"{'milliseconds a turn':27}    clock  of its own   processor  of its own")
    for who, turn in took.items():
        own = turn.less(took[BARE_LOOP])
        shown = (turn.clock, own.clock, turn.processor, own.processor)
        clock, own_clock, processor, own_processor = (f"{one * 1000:.1f}" for one in shown)
        print(f"  {who:25} {clock:>8} {own_clock:>11} {processor:>11} {own_processor:>11}")


if __name__ == "__main__":
    main()
