"""
Lets a gate's command load jam's plugins without changing a word of it.

It decides how: a folder on PYTHONPATH that brings an entry point, programs in front of PATH that
put that folder back where a command sets PYTHONPATH itself, and, in a sandbox, a copy of each
site-packages folder made of links, with the plugins beside them, for everything that looks at
neither. Nothing of the user's is written, and without the plugins' channel they keep silent. It
refuses to know what the plugins do.
"""

from __future__ import annotations

import compileall
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from py_compile import PycInvalidationMode

from bot import reporter
from bot.adapters.channel import INSIDE as CHANNEL
from bot.adapters.channel import SOCKET
from bot.adapters.toolchain import Interpreter
from bot.ports import Bind, View

INSIDE = Path("/jam/rig")
SHIMMED = re.compile(r"python[0-9.]*|pytest|py\.test|coverage[0-9.-]*|tox|nox|hatch")
PASSED_ON = "PYTHONPATH,JAM_CHANNEL"
TOX = f"testenv.pass_env+={PASSED_ON};env_run_base.pass_env+={PASSED_ON}"
METADATA = (".dist-info", ".egg-info", ".pth", "__pycache__")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """``package`` is the name under which ``source``, a folder of modules, can be imported."""

    source: Path
    package: str
    pytest: str  # the module that pytest loads
    start: str = ""  # the module whose ``start`` every interpreter calls first


REPORTER = Plugin(
    source=Path(reporter.__file__).parent,
    package="jam_reporter",
    pytest="jam_reporter.plugin",
    start="jam_reporter.start",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Where the command will run. ``path`` is PATH inside; ``tree``, on this machine, is seen at
    ``at``."""

    path: str
    interpreters: Sequence[Interpreter]
    tree: Path
    at: Path

    def inside(self, path: Path) -> Path:
        return self.at / path.relative_to(self.tree) if path.is_relative_to(self.tree) else path

    def outside(self, path: Path) -> Path:
        return self.tree / path.relative_to(self.at) if path.is_relative_to(self.at) else path


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """What a view gets in addition. ``kit`` and ``path`` come first on PYTHONPATH and PATH."""

    kit: Path
    path: Path
    binds: tuple[Bind, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def laid_over(self, view: View) -> View:
        env = {**view.env, **self.env}
        env["PYTHONPATH"] = _first(self.kit, view.env.get("PYTHONPATH", ""))
        env["PATH"] = _first(self.path, view.env.get("PATH", ""))
        # tox gives its environments nothing that it was not told to pass on.
        env["TOX_OVERRIDE"] = ";".join(filter(None, (view.env.get("TOX_OVERRIDE"), TOX)))
        return replace(view, env=env, binds=(*view.binds, *self.binds))

    def talking(self, channel: Path) -> Rig:
        """With a channel's folder where reporters look for it, or told where it is."""
        if self.kit.is_relative_to(INSIDE):
            return replace(self, binds=(*self.binds, Bind(channel, CHANNEL)))
        return replace(self, env={**self.env, "JAM_CHANNEL": str(channel / SOCKET)})


def build(
    plugins: Sequence[Plugin], *, around: Around, folder: Path, is_jailed: bool = True
) -> Rig:
    """``folder`` must not exist; what is made in it serves any number of commands."""
    home = INSIDE if is_jailed else folder
    kit, shims = folder / "kit", folder / "shims"
    _make_kit(kit, plugins)
    _make_shims(shims, home / "kit", plugins, around)
    shadows = _make_shadows(folder, plugins, around) if is_jailed else ()
    for made in (folder, *folder.rglob("*")):
        if not made.is_symlink():  # those inside have another uid, whatever the umask says
            made.chmod(0o755 if made.is_dir() or made.parent == shims else 0o644)
    binds = (Bind(folder, INSIDE), *shadows) if is_jailed else ()
    return Rig(kit=home / "kit", path=home / "shims", binds=binds)


def _make_kit(kit: Path, plugins: Sequence[Plugin]) -> None:
    kit.mkdir(parents=True)
    for plugin in plugins:
        package = kit / plugin.package
        package.mkdir()
        for file in plugin.source.glob("*.py"):
            shutil.copyfile(file, package / file.name)
        about = kit / f"{plugin.package}-1.dist-info"
        about.mkdir()
        about.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {plugin.package}\nVersion: 1\n"
        )
        # Under its own name, so that pytest knows it again when the environment names it, too.
        about.joinpath("entry_points.txt").write_text(
            f"[pytest11]\n{plugin.pytest} = {plugin.pytest}\n"
        )
    (kit / "jam_start.py").write_text(_START.format(starts=[p.start for p in plugins if p.start]))
    (kit / "sitecustomize.py").write_text(_SITECUSTOMIZE)
    # No run may write here, so each would compile it anew: a third of what a short one takes.
    compileall.compile_dir(kit, quiet=2, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)


def _make_shims(shims: Path, kit: Path, plugins: Sequence[Plugin], around: Around) -> None:
    shims.mkdir()
    named = ",".join(plugin.pytest for plugin in plugins)
    for name, program in _programs(around).items():
        text = _SHIM.format(kit=shlex.quote(str(kit)), named=named, program=shlex.quote(program))
        (shims / name).write_text(text)


def _programs(around: Around) -> Mapping[str, str]:
    """What each name means on PATH, as far as a Python starts with it."""
    found: dict[str, str] = {}
    for part in filter(None, around.path.split(":")):
        inside = Path(part)
        outside = around.outside(inside)
        for name in sorted(_names(outside)):
            if SHIMMED.fullmatch(name):
                found.setdefault(name, str(inside / name))
    return found


def _names(folder: Path) -> Iterator[str]:
    try:
        yield from (entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError:  # a PATH may name what is not there
        return


def _make_shadows(folder: Path, plugins: Sequence[Plugin], around: Around) -> tuple[Bind, ...]:
    """
    Over each site-packages a folder with the same entries, and the plugins. Code is bound, so
    that it knows itself by its own path; metadata are links, since every bind takes its time.
    """
    binds: list[Bind] = []
    for number, site in enumerate(_sites(around.interpreters)):
        shadow, real = folder / f"site-{number}", INSIDE / f"real-{number}"
        shadow.mkdir()
        (folder / real.name).mkdir()  # the mount point
        for name in _additions(plugins):
            (shadow / name).symlink_to(INSIDE / "kit" / name)
        (shadow / "jam_start.pth").write_text("import jam_start\n")
        binds += [Bind(site, real), Bind(shadow, around.inside(site))]
        binds += _entries(site, shadow, real=real, at=around.inside(site))
    return tuple(binds)


def _entries(site: Path, shadow: Path, *, real: Path, at: Path) -> Iterator[Bind]:
    for entry in sorted(site.iterdir()):
        place = shadow / entry.name
        if place.is_symlink() or place.exists():  # one of the additions
            continue
        if entry.name.endswith(METADATA) or entry.is_symlink() or not _can_be_bound(entry):
            place.symlink_to(real / entry.name)
        else:
            place.mkdir() if entry.is_dir() else place.touch()
            yield Bind(entry, at / entry.name)


def _can_be_bound(entry: Path) -> bool:
    return entry.is_dir() or entry.is_file()


def _additions(plugins: Iterable[Plugin]) -> Iterator[str]:
    yield "jam_start.py"
    for plugin in plugins:
        yield plugin.package
        yield f"{plugin.package}-1.dist-info"


def _sites(interpreters: Iterable[Interpreter]) -> list[Path]:
    folders = (folder for found in interpreters for folder in found.site_packages)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _first(folder: Path, rest: str) -> str:
    return f"{folder}:{rest}" if rest else str(folder)


_START = """\
# Every interpreter beside jam's plugins runs this once; none may fail because of it.
for name in {starts!r}:
    try:
        __import__(name, fromlist=["start"]).start()
    except Exception:
        pass
"""

_SITECUSTOMIZE = """\
# This one hides the environment's own, which is loaded in its stead.
import importlib.machinery
import importlib.util
import os
import sys

import jam_start

_here = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.machinery.PathFinder.find_spec(
    "sitecustomize", [path for path in sys.path if os.path.abspath(path) != _here]
)
if _spec is not None and _spec.loader is not None:
    _module = importlib.util.module_from_spec(_spec)
    sys.modules["sitecustomize"] = _module
    _spec.loader.exec_module(_module)
"""

_SHIM = """\
#!/bin/sh
case ":$PYTHONPATH:" in
    *:{kit}:*) ;;
    *) PYTHONPATH={kit}${{PYTHONPATH:+:$PYTHONPATH}}; export PYTHONPATH ;;
esac
if [ -n "$PYTEST_DISABLE_PLUGIN_AUTOLOAD" ] && [ -z "$PYTEST_PLUGINS" ]; then
    PYTEST_PLUGINS={named}; export PYTEST_PLUGINS
fi
exec {program} "$@"
"""
