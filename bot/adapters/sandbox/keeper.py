"""
The keeper of a command that no sandbox confines, run as a script of its own.

It is the parent of whatever loses its parent, so that all that the command started can be found
and ended when the command ends, when jam says so, and when jam dies. It knows nothing of jam and
imports nothing of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

PROC = Path("/proc")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ROUNDS = 400
PAUSE_S = 0.005


def descendants(root: int) -> list[int]:
    """Every living process under ``root``, itself left out; none where there is no /proc."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found, waiting = [], [root]
    while waiting:
        young = children.get(waiting.pop(), [])
        found += young
        waiting += young
    return found


def end_all(root: int) -> None:
    """Stop them first: what stands still starts nothing new while it is being killed."""
    for _ in range(ROUNDS):
        known: set[int] = set()
        while fresh := set(descendants(root)) - known:
            known |= fresh
            _signal(fresh, signal.SIGSTOP)
        if not known:
            return
        _signal(known, signal.SIGKILL)
        _reap()
        time.sleep(PAUSE_S)


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _reap() -> None:
    """Only the keeper has children here that are nobody else's to wait for."""
    if __name__ == "__main__":
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _parents() -> Iterator[tuple[int, int]]:
    for entry in os.listdir(PROC) if PROC.is_dir() else ():  # noqa: PTH208 - names, not paths
        if entry.isdigit():
            with contextlib.suppress(OSError):
                # The name in brackets may hold anything, brackets too.
                fields = (PROC / entry / "stat").read_bytes().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    yield int(entry), int(fields[1])


def tasks_of(uid: int) -> int:
    """The limit on processes counts what this user runs already."""
    count = 0
    for entry in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == uid:
                count += sum(1 for _ in (entry / "task").iterdir())
    return count


def _limit(processes: int, file_bytes: int, memory_bytes: int) -> None:
    wanted = {
        resource.RLIMIT_NPROC: processes + tasks_of(os.getuid()),
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_DATA: memory_bytes,
        resource.RLIMIT_CORE: 0,
    }
    for what, value in wanted.items():
        hard = resource.getrlimit(what)[1]
        top = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (top, top))


def _go_first() -> None:
    """Where this machine runs out of memory."""
    with contextlib.suppress(OSError):
        (PROC / "self/oom_score_adj").write_text("1000")


def _control(option: int, value: int) -> None:
    with contextlib.suppress(AttributeError):  # not Linux
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _child(argv: list[str], limits: tuple[int, int, int]) -> None:
    """Never returns. A group of its own, or what it sends to its group would reach the keeper."""
    try:
        os.setsid()
        _limit(*limits)
        _go_first()
        os.execvp(argv[0], argv)  # noqa: S606 - no shell is wanted
    except OSError as refused:
        os.write(2, f"{argv[0]}: {refused.strerror}\n".encode(errors="replace"))
        os._exit(127 if isinstance(refused, FileNotFoundError) else 126)


def main(limits: tuple[int, int, int], home: str, argv: list[str]) -> int:
    parent = os.getppid()
    child = 0

    def leave(number: int, _frame: FrameType | None) -> None:
        _finish(child)
        if os.getppid() != parent:  # nobody else is left to do it
            shutil.rmtree(home, ignore_errors=True)
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    _control(PR_SET_CHILD_SUBREAPER, 1)
    _control(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        return 128 + signal.SIGTERM
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        _child(argv, limits)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    status = 0
    pid = -1
    while pid != child:
        pid, status = os.waitpid(-1, 0)
    _finish(child)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _finish(child: int) -> None:
    end_all(os.getpid())
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL) if child else None


if __name__ == "__main__":
    processes, file_bytes, memory_bytes = map(int, sys.argv[1:4])
    sys.exit(main((processes, file_bytes, memory_bytes), sys.argv[4], sys.argv[5:]))
