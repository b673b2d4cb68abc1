"""
Commands, and what becomes of them: the only home of ``subprocess`` besides git's own.

It decides when a command has said enough, had its time, or is no longer wanted, and what of its
output is kept. It refuses to know what confines a command; how to end everything that one started
is the leash's business.
"""

from __future__ import annotations

import codecs
import contextlib
import functools
import hashlib
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bot.errors import TransientError
from bot.ports import Ended, Limits, Ran

TICK_S = 0.05  # how long a stop, a deadline or a death can go unnoticed
REAP_S = 30.0  # a killed process is gone by then, or the machine is in trouble
CHUNK = 1 << 18
CONTINUATION = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What is started, with the whole of its environment."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path = Path("/")
    stdin: bytes = b""
    pass_fds: tuple[int, ...] = ()


class Leash(Protocol):
    """Ends everything that a command started."""

    def hold(self, process: subprocess.Popen[bytes]) -> None:
        """Called once, as soon as the process exists."""
        ...

    def end(self) -> None:
        """All of it is dead on return, also when the command ended by itself."""
        ...


class GroupLeash:
    """The process and its group; enough for jam's own short questions to trusted programs."""

    def hold(self, process: subprocess.Popen[bytes]) -> None:
        self._pid = process.pid

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)


class Tape:
    """Head and tail of a stream, and the digest of all of it, in bounded memory."""

    def __init__(self, *, keep_bytes: int) -> None:
        self._keep = keep_bytes
        self._half = keep_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._digest = hashlib.sha256()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        self._digest.update(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._half + CHUNK:
            del self._tail[: -self._half]

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def text(self) -> str:
        """All of it, or, where it is more than may be kept, never more than that many bytes."""
        if self.total <= self._keep:
            return bytes(self._head + self._tail).decode(errors="replace")
        notice = f"\n[the middle is left out here; {self.total} bytes in all]\n"
        room = max(0, self._keep - len(notice)) // 2
        head = codecs.getincrementaldecoder("utf-8")("replace").decode(self._head[:room])
        tail = self._tail[len(self._tail) - room :].lstrip(CONTINUATION).decode(errors="replace")
        # A byte that is not UTF-8 becomes three, so what was decoded is measured again.
        first = head.encode()[:room].decode(errors="ignore")
        last = tail.encode()[-room:].decode(errors="ignore") if room else ""
        return f"{first}{notice}{last}"


def run(
    start: Start,
    *,
    limits: Limits,
    leash: Leash | None = None,
    stop: threading.Event | None = None,
) -> Ran:
    """Whatever the leash can reach is dead on return. Any number of threads may call this."""
    began = time.monotonic()
    tape = Tape(keep_bytes=limits.keep_bytes)
    leash = leash or GroupLeash()
    output, inlet = os.pipe()
    try:
        process = _started(start, inlet)
        if isinstance(process, str):
            return not_started(process)
        ended = _attend(process, leash, output, tape=tape, limits=limits, stop=stop)
    finally:
        os.close(output)
    code = exit_code(process.returncode) if ended is Ended.EXITED else None
    return _ran(ended, code, tape, began)


def not_started(why: str) -> Ran:
    tape = Tape(keep_bytes=len(why) * 4)
    tape.add(why.encode(errors="replace"))
    return _ran(Ended.NOT_STARTED, None, tape, time.monotonic())


def exit_code(returncode: int) -> int:
    """As a shell tells it: a signal's number is added to 128."""
    return returncode if returncode >= 0 else 128 - returncode


def _ran(ended: Ended, code: int | None, tape: Tape, began: float) -> Ran:
    return Ran(
        ended=ended,
        exit_code=code,
        output=tape.text(),
        output_sha256=tape.sha256,
        output_bytes=tape.total,
        seconds=time.monotonic() - began,
    )


def _attend(
    process: subprocess.Popen[bytes],
    leash: Leash,
    output: int,
    *,
    tape: Tape,
    limits: Limits,
    stop: threading.Event | None,
) -> Ended:
    try:
        leash.hold(process)
        ended = _follow(process, output, tape=tape, limits=limits, stop=stop)
    finally:
        leash.end()
        process.kill()
        try:
            process.wait(timeout=REAP_S)
        except subprocess.TimeoutExpired:
            raise TransientError(f"process {process.pid} does not die when killed") from None
    # The writers are dead: what is left is what fits in the pipe. One that got away may go on
    # writing, and is heard no further than this.
    rest = limits.output_bytes
    while rest > 0 and (chunk := _read(output, wait_s=0)):
        tape.add(chunk)
        rest -= len(chunk)
    return ended


def _follow(
    process: subprocess.Popen[bytes],
    output: int,
    *,
    tape: Tape,
    limits: Limits,
    stop: threading.Event | None,
) -> Ended:
    deadline = time.monotonic() + limits.timeout_s
    is_open = True
    while True:
        if is_open:
            chunk = _read(output, wait_s=TICK_S)
            is_open = chunk != b""
            tape.add(chunk or b"")
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=TICK_S)
        if tape.total > limits.output_bytes:
            return Ended.FLOODED
        if process.poll() is not None:
            return Ended.EXITED
        if stop is not None and stop.is_set():
            return Ended.STOPPED
        if time.monotonic() >= deadline:
            return Ended.TIMED_OUT


def _read(fd: int, *, wait_s: float) -> bytes | None:
    """``b""`` at the end of the stream, ``None`` when nothing came in time."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return os.read(fd, CHUNK) if poll.poll(wait_s * 1000) else None


def _started(start: Start, inlet: int) -> subprocess.Popen[bytes] | str:
    """The process, or why there is none."""
    try:
        # A command under another uid may open /dev/stdout and /dev/stderr anew.
        os.fchmod(inlet, 0o666)
        with _stdin(start.stdin) as stdin:
            return _spawn(start, stdin=stdin, inlet=inlet)
    except (OSError, ValueError) as refused:
        return f"{start.argv[0]}: {refused}\n"
    finally:
        os.close(inlet)


@contextlib.contextmanager
def _stdin(content: bytes) -> Iterator[int]:
    """A file, not a pipe: nobody has to feed it while the output is read."""
    if not content:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        os.fchmod(file.fileno(), 0o444)
        yield file.fileno()


_spawner_lock = threading.Lock()


@functools.cache
def _spawner(pid: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"spawner-{pid}")


def _spawn(start: Start, *, stdin: int, inlet: int) -> subprocess.Popen[bytes]:
    """From the one thread that lives as long as this process. Linux kills a child that asked for
    its parent's death when the *thread* that started it ends, and workers come and go."""
    with _spawner_lock:  # by pid, since a thread does not survive a fork
        spawner = _spawner(os.getpid())
    future = spawner.submit(_popen, start, stdin, inlet)
    try:
        return future.result()
    except BaseException:
        # Interrupted while it was being born: nobody else will ever know of it.
        future.add_done_callback(_kill_orphan)
        raise


def _popen(start: Start, stdin: int, inlet: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(start.argv),
        cwd=start.cwd,
        env=dict(start.env),
        stdin=stdin,
        stdout=inlet,
        stderr=inlet,
        pass_fds=start.pass_fds,
        start_new_session=True,
        umask=0o022,
    )


def _kill_orphan(future: Future[subprocess.Popen[bytes]]) -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().kill()
