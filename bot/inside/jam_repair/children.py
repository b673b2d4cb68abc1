"""
Children that may do anything: each answers over a pipe, and is dead when its turn is over.

A child belongs to a session of its own and has hard limits; whatever it leaves running is found as
an orphan of this process and killed. The parent never waits longer than it said it would.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import select
import signal
import sys
import time
import warnings
from typing import Any, Callable, Iterator

ROOM_BYTES = 2 << 30  # of address space beyond what the parent has
ANSWER_BYTES = 64 << 20  # one child may say this much
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

Tell = Callable[[Any], None]


def _libc() -> Any:
    try:
        return ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return lambda *_: -1  # not Linux: the jail kills what is left


_prctl = _libc()


def adopt_orphans() -> None:
    """What a child leaves behind becomes ours, so that it can be killed."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    _prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


class Child:
    """One forked process and what it has said so far."""

    def __init__(self, work: Callable[[Tell], None]) -> None:
        gc.disable()
        self._reader, writer = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # forking with threads about: the tests' own affair
            self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reader)
            _be_child(work, writer)
        os.close(writer)
        self._waiting = b""
        self._said = 0

    def answers(self, patience: Callable[[], float]) -> Iterator[Any]:
        """Each thing the child says; ends with it, or when it is silent for ``patience()``."""
        until = time.monotonic() + patience()
        while True:
            while b"\n" in self._waiting:
                line, self._waiting = self._waiting.split(b"\n", 1)
                yield json.loads(line)
                until = time.monotonic() + patience()
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._reader], [], [], left)[0]:
                return
            more = os.read(self._reader, 1 << 16)
            self._said += len(more)
            if not more or self._said > ANSWER_BYTES:
                return
            self._waiting += more

    def watch(self, progress: Callable[[], int], patience: float) -> bool:
        """Wait for its end. False when it made no progress for ``patience`` seconds."""
        last, until = progress(), time.monotonic() + patience
        while True:
            if select.select([self._reader], [], [], min(patience, 0.5))[0]:
                if not os.read(self._reader, 1 << 16):
                    return True
            now = progress()
            if now != last:
                last, until = now, time.monotonic() + patience
            elif time.monotonic() > until:
                return False

    def end(self) -> None:
        os.close(self._reader)
        end(self.pid)


def end(pid: int) -> None:
    _kill(pid)
    sweep(pid)


def ask(work: Callable[[Tell], None], *, seconds: float) -> list[Any]:
    """All that one child says before it ends or falls silent for ``seconds``."""
    child = Child(work)
    try:
        return list(child.answers(lambda: seconds))
    finally:
        child.end()


def sweep(*mine: int) -> None:
    """Reap what ended, kill what was orphaned onto this process."""
    for pid in mine:
        _reap(pid)
    for pid in _children_of(os.getpid()):
        if pid not in _KEPT:
            _kill(pid)
            _reap(pid)


_KEPT: set = set()  # type: ignore[type-arg]  # children that live on between turns


def keep(pid: int) -> None:
    _KEPT.add(pid)


def _children_of(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as told:
            return [int(word) for word in told.read().split()]
    except (OSError, ValueError):
        return []


def _kill(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _reap(pid: int) -> int | None:
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return None


def _be_child(work: Callable[[Tell], None], writer: int) -> None:
    me = os.getpid()
    try:
        confine()

        def tell(what: Any) -> None:
            if os.getpid() != me:  # a candidate that forked: its copy has no business here
                os._exit(0)
            said = memoryview(json.dumps(what, separators=(",", ":")).encode() + b"\n")
            while said:
                said = said[os.write(writer, said) :]

        work(tell)
    except BaseException as wrong:
        if os.environ.get("JAM_REPAIR_DEBUG"):
            _blame(wrong)
    finally:
        os._exit(0)


def _blame(wrong: BaseException) -> None:
    import traceback

    with open(os.environ["JAM_REPAIR_DEBUG"], "a", encoding="utf-8") as out:
        traceback.print_exception(type(wrong), wrong, wrong.__traceback__, file=out)


class Forks:
    """Counts what a candidate forks: a few are its affair, a bomb is not."""

    MOST, SECONDS = 16, 2.0

    def __init__(self) -> None:
        self.count = 0
        self._is_copy = False
        self._fork = os.fork
        os.fork = self._counted

    def _counted(self) -> int:
        if self._is_copy:
            os._exit(1)
        if self.count >= self.MOST:
            raise BlockingIOError("enough processes")
        self.count += 1
        pid = self._fork()
        if pid == 0:
            self._is_copy = True
            die_with_parent()
            # The parent's timer is not inherited; this one ends the process, whatever it does.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, self.SECONDS)
        return pid


def confine() -> None:
    """Make this freshly forked process one that can do no harm and leaves no word."""
    die_with_parent()
    os.setsid()
    _silence()
    _bound()


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    sys.stdin = os.fdopen(os.dup(nothing), encoding="utf-8")


def _bound() -> None:
    size = _address_space() + ROOM_BYTES
    for kind, limit in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 256 << 20),
    ):
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


def _address_space() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as told:
            return int(told.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 1 << 30
