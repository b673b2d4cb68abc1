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
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.adapters import folders
from bot.adapters.toolchain import Interpreter, Toolchain
from bot.adapters.workcopy import GitWorkcopy
from bot.ports import Bind, Jail, Limits, Ran, Ready, View

ENVIRONMENT = Path("/jam/env")
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
    toolchain: Toolchain
    setting: Setting
    at: Path  # where every checkout is seen
    own: Path  # jam's environment for this session, if there is a setup

    def prepare(self, *, setup: str) -> Ready:
        if not setup:
            return Ready(
                environment_sha256=digest_of_places(self._user_places()),
                withheld=self.setting.withheld,
            )
        folders.fresh(self.own, lambda made: (made / "home").mkdir())
        self.jail.adopt(self.own)
        room = self.workcopy.room(self.base_tree, name="setup")
        try:
            ran = self._set_up(room, setup)
            layer = self.workcopy.capture_layer(room, self.base_tree)
        finally:
            self.workcopy.discard(room)
        self.workcopy.use_layer(layer)
        return Ready(
            environment_sha256=digest_of_places((self.own,)),
            layer_sha256=layer.digest if layer.made else None,
            withheld=self.setting.withheld,
            ran=ran,
        )

    def resume(self, ready: Ready) -> None:
        """Take up what ``prepare`` made in an earlier process."""
        if ready.layer_sha256:
            self.workcopy.use_layer(self.workcopy.load_layer(ready.layer_sha256))

    def changed_since(self, ready: Ready) -> bool:
        places = (self.own,) if self.own.exists() else self._user_places()
        return digest_of_places(places) != ready.environment_sha256

    def view(self, tree: Path) -> View:
        own = (Bind(self.own, ENVIRONMENT),) if self.own.exists() else ()
        return View(
            tree=tree,
            at=self.at,
            readable=(*self.toolchain.readable, *self.workcopy.readable),
            binds=(*self.toolchain.binds, *own),
            env={**self.setting.given, **self.toolchain.env, **self._own_env(), "PATH": self.path},
        )

    @property
    def path(self) -> str:
        venv = self.own / "venv" / "bin"
        first = (str(ENVIRONMENT / "venv" / "bin"),) if venv.is_dir() else ()
        return ":".join((*first, self.toolchain.path))

    @property
    def interpreters(self) -> tuple[Interpreter, ...]:
        """Those a gate may call: the own environment's first."""
        found = tuple(
            replace(
                self._base(),
                executable=ENVIRONMENT / "venv" / "bin" / program.name,
                prefix=ENVIRONMENT / "venv",
                site_packages=tuple(
                    ENVIRONMENT / site.relative_to(self.own) for site in _site_packages(self.own)
                ),
                is_environment=True,
            )
            for program in sorted((self.own / "venv" / "bin").glob("python*"))
        )
        return (*found, *self.toolchain.interpreters)

    def on_disk(self, inside: Path) -> Path:
        """A place of the own environment, by its name on this machine."""
        if ENVIRONMENT in inside.parents:
            return self.own / inside.relative_to(ENVIRONMENT)
        return inside

    def _base(self) -> Interpreter:
        return self.toolchain.interpreters[0]

    def _own_env(self) -> dict[str, str]:
        has_venv = (self.own / "venv").is_dir()
        return {"VIRTUAL_ENV": str(ENVIRONMENT / "venv")} if has_venv else {}

    def _set_up(self, room: Path, setup: str) -> Ran:
        script = f"{_make_venv(setup)}{setup}" if self.toolchain.interpreters else setup
        view = self.view(room)
        home = str(ENVIRONMENT / "home")
        path = f"{ENVIRONMENT}/venv/bin:{self.path}"
        view = replace(
            view,
            network=True,
            binds=(*self.toolchain.binds, Bind(self.own, ENVIRONMENT, writable=True)),
            env={**view.env, **self.setting.network, "HOME": home, "PATH": path},
        )
        return self.jail.run(["/bin/sh", "-c", script], view=view, limits=Limits(timeout_s=SETUP_S))

    def _user_places(self) -> tuple[Path, ...]:
        return tuple(
            dict.fromkeys(
                site for found in self.toolchain.interpreters for site in found.site_packages
            )
        )


def _make_venv(setup: str) -> str:
    if not any(word in setup for word in PYTHON_WORDS):
        return ""
    where = ENVIRONMENT / "venv"
    return f"PY=$(command -v python3 || command -v python) && $PY -m venv {where} || exit 97\n"


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


def _site_packages(own: Path) -> Iterator[Path]:
    yield from sorted((own / "venv" / "lib").glob("python3*/site-packages"))
