"""
The rig of one session: built when it is first needed, and again only for another environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from bot.adapters import folders
from bot.adapters.rig import REPORTER, Around, Plugin, Rig, build
from bot.adapters.stage import LocalStage


@dataclass(frozen=True, slots=True, kw_only=True)
class Rigging:
    """``folder`` is this rigging's own. ``tree`` is the user's checkout on this machine."""

    stage: LocalStage
    tree: Path
    folder: Path
    plugins: Sequence[Plugin] = (REPORTER,)
    _built: dict[str, Rig] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def get(self) -> Rig:
        found = self.stage.toolchain
        with self._lock:  # rooms run side by side
            if found.path not in self._built:
                folder = self.folder / str(len(self._built))
                folders.remove(folder)
                self._built[found.path] = build(
                    self.plugins,
                    around=Around(
                        path=found.path,
                        interpreters=found.interpreters,
                        tree=self.tree,
                        at=self.stage.at,
                    ),
                    folder=folder,
                    is_jailed=self.stage.jail.level != "none",
                )
            return self._built[found.path]
