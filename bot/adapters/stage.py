"""
Where commands run: the sandbox, and the environment that was there before any agent.

Without a setup it is the user's own (what the commands name on PATH), seen read-only. With one,
jam makes an environment of its own, lets the setup write into it once, over the network, and shows
it read-only ever after. Either way a checkout is seen at the same place by everybody, so that an
editable install means the tree that is being judged.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from bot.adapters import folders
from bot.adapters.toolchain import Toolchain
from bot.adapters.workcopy import GitWorkcopy
from bot.errors import TransientError
from bot.ports import Bind, Ended, Jail, Limits, Ran, Ready, View

SETUP_S = 1800.0
PYTHON_WORDS = ("python", "pip", "uv ", "poetry", "pdm", "hatch", "tox", "nox", "pytest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """``given``: variables that commands may have. ``network``: those that only the setup gets.
    ``withheld``: names of those that nobody gets."""

    given: Mapping[str, str]
    network: Mapping[str, str]
    withheld: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class LocalStage:
    """The ``Stage`` port on this machine."""

    jail: Jail
    workcopy: GitWorkcopy
    base_tree: str
    find: Callable[[str], Toolchain]  # what the commands need, for a PATH
    path: str  # the user's PATH
    setting: Setting
    at: Path  # where every checkout is seen
    own: Path  # jam's environment for this session, if there is a setup
    halt: Event = field(default_factory=Event)  # ends a setup
    _found: dict[str, Toolchain] = field(default_factory=dict)

    @property
    def toolchain(self) -> Toolchain:
        """Of the own environment where there is one, else the user's."""
        bins = self.own / "venv" / "bin"
        path = f"{bins}:{self.path}" if bins.is_dir() else self.path
        if path not in self._found:
            self._found[path] = self.find(path)
        return self._found[path]

    def prepare(self, *, setup: str) -> Ready:
        ran = self._set_up(setup) if setup else None
        layer = self.workcopy.setup_layer
        return Ready(
            environment_sha256=self.environment(),
            layer_sha256=layer.digest if layer.made else None,
            withheld=self.setting.withheld,
            ran=ran,
        )

    def resume(self, layer_sha256: str | None) -> None:
        """Take up what ``prepare`` made in an earlier process."""
        if layer_sha256:
            self.workcopy.use_layer(self.workcopy.load_layer(layer_sha256))

    def environment(self) -> str:
        return digest_of_places(self._places())

    def view(self, tree: Path) -> View:
        found = self.toolchain
        own = (self.own,) if self.own.exists() else ()
        venv = self.own / "venv"
        named = {"VIRTUAL_ENV": str(venv)} if venv.is_dir() else {}
        return View(
            tree=tree,
            at=self.at,
            readable=(*found.readable, *self.workcopy.readable, *own),
            binds=found.binds,
            env={**self.setting.given, **found.env, **named, "PATH": found.path},
        )

    def _set_up(self, setup: str) -> Ran:
        folders.remove(self.own)
        (self.own / "home").mkdir(parents=True)
        self.jail.adopt(self.own)
        room = self.workcopy.room(self.base_tree, name="setup")
        try:
            ran = self._run_setup(room, setup)
            layer = self.workcopy.capture_layer(room, self.base_tree)
        finally:
            self.workcopy.discard(room)
        self.workcopy.use_layer(layer)
        return ran

    def _run_setup(self, room: Path, setup: str) -> Ran:
        """Online, with the environment writable: the only time that either is so."""
        found = self.toolchain
        bins = self.own / "venv" / "bin"
        view = replace(
            self.view(room),
            network=True,
            readable=(*found.readable, *self.workcopy.readable),
            binds=(*found.binds, Bind(self.own, self.own, writable=True)),
            env={
                **self.setting.given,
                **found.env,
                **self.setting.network,
                "HOME": str(self.own / "home"),
                "PATH": f"{bins}:{found.path}",
            },
        )
        script = f"{_make_venv(setup, self.own / 'venv') if found.interpreters else ''}{setup}"
        limits = Limits(timeout_s=SETUP_S)
        ran = self.jail.run(["/bin/sh", "-c", script], view=view, limits=limits, stop=self.halt)
        if ran.ended is Ended.STOPPED:
            raise TransientError("the setup was stopped by a person")
        return ran

    def _places(self) -> tuple[Path, ...]:
        """What would change what commands find."""
        if self.own.exists():
            layer = self.workcopy.setup_layer
            return (self.own, layer.folder) if layer.made else (self.own,)
        sites = (site for found in self.toolchain.interpreters for site in found.site_packages)
        return tuple(dict.fromkeys(sites))


def _make_venv(setup: str, where: Path) -> str:
    """A virtual environment of jam's own, for a setup that speaks of Python."""
    if not any(word in setup for word in PYTHON_WORDS):
        return ""
    quoted = shlex.quote(str(where))
    return f'"$(command -v python3 || command -v python)" -m venv {quoted} || exit\n'


def digest_of_places(places: Sequence[Path]) -> str:
    """Over every name, size, time of change and mode below these folders; follows no link."""
    digest = hashlib.sha256()
    for place in places:
        digest.update(os.fsencode(place) + b"\0")
        for line in _listing(os.fsencode(place)):
            digest.update(line)
    return digest.hexdigest()


def _listing(top: bytes) -> Iterator[bytes]:
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            told = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(told.st_mode):
                if entry.name != b"__pycache__":
                    waiting.append(entry.path)
                continue
            yield b"%s %d %d %o\0" % (entry.path, told.st_size, told.st_mtime_ns, told.st_mode)
