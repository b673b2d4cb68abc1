"""
Jails made by bubblewrap.

It decides how a command is started so that nothing of jam's is in its reach, and how everything
that it started is ended. What the inside looks like is the layout's business.
"""

from __future__ import annotations

import contextlib
import os
import platform
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.adapters.runner import Start, not_started, run
from bot.adapters.sandbox import group, identity, layout, mountpoint, seccomp
from bot.adapters.sandbox.leash import StatusLeash, held
from bot.ports import Bind, Ended, Limits, Ran, View

PROGRAMS = ("/usr/bin", "/usr/sbin", "/bin", "/sbin")
OWN_NAMESPACE = (b"--unshare-user", b"--disable-userns")
INSIDE = Path("/run/jam")  # where a bubblewrap that is not the system's is seen inside


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The program, and what of it a jail must see to run it again inside."""

    path: Path
    parts: tuple[Bind, ...] = ()

    @property
    def inside(self) -> Path:
        for part in self.parts:
            if part.source in self.path.parents:
                return part.target / self.path.relative_to(part.source)
        return self.path


class BwrapJail:
    """One user number, any number of commands side by side."""

    def __init__(self, bubblewrap: Bubblewrap, *, nested: bool = True) -> None:
        """``nested``: inside of root's jail a second one forbids new user namespaces; where the
        machine has none to give, the seccomp program alone does."""
        self._bubblewrap = bubblewrap
        self._nested = nested
        self._identity = identity.identity()
        self._places = group.places()
        if (lease := self._identity.lease) is not None:
            weakref.finalize(self, lease.close)

    @property
    def level(self) -> str:
        return "bwrap"

    @property
    def uid(self) -> int:
        return self._identity.uid

    @property
    def is_filtered(self) -> bool:
        """A filter of system calls is in force."""
        return seccomp.program(platform.machine()) is not None

    @property
    def is_grouped(self) -> bool:
        """A control group bounds all of a command together."""
        return bool(self._places)

    def adopt(self, folder: Path) -> None:
        if self._identity.is_other:
            identity.adopt(folder, uid=self.uid)

    def run(
        self,
        argv: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        stop: threading.Event | None = None,
    ) -> Ran:
        if refused := mountpoint.prepare(view, layout.inner_mounts(view), uid=self.uid):
            return not_started(refused)
        view = replace(view, binds=(*self._bubblewrap.parts, *view.binds))
        with contextlib.ExitStack() as stack:
            bounds = stack.enter_context(group.made(self._places, limits))
            leash = stack.enter_context(held(bounds))
            start = self._start(argv, view=view, limits=limits, leash=leash, stack=stack)
            ran = run(replace(start, stdin=stdin), limits=limits, leash=leash, stop=stop)
        if ran.ended is Ended.EXITED and not leash.has_run:
            return replace(ran, ended=Ended.NOT_STARTED, exit_code=None)
        return ran

    def _start(
        self,
        argv: Sequence[str],
        *,
        view: View,
        limits: Limits,
        leash: StatusLeash,
        stack: contextlib.ExitStack,
    ) -> Start:
        files = [
            (stack.enter_context(_memory(text.encode())), name)
            for name, text in layout.etc_files(self.uid).items()
        ]
        program = seccomp.program(platform.machine())
        filter_ = stack.enter_context(_memory(program or b""))
        shut = () if program is None else (b"--seccomp", b"%d" % filter_)
        last = [*layout.set_environment(view), b"--chdir", os.fsencode(view.at), *shut]
        first = [*leash.options(), *layout.options(view, files=files)]
        if not self._identity.is_other:
            first += [*OWN_NAMESPACE, b"--cap-drop", b"ALL", *last]
        elif not self._nested:
            first += shut
        last = [*OWN_NAMESPACE, b"--dev-bind", b"/", b"/", *last]
        # Through descriptors: a command line is read by anyone, and these name folders of the host.
        outer, inner = (
            stack.enter_context(_memory(b"".join(part + b"\0" for part in options)))
            for options in (first, last)
        )
        return Start(
            argv=(
                *(str(self._bubblewrap.path), "--args", str(outer), "--"),
                *self._down_to_user(inner, view=view),
                *_limited(limits),
                *argv,
            ),
            pass_fds=(outer, inner, filter_, *leash.pass_fds(), *(fd for fd, _name in files)),
        )

    def _down_to_user(self, options: int, *, view: View) -> tuple[str, ...]:
        """Programs by their full names: the first of them runs as root, where PATH and what else
        the view's environment says must have no say."""
        if not self._identity.is_other:
            return ()
        drop = (
            *(_program("setpriv"), f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"),
        )
        if self._nested:
            return (*drop, str(self._bubblewrap.inside), "--args", str(options), "--")
        named = (f"{name}={value}" for name, value in layout.environment(view).items())
        return (*drop, _program("env"), "-i", *named)


def _limited(limits: Limits) -> tuple[str, ...]:
    """Innermost, where processes are counted for this user namespace alone. Not the address space:
    Go, Node and sanitizers reserve far more of it than they ever use."""
    return (
        *(_program("prlimit"), f"--nproc={limits.processes}", f"--data={limits.memory_bytes}"),
        *(f"--fsize={limits.file_bytes}", "--core=0", "--"),
        # Where this machine runs out of memory, what runs in here goes first.
        *(_program("choom"), "-n", "1000", "--"),
    )


def _program(name: str) -> str:
    """Of the system, which is seen inside at the same place."""
    return next((path for folder in PROGRAMS if Path(path := f"{folder}/{name}").exists()), name)


@contextlib.contextmanager
def _memory(content: bytes) -> Iterator[int]:
    descriptor = os.memfd_create("jam", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
