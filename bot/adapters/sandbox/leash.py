"""
What jam holds a jail by: its first process, of which bubblewrap tells.

It decides when a jail is really over, which is later than when bubblewrap leaves.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator

from bot.adapters.sandbox.group import Group
from bot.errors import TransientError

BIRTH_S = 20.0  # on a busy machine a jail takes a tenth of a second
DEATH_S = 30.0


class StatusLeash:
    """Holds the jail's first process: when that one is dead, all in its namespace are."""

    def __init__(self, group: Group | None) -> None:
        self.has_run = False
        self._group = group
        self._outlet, self._inlet = os.pipe()
        self._latch, self._key = os.pipe()
        self._said = b""
        self._first: int | None = None

    def options(self) -> tuple[bytes, ...]:
        """bubblewrap tells who the first process is, and waits before it lets it begin."""
        told, held = b"%d" % self._inlet, b"%d" % self._latch
        return (b"--json-status-fd", told, b"--block-fd", held)

    def pass_fds(self) -> tuple[int, ...]:
        return (self._inlet, self._latch)

    def hold(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._let_go()
        deadline = time.monotonic() + BIRTH_S
        while b"\n" not in self._said and (left := deadline - time.monotonic()) > 0:
            if not self._listen(wait_s=left):
                return
        first = json.loads(self._said.split(b"\n")[0] or b"{}").get("child-pid")
        if first is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._first = os.pidfd_open(first)
        if self._group is not None:
            self._group.add(first)
        with contextlib.suppress(BrokenPipeError):  # it died while the jail was being made
            os.write(self._key, b"!")

    def end(self) -> None:
        # bubblewrap leaves when the command does, and only its leaving kills what stayed behind.
        if self._first is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
        self._process.kill()
        if self._first is not None and not _is_readable(self._first, wait_s=DEATH_S):
            raise TransientError("a jail does not die when killed")
        if self._first is not None:
            # Ours to wait for only where jam is the machine's first process itself.
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PIDFD, self._first, os.WEXITED | os.WNOHANG)
        while self._listen(wait_s=0):
            pass
        self.has_run = b"exit-code" in self._said

    def close(self) -> None:
        self._let_go()
        os.close(self._outlet)
        os.close(self._key)
        if self._first is not None:
            os.close(self._first)

    def _let_go(self) -> None:
        """Of our end of what bubblewrap writes to, or its end would never be seen."""
        for end in (self._inlet, self._latch):
            if end >= 0:
                os.close(end)
        self._inlet = self._latch = -1

    def _listen(self, *, wait_s: float) -> bool:
        chunk = os.read(self._outlet, 4096) if _is_readable(self._outlet, wait_s=wait_s) else b""
        self._said += chunk
        return chunk != b""


@contextlib.contextmanager
def held(group: Group | None) -> Iterator[StatusLeash]:
    leash = StatusLeash(group)
    try:
        yield leash
    finally:
        leash.close()


def _is_readable(descriptor: int, *, wait_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(wait_s * 1000))
