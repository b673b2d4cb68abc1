"""
Runs a gate's command in a room under a condition: order, seeds, clock, zone, load and the rest.

Decides how each part of a condition reaches the command. The command itself is never changed: what
varies comes through the reporter's wishes, the environment, or stands in front of it in the shell.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from bot.adapters.channel import SOCKET, Channel, Measure, Wishes
from bot.adapters.gates import REPORTED, SHELL, command_of, forget_inside, read_inside
from bot.adapters.rigging import Rigging
from bot.adapters.stage import LocalStage
from bot.core.contract import Gate
from bot.core.flaky.condition import Condition, Order
from bot.core.flaky.means import Means
from bot.ports import Bind, Limits, Ran, View
from bot.ports.flaky import Varied
from bot.ports.gates import GateRan

FAKETIME = "/usr/lib/*/faketime/libfaketimeMT.so.1"
BESIDE = Path("/jam/channel-before")
BUSY = "while :; do :; done &"


@dataclass(frozen=True, slots=True, kw_only=True)
class JailedVariedGates:
    """The ``VariedGates`` port. ``folder``: where sockets are made.
    ``may_network``: a person said so."""

    stage: LocalStage
    folder: Path
    rig: Rigging
    cores: int
    may_network: bool = False

    def means(self, gate: Gate) -> Means:
        has_order = gate.report in REPORTED
        has_clock = _library() is not None
        has_workers = has_order and self._has("xdist")
        locales = _locales()
        missing = {
            "tests of this dialect cannot be reordered or repeated": not has_order,
            "the clock cannot be set: faketime is not installed": not has_clock,
            "tests cannot run beside each other: pytest-xdist is not installed": not has_workers,
            "no other language is installed: only the plain locale was tried": len(locales) < 2,
            "nothing ran with network: --network allows it": not self.may_network,
        }
        return Means(
            order=has_order,
            clock=has_clock,
            workers=has_workers,
            network=self.may_network,
            locales=locales,
            cores=self.cores,
            missing=tuple(why for why, is_so in missing.items() if is_so),
        )

    def run(
        self, gate: Gate, room: Path, condition: Condition, *, timeout_s: float, look: bool
    ) -> Varied:
        if gate.report_file:
            forget_inside(room, gate.report_file)
        root = str(room if self.stage.jail.level == "none" else self.stage.at)
        wishes = wishes_of(gate, condition, root=root, look=look)
        self.folder.mkdir(parents=True, exist_ok=True)
        with (
            Channel.open(wishes, within=self.folder) as channel,
            Channel.open(wishes, within=self.folder) as earlier,
        ):
            view = self.rig.get().talking(channel.folder).laid_over(self.stage.view(room))
            command = _command(gate, condition)
            if condition.reused_folder:
                view, place = self._beside(view, earlier.folder)
                # The first run's words go to another channel, and nobody listens to them.
                command = f"(export JAM_CHANNEL={place}; {command}) >/dev/null 2>&1; {command}"
            ran = self.stage.jail.run(
                [SHELL, "-c", command],
                view=self._varied(view, condition),
                limits=Limits(timeout_s=timeout_s * (1 + condition.reused_folder)),
            )
            load = os.getloadavg()[0]
            recording = channel.close()
        report = read_inside(room, gate.report_file) if gate.report_file else None
        got = GateRan(ran=ran, root=root, recording=recording.to_bytes(), report_file=report)
        return Varied(got=got, load=load)

    def ask(self, command: str, room: Path, *, timeout_s: float) -> Ran:
        return self.stage.jail.run(
            [SHELL, "-c", command], view=self.stage.view(room), limits=Limits(timeout_s=timeout_s)
        )

    def _beside(self, view: View, channel: Path) -> tuple[View, str]:
        if self.stage.jail.level == "none":
            return view, shlex.quote(str(channel / SOCKET))
        return replace(view, binds=(*view.binds, Bind(channel, BESIDE))), str(BESIDE / SOCKET)

    def _varied(self, view: View, condition: Condition) -> View:
        seed = "random" if condition.hash_seed is None else str(condition.hash_seed)
        env = {**view.env, "PYTHONHASHSEED": seed}
        if condition.zone:
            env["TZ"] = condition.zone
        if condition.locale:
            env |= {"LC_ALL": condition.locale, "LANG": condition.locale}
        network = condition.network and self.may_network
        return replace(view, env=env, network=network)

    def _has(self, package: str) -> bool:
        return any(
            (site / package).is_dir()
            for found in self.stage.toolchain.interpreters[:1]
            for site in found.site_packages
        )


def wishes_of(gate: Gate, condition: Condition, *, root: str, look: bool) -> Wishes:
    return Wishes(
        dialect=gate.report.value,
        root=root,
        select=condition.tests or None,
        seed=condition.order_seed + 1 if condition.order is Order.SHUFFLED else 0,
        backwards=condition.order is Order.REVERSED,
        across=True,
        given=condition.tests if condition.order is Order.GIVEN else (),
        measure=Measure(
            repeat=condition.repeat,
            workers=condition.workers,
            random_seed=condition.random_seed,
            look=look,
        ),
    )


def _command(gate: Gate, condition: Condition) -> str:
    """With what only a shell can do standing in front of it."""
    parts = [BUSY] * condition.load
    library = _library()
    if condition.clock is not None and library is not None:
        names = {
            "LD_PRELOAD": str(library),
            "FAKETIME": f"@{int(condition.clock.timestamp())}",
            "FAKETIME_FMT": "%s",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_NO_CACHE": "1",
        }
        parts += [f"export {name}={shlex.quote(value)};" for name, value in names.items()]
    return " ".join([*parts, command_of(gate, condition.tests or None)])


def _library() -> Path | None:
    if shutil.which("faketime") is None:
        return None
    return next(iter(sorted(Path("/").glob(FAKETIME.lstrip("/")))), None)


def _locales() -> tuple[str, ...]:
    """The plain one, and what has been made on this machine besides."""
    made = {path.name for path in Path("/usr/lib/locale").glob("*_*") if path.is_dir()}
    return ("C", *sorted(made)[:2])
