"""The escape suite holds in a jail, and breaks out where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from bot.adapters import escape
from bot.adapters.escape import Level
from bot.adapters.sandbox import NoJail, choose
from bot.adapters.sandbox.remedy import is_container
from bot.core.contract import SandboxKind
from bot.ports import Jail, Limits, Ran, View


def test_every_attempt_is_held_in_bubblewraps_jail() -> None:
    probes = escape.run(choose(SandboxKind.BWRAP))

    assert [(probe.name, probe.held, probe.remedy) for probe in probes] == [
        (name, True, "")
        for name in (
            *("environment", "kernel settings", "network", "names", "files of this machine"),
            *("writing elsewhere", "user namespaces", "devices", "processes", "survivors"),
        )
    ]


def test_without_a_sandbox_the_attempts_get_through_and_a_remedy_is_told() -> None:
    probes = {probe.name: probe for probe in escape.run(NoJail())}

    for name in ("environment", "network", "files of this machine", "processes"):
        assert not probes[name].held
        assert "--sandbox bwrap" in probes[name].remedy
    assert probes["survivors"].held


def test_the_attempts_leave_nothing_at_the_root_of_this_machine() -> None:
    before = set(Path("/").iterdir())

    escape.run(NoJail())

    assert set(Path("/").iterdir()) == before


@dataclass(frozen=True)
class Leaking:
    """A jail that hands on one variable of jam's own."""

    jail: Jail
    level: str = "bwrap"

    def adopt(self, folder: Path) -> None:
        self.jail.adopt(folder)

    def run(
        self,
        argv: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        stop: Event | None = None,
    ) -> Ran:
        first = Path("/proc/self/environ").read_bytes().split(b"\0")[0].decode()
        name, _, value = first.partition("=")
        leaking = replace(view, env={name: value})
        return self.jail.run(argv, view=leaking, limits=limits, stdin=stdin, stop=stop)


def test_a_variable_that_leaks_is_found() -> None:
    probes = escape.run(Leaking(choose(SandboxKind.BWRAP)))

    assert [probe.name for probe in probes if not probe.held] == ["environment"]


def test_grades_follow_from_what_is_built_in() -> None:
    assert escape.grade(NoJail()) is (Level.L1 if is_container() else Level.L0)
    assert escape.grade(choose(SandboxKind.BWRAP)) in {Level.L2, Level.L3}
