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
        # Through a descriptor: a command line is read by anyone, and it names folders of the host.
        options = [*leash.options(), *layout.options(view, files=files)]
        options += () if self._identity.is_other else self._own_namespace()
        program = seccomp.program(platform.machine())
        filter_ = stack.enter_context(_memory(program or b""))
        shut = () if program is None else ("--seccomp", str(filter_))
        listed = stack.enter_context(_memory(b"\0".join(options) + b"\0"))
        inner = self._inner(shut, at=view.at)
        outer = [str(self._bubblewrap.path), "--args", str(listed)]
        outer += () if "--dev-bind" in inner else shut
        return Start(
            argv=(*outer, "--", *inner, *_limited(limits), *argv),
            pass_fds=(listed, *leash.pass_fds(), filter_, *(descriptor for descriptor, _ in files)),
        )

    def _own_namespace(self) -> tuple[bytes, ...]:
        return (b"--unshare-user", b"--disable-userns", b"--cap-drop", b"ALL")

    def _inner(self, shut: Sequence[str], *, at: Path) -> tuple[str, ...]:
        if not self._identity.is_other:
            return ()
        drop = (
            *("setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"),
        )
        again = (
            *(str(self._bubblewrap.inside), "--unshare-user", "--disable-userns"),
            *("--dev-bind", "/", "/", "--chdir", str(at), *shut, "--"),
        )
        return (*drop, *again) if self._nested else drop


def _limited(limits: Limits) -> tuple[str, ...]:
    """Innermost, where processes are counted for this user namespace alone. Not the address space:
    Go, Node and sanitizers reserve far more of it than they ever use."""
    return (
        *("prlimit", f"--nproc={limits.processes}", f"--data={limits.memory_bytes}"),
        *(f"--fsize={limits.file_bytes}", "--core=0", "--"),
        # Where this machine runs out of memory, what runs in here goes first.
        *("choom", "-n", "1000", "--"),
    )


@contextlib.contextmanager
def _memory(content: bytes) -> Iterator[int]:
    descriptor = os.memfd_create("jam", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
