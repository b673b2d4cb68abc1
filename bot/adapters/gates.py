"""
Runs a gate's command in a room, with jam's reporter beside it and a socket for what it says.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from bot.adapters import folders
from bot.adapters.channel import Channel, Wishes
from bot.adapters.rigging import Rigging
from bot.adapters.stage import LocalStage
from bot.core.contract import Dialect, Gate
from bot.errors import TransientError
from bot.ports import Ended, GateRan, Limits, Ran, View

REPORT_BYTES = 64 << 20
SHELL = "/bin/sh"
REPORTED = (Dialect.PYTEST, Dialect.UNITTEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class JailedGates:
    """
    The ``GateRunner`` port. ``folder``: where sockets are made, one for each run. A run that
    ``halt`` ends says nothing of its tree, so it raises ``TransientError``.
    """

    stage: LocalStage
    folder: Path
    rig: Rigging
    halt: Event = field(default_factory=Event)

    def run(
        self,
        gate: Gate,
        room: Path,
        *,
        select: tuple[str, ...] | None = None,
        seed: int = 0,
        watch: tuple[str, ...] = (),
    ) -> GateRan:
        if gate.report_file:
            forget_inside(room, gate.report_file)
        # Without a sandbox nothing can be mounted: the room is where it is.
        root = str(room if self.stage.jail.level == "none" else self.stage.at)
        wishes = Wishes(
            dialect=gate.report.value,
            root=root,
            watch=watch,
            select=select,
            seed=seed,
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        with Channel.open(wishes, within=self.folder) as channel:
            ran = self._run(gate, room, channel.folder, select=select, seed=seed)
            recording = channel.close()
        return GateRan(
            ran=ran,
            root=root,
            recording=recording.to_bytes(),
            report_file=read_inside(room, gate.report_file) if gate.report_file else None,
        )

    def look(self, room: Path, paths: Iterable[str]) -> Mapping[str, str]:
        return {path: state(room / path) for path in paths}

    def ask(self, command: str, room: Path, *, timeout_s: float) -> Ran:
        view = self.stage.view(room)
        return self._let_run(command, view, Limits(timeout_s=timeout_s))

    def _run(
        self, gate: Gate, room: Path, channel: Path, *, select: tuple[str, ...] | None, seed: int
    ) -> Ran:
        view = self.rig.get().talking(channel).laid_over(self.stage.view(room))
        view = replace(view, env={**view.env, "PYTHONHASHSEED": str(seed)})
        return self._let_run(command_of(gate, select), view, Limits(timeout_s=gate.timeout_s))

    def _let_run(self, command: str, view: View, limits: Limits) -> Ran:
        return unhalted(
            self.stage.jail.run([SHELL, "-c", command], view=view, limits=limits, stop=self.halt)
        )


def unhalted(ran: Ran) -> Ran:
    """``TransientError`` where somebody ended it, who waits for no answer."""
    if ran.ended is Ended.STOPPED:
        raise TransientError("what ran was stopped by a person")
    return ran


def state(path: Path) -> str:
    """The time of change is the system's own: whoever puts a file back cannot put it back, too."""
    try:
        found = os.lstat(path)
    except OSError:
        return "absent"
    return f"{found.st_ino} {found.st_ctime_ns} {found.st_mode:o} {found.st_size}"


def command_of(gate: Gate, select: tuple[str, ...] | None) -> str:
    """The gate's command. Where its dialect has no reporter of ours, ``select`` narrows it: a word
    with ``{id}`` in it stands once for each id, and without one the ids follow as words."""
    if select is None or not gate.select or gate.report in REPORTED:
        return gate.run
    has_place = any("{id}" in word for word in gate.select)
    words = [
        part
        for word in gate.select
        for part in ([word.replace("{id}", i) for i in select] if "{id}" in word else [word])
    ]
    return f"{gate.run} {shlex.join([*words, *(() if has_place else select)])}"


def read_inside(room: Path, name: str) -> bytes | None:
    """A regular file below ``room``, never through a link, at most ``REPORT_BYTES`` of it."""
    at = os.open(room, os.O_PATH | os.O_DIRECTORY)
    try:
        *above, last = Path(name).parts
        for part in above:
            below = os.open(part, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=at)
            os.close(at)
            at = below
        held = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError:
        return None
    finally:
        os.close(at)
    with os.fdopen(held, "rb") as file:
        plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        return file.read(REPORT_BYTES) if plain else None


def forget_inside(room: Path, name: str) -> None:
    """A report of an earlier run must not be taken for this one's."""
    path = room / name
    if room.resolve() in path.parent.resolve().parents or path.parent.resolve() == room.resolve():
        folders.remove(path)
