"""
Control groups: one bound on memory and processes for all of a command together.

Where this machine lets jam make groups (mostly where it is root), every command gets one of its
own. Where not, the limits of each single process have to do; nothing here is needed for safety.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.ports import Limits

MOUNT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
NEEDED = frozenset({"memory", "pids"})
OVERHEAD = 16  # the sandbox's own processes
REMOVE_S = 2.0
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which groups can be made, and the names of its settings."""

    folder: Path
    memory: tuple[str, ...] = ()
    processes: str = ""

    def settings(self, limits: Limits) -> Mapping[str, int]:
        bounds = dict.fromkeys(self.memory, limits.memory_bytes)
        return bounds | ({self.processes: limits.processes + OVERHEAD} if self.processes else {})


@dataclass(frozen=True, slots=True)
class Group:
    folders: tuple[Path, ...]

    def add(self, pid: int) -> None:
        for folder in self.folders:
            with contextlib.suppress(ProcessLookupError):  # it could not start and is gone again
                (folder / "cgroup.procs").write_text(str(pid))


def places(*, mount: Path = MOUNT) -> tuple[Place, ...]:
    """Where both bounds can be had; nothing where only one can."""
    found = _unified(mount) or _by_controller(mount)
    for place in found:
        _sweep(place.folder)
    try:
        with made(found, Limits(timeout_s=1)):
            return found
    except OSError:
        return ()


@contextlib.contextmanager
def made(places: tuple[Place, ...], limits: Limits) -> Iterator[Group | None]:
    """A group that is gone afterwards; it must be empty by then."""
    if not places:
        yield None
        return
    name = f"jam-{os.getpid()}-{next(_numbers)}"
    folders: list[Path] = []
    try:
        for place in places:
            folder = place.folder / name
            folder.mkdir()
            folders.append(folder)
            for setting, value in place.settings(limits).items():
                (folder / setting).write_text(str(value))
        yield Group(tuple(folders))
    finally:
        for folder in folders:
            _remove(folder)


def _unified(mount: Path) -> tuple[Place, ...]:
    """Only where both are handed down already: how this machine is divided is not jam's to say."""
    control = mount / "cgroup.subtree_control"
    handed_down = control.read_text().split() if control.is_file() else ()
    return (Place(mount, ("memory.max",), "pids.max"),) if set(handed_down) >= NEEDED else ()


def _by_controller(mount: Path) -> tuple[Place, ...]:
    own: dict[str, str] = {}
    for line in OWN.read_text().splitlines() if OWN.is_file() else ():
        _number, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path.lstrip("/"))
    if not own.keys() >= NEEDED:
        return ()
    return (
        Place(mount / "memory" / own["memory"], memory=("memory.limit_in_bytes",)),
        Place(mount / "pids" / own["pids"], processes="pids.max"),
    )


def _remove(folder: Path) -> None:
    """The kernel lets go of the dead a moment after they died."""
    deadline = time.monotonic() + REMOVE_S
    while time.monotonic() < deadline:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)
        else:
            return


def _sweep(folder: Path) -> None:
    """What a jam that was killed left behind."""
    for group in folder.glob("jam-*-*"):
        if not Path("/proc", group.name.split("-")[1]).exists():
            with contextlib.suppress(OSError):
                group.rmdir()
