"""
The escape suite: what a hostile command would try first, tried on purpose in a given jail.

It finds out what a jail really holds back on this machine and grades it. It harms nothing: kernel
settings are opened for writing and closed again, and what it makes is its own and removed.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bot.adapters.sandbox import BwrapJail
from bot.adapters.sandbox.layout import DEFAULTS
from bot.adapters.sandbox.remedy import is_container
from bot.ports import Ended, Jail, Limits, Ran, View

PROC = Path("/proc")
TRIED = "tried to the end"
LIMITS = Limits(timeout_s=20, processes=64)
SURVIVOR_S = 30
NO_SANDBOX = "commands run without a sandbox: choose one with `--sandbox bwrap`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """``what`` was tried; where it was not held back, ``remedy`` says what to do."""

    name: str
    held: bool
    what: str
    remedy: str = ""


class Level(StrEnum):
    """How much stands between a hostile test suite and this machine."""

    L3 = "L3"  # bubblewrap, a filter of system calls, and a control group
    L2 = "L2"  # bubblewrap
    L1 = "L1"  # no sandbox, but all of jam is inside of a container
    L0 = "L0"  # nothing


@dataclass(frozen=True, slots=True)
class Stage:
    """What there is to be reached, all of it made for this."""

    word: str  # unguessable: where it turns up, something got through
    secret: Path
    port: int


@dataclass(frozen=True, slots=True)
class Attempt:
    name: str
    what: str
    script: Callable[[Stage], str]  # shell; whatever it writes to its output got through
    remedy: str


ATTEMPTS = (
    Attempt(
        "kernel settings",
        "open /proc/sys/kernel/core_pattern for writing, which would run a program as root",
        lambda _: "(: >> /proc/sys/kernel/core_pattern) && echo open",
        "jam must not start commands as root: install `setpriv` with `apt-get install util-linux`",
    ),
    Attempt(
        "network",
        "connect to a port of this machine, and look for a network card",
        lambda stage: (
            f"timeout 5 bash -c '(exec 3<>/dev/tcp/127.0.0.1/{stage.port}) && echo connected'; "
            "grep -v -e '|' -e '^ *lo:' /proc/net/dev"
        ),
        "this kernel gives no network namespaces: run jam where it does",
    ),
    Attempt(
        "names",
        "ask for the address of a host outside",
        lambda _: "timeout 5 getent ahostsv4 example.com",
        "this kernel gives no network namespaces: run jam where it does",
    ),
    Attempt(
        "files of this machine",
        "read a file beside the checkout, root's home and the list of passwords",
        lambda stage: (
            f"for root in '' /proc/1/root /proc/self/root; do cat \"$root\"'{stage.secret}'; done; "
            "ls -d /root/.[a-z]* /home/*/.[a-z]*; head -c 1 /etc/shadow"
        ),
        "bubblewrap does not hide files here: use 0.8 or newer",
    ),
    Attempt(
        "writing elsewhere",
        "make a file outside of the checkout and the temporary folder",
        lambda stage: (
            f"for folder in / /usr /etc /dev /jam /var/tmp; do "
            f'(: > "$folder/{stage.word}") && rm "$folder/{stage.word}" && echo "$folder"; done'
        ),
        "bubblewrap does not protect files here: use 0.8 or newer",
    ),
    Attempt(
        "user namespaces",
        "become root in a namespace of its own, which opens much of the kernel",
        lambda _: "unshare --user true && echo made; unshare --user --map-root-user id",
        "use bubblewrap 0.8 or newer, which can forbid them",
    ),
    Attempt(
        "devices",
        "find a disk, and make one",
        lambda _: "find /dev -type b; mknod disk b 8 0 && rm disk && echo made",
        "bubblewrap does not hide devices here: use 0.8 or newer",
    ),
)


def run(jail: Jail) -> tuple[Probe, ...]:
    """Every attempt is made, also after one got through. One that could not be made to the end
    is not known to be held."""
    with tempfile.TemporaryDirectory(prefix="jam-escape-") as name:
        folder = Path(name)
        tree = folder / "tree"
        tree.mkdir()
        jail.adopt(tree)
        view = View(tree=tree, at=Path("/jam/repo"))
        with _stage(folder) as stage:
            return (
                _environment(jail, view),
                *(_attempt(attempt, stage, jail, view) for attempt in ATTEMPTS),
                _processes(jail, view),
                _survivor(stage, jail, view),
            )


def grade(jail: Jail) -> Level:
    """By what is built in; whether it holds is what ``run`` is for."""
    if not isinstance(jail, BwrapJail):
        return Level.L1 if is_container() else Level.L0
    return Level.L3 if jail.is_filtered and jail.is_grouped else Level.L2


def _attempt(attempt: Attempt, stage: Stage, jail: Jail, view: View) -> Probe:
    ran = _shell(f"({attempt.script(stage)}) 2>/dev/null", jail, view)
    held = _went_well(ran) and ran.output == f"{TRIED}\n"
    return _probe(attempt.name, attempt.what, held=held, remedy=_for(jail, attempt.remedy))


def _environment(jail: Jail, view: View) -> Probe:
    """The starting environment of jam itself is the bait: none of it may be seen inside."""
    ran = _shell("env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'", jail, view)
    seen = set(ran.output.splitlines())
    own = {os.fsdecode(entry) for entry in (PROC / "self/environ").read_bytes().split(b"\0")}
    leaked = own & seen - {f"{name}={value}" for name, value in DEFAULTS.items()} - {""}
    return _probe(
        "environment",
        "look for jam's own environment variables in every process that can be seen",
        held=_went_well(ran) and not leaked,
        remedy=_for(
            jail, "withheld variables are seen inside: this is a fault of jam's, report it"
        ),
    )


def _processes(jail: Jail, view: View) -> Probe:
    """Who is in another process namespace can neither see nor signal a process of this one."""
    kinds = ("pid", "ipc", "uts", "net", "mnt")
    ran = _shell("readlink " + " ".join(f"/proc/self/ns/{kind}" for kind in kinds), jail, view)
    own = {str((PROC / "self/ns" / kind).readlink()) for kind in kinds}
    seen = set(ran.output.splitlines()) - {TRIED}
    return _probe(
        "processes",
        "share a namespace of processes, messages, names, network or mounts with this machine",
        held=_went_well(ran) and len(seen) == len(kinds) and not seen & own,
        remedy=_for(jail, "this kernel lacks a namespace: run jam where it has all of them"),
    )


def _survivor(stage: Stage, jail: Jail, view: View) -> Probe:
    deaf = f"trap '' TERM HUP; sleep {SURVIVOR_S}; : {stage.word}"
    ran = _shell(f'(setsid sh -c "{deaf}" >/dev/null 2>&1 &); sleep 0.1', jail, view)
    alive = list(_with_word(stage.word))
    for pid in alive:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return _probe(
        "survivors",
        "leave a process behind that has a session of its own and is deaf to signals",
        held=_went_well(ran) and not alive,
        remedy="what was started is not dead afterwards: this is a fault of jam's, report it",
    )


def _probe(name: str, what: str, *, held: bool, remedy: str) -> Probe:
    return Probe(name=name, held=held, what=what, remedy="" if held else remedy)


def _for(jail: Jail, remedy: str) -> str:
    return NO_SANDBOX if jail.level == "none" else remedy


def _shell(script: str, jail: Jail, view: View) -> Ran:
    return jail.run(("sh", "-c", f"{script}\necho '{TRIED}'"), view=view, limits=LIMITS)


def _went_well(ran: Ran) -> bool:
    return ran.ended is Ended.EXITED and ran.output.endswith(f"{TRIED}\n")


def _with_word(word: str) -> Iterator[int]:
    for entry in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word.encode() in (entry / "cmdline").read_bytes():
                yield int(entry.name)


@contextlib.contextmanager
def _stage(folder: Path) -> Iterator[Stage]:
    word = f"jam-{secrets.token_hex(16)}"
    secret = folder / "secret"
    secret.write_text(word)
    secret.chmod(0o644)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Stage(word=word, secret=secret, port=listener.getsockname()[1])
