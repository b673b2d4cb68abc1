"""
Jails made by bubblewrap.

It decides how a command is started so that nothing of jam's is in its reach, and how everything
that it started is ended. What the inside looks like is the layout's business.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.adapters.runner import Start, not_started, run
from bot.adapters.sandbox import group, identity, keeper, layout, mountpoint, seccomp
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
            papers = stack.enter_context(contextlib.closing(Papers()))
            start = self._start(argv, view=view, limits=limits, leash=leash, papers=papers)
            ran = run(replace(start, stdin=stdin), limits=limits, leash=leash, stop=stop)
        if ran.ended is Ended.EXITED and not leash.has_run:
            return replace(ran, ended=Ended.NOT_STARTED, exit_code=None)
        return ran

    def _start(
        self, argv: Sequence[str], *, view: View, limits: Limits, leash: StatusLeash, papers: Papers
    ) -> Start:
        files = [
            (papers.put(text.encode()), name) for name, text in layout.etc_files(self.uid).items()
        ]
        options = [*leash.options(), *layout.options(view, files=files)]
        if self._identity.is_other:
            last, drop = self._dropping(view, papers)
        else:
            own = (*OWN_NAMESPACE, b"--cap-drop", b"ALL", *layout.set_environment(view))
            last, drop = (*own, *_filter(papers)), ()
        listed = papers.put_all([*options, *last])
        is_alone = self._identity.is_other or _counts_by_namespace()
        limited = _limited(limits, others=0 if is_alone else keeper.tasks_of(self.uid))
        outer = (str(self._bubblewrap.path), "--args", str(listed), "--")
        return Start(
            argv=(*outer, *drop, *limited, *argv),
            pass_fds=(*papers.descriptors, *leash.pass_fds()),
        )

    def _dropping(self, view: View, papers: Papers) -> tuple[Sequence[bytes], tuple[str, ...]]:
        """Options for root's bubblewrap, and the way down to the user. Programs by their full
        names: the first of them runs as root, where PATH and what else the view's environment
        says must have no say."""
        drop = (
            *(_program("setpriv"), f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"),
            *("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"),
        )
        if not self._nested:
            named = (f"{name}={value}" for name, value in layout.environment(view).items())
            return _filter(papers), (*drop, _program("env"), "-i", *named)
        here = (b"--dev-bind", b"/", b"/", b"--chdir", os.fsencode(view.at))
        inner = (*OWN_NAMESPACE, *here, *layout.set_environment(view), *_filter(papers))
        again = (str(self._bubblewrap.inside), "--args", str(papers.put_all(inner)), "--")
        return (), (*drop, *again)


class Papers:
    """What bubblewrap is handed through descriptors: a command line is read by anyone, and these
    name folders of the host."""

    def __init__(self) -> None:
        self.descriptors: list[int] = []

    def put(self, content: bytes) -> int:
        descriptor = os.memfd_create("jam", os.MFD_CLOEXEC)
        self.descriptors.append(descriptor)
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def put_all(self, options: Iterable[bytes]) -> int:
        return self.put(b"".join(option + b"\0" for option in options))

    def close(self) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)


def _filter(papers: Papers) -> tuple[bytes, ...]:
    program = seccomp.program(platform.machine())
    return () if program is None else (b"--seccomp", b"%d" % papers.put(program))


def _limited(limits: Limits, *, others: int) -> tuple[str, ...]:
    """Innermost, where processes are counted for this user namespace alone. Not the address space:
    Go, Node and sanitizers reserve far more of it than they ever use."""
    return (
        *(_program("prlimit"), f"--nproc={limits.processes + others}"),
        *(f"--data={limits.memory_bytes}", f"--fsize={limits.file_bytes}", "--core=0", "--"),
        # Where this machine runs out of memory, what runs in here goes first.
        *(_program("choom"), "-n", "1000", "--"),
    )


def _counts_by_namespace() -> bool:
    """Older kernels count all that a user runs anywhere."""
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    return found is not None and tuple(map(int, found.groups())) >= (5, 14)


def _program(name: str) -> str:
    """Of the system, which is seen inside at the same place."""
    return next((path for folder in PROGRAMS if Path(path := f"{folder}/{name}").exists()), name)
