"""
jam's own proxy: the only way from a jail to a model, and where the key is added.

A command in a jail without a network opens a port on its own loopback and hands it out through a
socket, once, before the agent's command begins; here it is answered. The key never goes in. It
decides which hosts are reached, by exact name; what a contract may ask for is not known here.
"""

from __future__ import annotations

import contextlib
import os
import ssl
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.adapters.proxy.calls import Calls
from bot.adapters.proxy.door import Door
from bot.adapters.proxy.upstream import Upstream
from bot.core.proxied import Lent, Used
from bot.core.redact import Redactor
from bot.inside import jam_way_out
from bot.ports import Bind, Jail, View

PORT = 4790  # of the jail's own loopback, where nothing else listens yet
ADDRESS = f"http://127.0.0.1:{PORT}"
SEEN = Path("/run/jam-way-out")
STARTER = Path(jam_way_out.__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """The ``WayOut`` port. ``keys``: by the variable's name. ``ca``: instead of the system's."""

    lent: tuple[Lent, ...]
    keys: Mapping[str, str] = field(repr=False)
    ca: Path | None = None

    @contextlib.contextmanager
    def open(self, jail: Jail) -> Iterator[OpenWay]:
        calls = Calls(
            upstream=Upstream(context=ssl.create_default_context(cafile=self.ca), keys=self.keys),
            lent={one.host: one for one in self.lent},
            scrub=Redactor(self.keys.values()),
        )
        with (
            tempfile.TemporaryDirectory(prefix="jam-way-") as folder,
            Door(Path(folder), jail, port=PORT, answer=calls.answer),
            contextlib.closing(calls),
        ):
            yield OpenWay(self.lent, folder=Path(folder), calls=calls)


@dataclass(frozen=True, slots=True)
class OpenWay:
    """The ``Way`` port."""

    lent: tuple[Lent, ...]
    folder: Path = field(kw_only=True)
    calls: Calls = field(kw_only=True)

    def lead(self, argv: Sequence[str], view: View) -> tuple[Sequence[str], View]:
        python, needed = interpreter()
        inside = SEEN / STARTER.name
        before = (str(python), "-I", "-S", "-B", str(inside), str(SEEN / "door" / Door.NAME))
        named = {"JAM_PROXY_URL": ADDRESS}
        for one in self.lent:
            named |= dict(one.environment(ADDRESS))
        seen = replace(
            view,
            readable=tuple(dict.fromkeys((*view.readable, *needed))),
            binds=(*view.binds, Bind(self.folder, SEEN / "door"), Bind(STARTER, inside)),
            env={**view.env, **named},
        )
        return (*before, str(PORT), *argv), seen

    def used(self) -> tuple[Used, ...]:
        return self.calls.used()


def interpreter() -> tuple[Path, tuple[Path, ...]]:
    """jam's own, without any package of jam's environment; and what of the machine it needs."""
    python = Path(os.path.realpath(sys.executable))
    homes = {Path(os.path.realpath(home)) for home in (sys.base_prefix, sys.base_exec_prefix)}
    return python, tuple(sorted(home for home in homes if not home.is_relative_to("/usr")))
