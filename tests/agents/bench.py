"""A bench to try agents on: a real folder, a real jail, and a policy of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event

from bot.adapters.runner import Start, run
from bot.adapters.sandbox import NoJail, choose
from bot.core.contract import Gate, Oracle, SandboxKind
from bot.core.policy import OWN, Decision, Policy, compose, decide_command, decide_write
from bot.ports import Bench, Brief, Jail, Limits, Ran, Remaining, View

AT = Path("/jam/repo")
PATH = "/usr/local/bin:/usr/bin:/bin"
JAILS = ("none", "bwrap")
BRIEF = Brief(objective="Make it right.", targets=("tests/test_a.py::test_a",))
PLENTY = Remaining(turns=60, seconds=60.0, tokens=2_000_000, cents=500.0)


@dataclass(frozen=True, slots=True)
class Lab:
    """``said`` collects the lines of progress."""

    tree: Path
    bench: Bench
    stop: Event
    said: list[str] = field(default_factory=list)

    def text(self, path: str) -> str:
        return (self.tree / path).read_text()


class PlainJail:
    """Real commands, in their own group, without anything around them: quick."""

    level = "none"

    def adopt(self, folder: Path) -> None:
        pass

    def run(
        self,
        argv: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        stop: Event | None = None,
    ) -> Ran:
        start = Start(argv=argv, env=view.env, cwd=view.tree, stdin=stdin)
        return run(start, limits=limits, stop=stop)


def make_lab(tree: Path, *, policy: Policy = OWN, jail: str = "plain") -> Lab:
    tree.mkdir(parents=True, exist_ok=True)
    ruled = compose(OWN, policy)
    stop, said = Event(), list[str]()
    chosen = a_jail(jail)
    chosen.adopt(tree)
    bench = Bench(
        jail=chosen,
        view=View(tree=tree, at=AT, env={"PATH": PATH}),
        oracle=Oracle(gates=(Gate(run="true"),)),
        passing=frozenset(),
        is_read_only=lambda path: path.casefold() in ruled.frozen,
        may_run=lambda script: _pair(decide_command(ruled, script)),
        may_write=lambda path: _pair(decide_write(ruled, path)),
        say=said.append,
        stop=stop,
    )
    return Lab(tree, bench, stop, said)


@cache
def a_jail(kind: str) -> Jail:
    """One of each is enough; every bubblewrap jail holds a user of its own."""
    match kind:
        case "plain":
            return PlainJail()
        case "none":
            return NoJail()
        case _:
            return choose(SandboxKind.BWRAP)


def _pair(decision: Decision) -> tuple[str, str]:
    return decision.answer.value, decision.why
