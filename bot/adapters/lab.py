"""
Where ``repair`` searches: a gate's command on a throwaway copy of the checkout, in the jail, with
the search loaded behind it as a plugin and a socket for what it says.

It decides how the search gets in and how its words get out. It refuses to know what they mean, and
nothing that the tests write while they are run thousands of times reaches the agent's checkout.
"""

from __future__ import annotations

import json
import re
import selectors
import shlex
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread

from bot.adapters import door
from bot.adapters.rig import Around, Plugin, Rig, build
from bot.adapters.toolchain import Interpreter
from bot.core.contract import Dialect, Gate
from bot.core.experiment import Experiment
from bot.inside import jam_repair
from bot.ports import Bench, Bind, Limits, Ran, View

INSIDE = Path("/jam/repair")
ASK, DOOR = "ask.json", "socket"
GRACE_S = 20.0  # to say what was found when the time is up
CONNECTIONS, TALK_BYTES, LINE_BYTES = 64, 64 << 20, 4 << 20
SEARCH = Plugin(
    source=Path(jam_repair.__file__).parent, package="jam_repair", pytest="jam_repair.plugin"
)
OnLine = Callable[[bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RiggedLab:
    """The ``Lab`` of this machine. ``folder``: where copies are made, one for each run."""

    folder: Path
    interpreters: Callable[[], Sequence[Interpreter]]

    def run(self, experiment: Experiment, bench: Bench, *, on_line: OnLine) -> Ran:
        with _room(self.folder, bench) as room, Ear(room / "talk", on_line) as ear:
            view = replace(bench.view, tree=room / "tree")
            rig = self._rig(bench, view, room / "rig")
            talk = INSIDE if _is_jailed(bench) else ear.folder
            _write_ask(ear.folder, experiment, talk=talk, root=_root(bench, view))
            view = _with_talk(rig.laid_over(view), ear.folder, talk)
            command = command_of(experiment.gate, experiment.targets)
            limits = Limits(timeout_s=experiment.seconds + GRACE_S)
            return bench.jail.run(
                ("/bin/sh", "-c", command), view=view, limits=limits, stop=bench.stop
            )

    def _rig(self, bench: Bench, view: View, folder: Path) -> Rig:
        around = Around(
            path=view.env.get("PATH", ""),
            interpreters=self.interpreters(),
            tree=bench.view.tree,
            at=view.at,
        )
        return build((SEARCH,), around=around, folder=folder, is_jailed=_is_jailed(bench))


def command_of(gate: Gate, targets: Sequence[str]) -> str:
    """The gate's own, but for unittest: pytest runs those tests too, and carries the search."""
    if gate.report is not Dialect.UNITTEST:
        return gate.run
    found = re.search(r"-m\s+unittest\b([^;&|>]*)", gate.run)
    if found is None:
        return gate.run
    places = _places(shlex.split(found.group(1)), targets)
    words = ["-m", "pytest", "-q", "-o", "addopts=", "-o", "python_files=*.py", *places]
    return gate.run[: found.start()] + shlex.join(words) + gate.run[found.end() :]


def _places(words: Sequence[str], targets: Sequence[str]) -> list[str]:
    """Folders that discovery would look into, or the files of the modules that are named."""
    if "discover" in words:
        rest = [word for word in words if word not in ("discover", "-v", "-q", "-b", "-f")]
        if "-s" in rest and rest.index("-s") + 1 < len(rest):
            return [rest[rest.index("-s") + 1]]
        return [word for word in rest[:1] if not word.startswith("-")]
    named = [word for word in words if not word.startswith("-")] or list(targets)
    tops = {name.split(".")[0] for name in named if re.fullmatch(r"[\w.]+", name)}
    return sorted(top for top in tops if top) if words else []


def _root(bench: Bench, view: View) -> Path:
    return view.at if _is_jailed(bench) else view.tree


def _is_jailed(bench: Bench) -> bool:
    return bench.jail.level != "none"


def _with_talk(view: View, folder: Path, talk: Path) -> View:
    env = {**view.env, "JAM_REPAIR": str(talk / ASK), "PYTHONHASHSEED": "0"}
    binds = (*view.binds, Bind(folder, talk)) if talk == INSIDE else view.binds
    return replace(view, env=env, binds=binds)


def _write_ask(folder: Path, experiment: Experiment, *, talk: Path, root: Path) -> None:
    path = folder / ASK
    path.write_text(
        json.dumps(
            {
                "socket": str(talk / DOOR),
                "root": str(root),
                "editable": list(experiment.editable),
                "targets": list(experiment.targets),
                "passing": sorted(experiment.passing),
                "until": time.time() + experiment.seconds,
                "locate_only": experiment.locate_only,
                "skip": list(experiment.skip),
            }
        )
    )
    path.chmod(0o644)


@contextmanager
def _room(within: Path, bench: Bench) -> Iterator[Path]:
    """A folder with a copy of the checkout in it. Links are copied as links, never followed."""
    within.mkdir(parents=True, exist_ok=True)
    room = Path(tempfile.mkdtemp(prefix="lab-", dir=within))
    room.chmod(0o755)  # those inside have another uid
    try:
        # What is neither a file, a folder nor a link cannot be copied, and need not be.
        with suppress(shutil.Error):
            shutil.copytree(bench.view.tree, room / "tree", symlinks=True)
        bench.jail.adopt(room / "tree")
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


class Ear:
    """Hears every line as it is said, in a thread of its own, and forgets it."""

    def __init__(self, folder: Path, on_line: OnLine) -> None:
        folder.mkdir()
        folder.chmod(0o755)
        self.folder = folder
        self._on_line = on_line
        self._door = door.listen(folder / DOOR, waiting=16)
        self._stop, self._stopped = socket.socketpair()
        self._thread = Thread(target=self._listen, name="jam-repair-ear", daemon=True)
        self._thread.start()

    def __enter__(self) -> Ear:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.close()
        self._thread.join()
        self._stopped.close()

    def _listen(self) -> None:
        rests: dict[socket.socket, bytes] = {}
        heard = 0
        with selectors.DefaultSelector() as selector, self._door:
            selector.register(self._door, selectors.EVENT_READ)
            selector.register(self._stopped, selectors.EVENT_READ)
            over = False
            while not over:
                ready = [key.fileobj for key, _ in selector.select()]
                over = ready == [self._stopped]  # what was said before is heard first
                for peer in ready:
                    if peer is self._door:
                        self._accept(selector, rests)
                    elif isinstance(peer, socket.socket) and peer in rests:
                        heard += self._hear(selector, peer, rests)
                        over = over or heard > TALK_BYTES
            for peer in rests:
                peer.close()

    def _accept(self, selector: selectors.BaseSelector, rests: dict[socket.socket, bytes]) -> None:
        with suppress(OSError):  # whoever knocked is gone again
            peer, _ = self._door.accept()
            if len(rests) >= CONNECTIONS:
                peer.close()
                return
            peer.settimeout(0)
            rests[peer] = b""
            selector.register(peer, selectors.EVENT_READ)

    def _hear(
        self,
        selector: selectors.BaseSelector,
        peer: socket.socket,
        rests: dict[socket.socket, bytes],
    ) -> int:
        try:
            chunk = peer.recv(1 << 18)
        except OSError:
            chunk = b""
        *lines, rest = (rests[peer] + chunk).split(b"\n")
        for line in lines:
            self._on_line(line)
        if not chunk or len(rest) > LINE_BYTES:
            selector.unregister(peer)
            del rests[peer]
            peer.close()
        else:
            rests[peer] = rest
        return len(chunk)
