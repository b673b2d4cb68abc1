"""
No sandbox: commands run as the user, in the tree's own place on the machine.

What it still decides: a bare environment, a home and a temporary folder that are gone afterwards,
and that nothing a command started outlives it. What it cannot do is told by its level: nothing is
hidden, nothing is read-only, the network is there, and ``View.at`` is only a name for the tree.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.adapters.runner import Start, run
from bot.adapters.sandbox import keeper, layout
from bot.ports import Limits, Ran, View

GRACE_S = 2.0


class NoJail:
    @property
    def level(self) -> str:
        return "none"

    def adopt(self, folder: Path) -> None:
        """Commands run as the user, whose files these are already."""

    def run(
        self,
        argv: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        stop: threading.Event | None = None,
    ) -> Ran:
        figures = (limits.processes, limits.file_bytes, limits.memory_bytes)
        with tempfile.TemporaryDirectory(prefix="jam-", ignore_cleanup_errors=True) as own:
            kept = (sys.executable, "-I", "-S", keeper.__file__, *map(str, figures), own)
            start = Start(
                argv=(*kept, *(outside(word, view) for word in argv)),
                env=_environment(view, own=own),
                cwd=view.tree,
                stdin=stdin,
            )
            return run(start, limits=limits, leash=KeeperLeash(), stop=stop)


class KeeperLeash:
    """The keeper ends what the command started; where it was itself stopped, this does."""

    def hold(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def end(self) -> None:
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=GRACE_S)
        except subprocess.TimeoutExpired:
            keeper.end_all(self._process.pid)
            self._process.kill()


def outside(text: str, view: View) -> str:
    """A path of the view, or a list of them, by its name on this machine."""
    return ":".join(_outside(part, view) for part in text.split(":"))


def _outside(text: str, view: View) -> str:
    path = Path(text)
    for bind in reversed(view.binds):
        if bind.target in (path, *path.parents):
            return str(bind.source / path.relative_to(bind.target))
    if view.at in (path, *path.parents):
        return str(view.tree / path.relative_to(view.at))
    return text


def _environment(view: View, *, own: str) -> Mapping[str, str]:
    named = {name: outside(value, view) for name, value in view.env.items()}
    return {**layout.DEFAULTS, "HOME": own, "TMPDIR": own, **named}
