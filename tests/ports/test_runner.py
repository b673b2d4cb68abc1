"""The runner against real processes."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.adapters.runner import Start, run
from bot.ports import Ended, Limits, Ran

PATH = {"PATH": "/usr/bin:/bin"}


def shell(
    script: str,
    *,
    stdin: bytes = b"",
    timeout_s: float = 20,
    keep_bytes: int = 1 << 16,
    output_bytes: int = 64 << 20,
    stop: threading.Event | None = None,
) -> Ran:
    limits = Limits(timeout_s=timeout_s, keep_bytes=keep_bytes, output_bytes=output_bytes)
    return run(Start(argv=("sh", "-c", script), env=PATH, stdin=stdin), limits=limits, stop=stop)


def python(code: str, **bounds: int) -> Ran:
    start = Start(argv=(sys.executable, "-I", "-S", "-c", code), env=PATH)
    return run(start, limits=Limits(timeout_s=30, **bounds))


def test_output_and_errors_come_in_the_order_they_were_written() -> None:
    ran = shell("echo one; echo two >&2; echo three")

    assert (ran.ended, ran.exit_code, ran.output) == (Ended.EXITED, 0, "one\ntwo\nthree\n")


def test_the_environment_is_what_was_given_and_nothing_else() -> None:
    ran = run(Start(argv=("env",), env={**PATH, "A": "b"}), limits=Limits(timeout_s=5))

    assert sorted(ran.output.splitlines()) == ["A=b", "PATH=/usr/bin:/bin"]


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 0", 0), ("exit 3", 3), ("kill -SEGV $$", 139), ("kill -9 $$", 137), ("nonesuch", 127)],
)
def test_the_exit_code_is_what_a_shell_would_tell(script: str, code: int) -> None:
    assert (shell(script).ended, shell(script).exit_code) == (Ended.EXITED, code)


@pytest.mark.parametrize("argv", [("/nonesuch",), ("/etc/passwd",), ("sh", "-c", "a\0b")])
def test_what_cannot_be_started_says_so(argv: Sequence[str]) -> None:
    ran = run(Start(argv=argv, env=PATH), limits=Limits(timeout_s=5))

    assert (ran.ended, ran.exit_code) == (Ended.NOT_STARTED, None)
    assert ran.output.startswith(argv[0])


def test_stdin_is_read_to_its_end_however_it_is_opened() -> None:
    content = os.urandom(1 << 20)

    ran = shell("sha256sum < /dev/stdin; cat | sha256sum", stdin=content)

    assert ran.output.split()[0::2] == [hashlib.sha256(content).hexdigest()] * 2


def test_without_stdin_there_is_nothing_to_read() -> None:
    assert shell("wc -c").output.strip() == "0"


def test_standard_streams_can_be_opened_by_name() -> None:
    assert shell("echo out > /dev/stdout; echo err > /dev/stderr").output == "out\nerr\n"


def test_a_command_that_hangs_is_ended_in_time() -> None:
    ran = shell("trap '' TERM INT HUP; echo begun; sleep 30", timeout_s=0.3)

    assert (ran.ended, ran.exit_code, ran.output) == (Ended.TIMED_OUT, None, "begun\n")
    assert 0.3 <= ran.seconds < 1.5


def test_a_command_that_stops_itself_is_ended_in_time() -> None:
    assert shell("kill -STOP $$", timeout_s=0.3).ended is Ended.TIMED_OUT


def test_a_wish_to_stop_is_noticed_at_once() -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()

    ran = shell("sleep 30", stop=stop)

    assert ran.ended is Ended.STOPPED
    assert 0.2 <= ran.seconds < 0.6


def test_a_wish_to_stop_is_noticed_when_nothing_is_written_any_more() -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()

    ran = shell("exec >&- 2>&-; sleep 30", stop=stop)

    assert ran.ended is Ended.STOPPED
    assert ran.seconds < 0.6


def test_closing_the_output_early_is_not_the_end() -> None:
    ran = shell("echo before; exec >&- 2>&-; sleep 0.3; exit 7")

    assert (ran.ended, ran.exit_code, ran.output) == (Ended.EXITED, 7, "before\n")
    assert ran.seconds >= 0.3


def test_an_open_pipe_in_other_hands_does_not_hold_the_reader() -> None:
    """Without a jail a process in a session of its own gets away, with the pipe."""
    ran = shell("setsid sleep 20 & echo $!")

    assert (ran.ended, ran.exit_code) == (Ended.EXITED, 0)
    assert ran.seconds < 2
    os.kill(int(ran.output), signal.SIGKILL)


def test_too_much_output_ends_the_command() -> None:
    ran = shell("yes", output_bytes=1 << 20, keep_bytes=1000)

    assert ran.ended is Ended.FLOODED
    assert 1 << 20 < ran.output_bytes < 3 << 20
    assert len(ran.output.encode()) <= 1000


def test_the_middle_of_long_output_is_left_out_and_said_to_be() -> None:
    ran = shell("seq 100000", keep_bytes=400)

    assert ran.output.startswith("1\n2\n3\n")
    assert ran.output.endswith("99999\n100000\n")
    assert "\n[the middle is left out here; 588895 bytes in all]\n" in ran.output
    assert len(ran.output.encode()) <= 400
    assert ran.cut


def test_output_that_just_fits_is_whole() -> None:
    ran = shell("head -c 1000 /dev/zero | tr '\\0' x", keep_bytes=1000)

    assert (ran.output, ran.cut) == ("x" * 1000, False)


def test_the_digest_is_over_every_raw_byte() -> None:
    content = bytes(range(256)) * 4096

    ran = shell("cat", stdin=content, keep_bytes=100)

    assert ran.output_sha256 == hashlib.sha256(content).hexdigest()
    assert ran.output_bytes == len(content)


@pytest.mark.parametrize("keep_bytes", [100, 1000, 1001, 4096])
def test_bytes_that_are_no_text_are_replaced_and_still_bounded(keep_bytes: int) -> None:
    ran = python("import os; os.write(1, b'\\xff' * 5000)", keep_bytes=keep_bytes)

    assert "\ufffd" in ran.output
    assert len(ran.output.encode()) <= keep_bytes
    assert ran.cut


def test_a_letter_is_not_cut_in_two() -> None:
    ran = python("import os; os.write(1, '🙂'.encode() * 5000)", keep_bytes=1001)

    assert "\ufffd" not in ran.output


def test_zeroes_and_escapes_are_kept_as_they_came() -> None:
    ran = shell(r"printf 'a\0b\033[31mc\r\n'")

    assert ran.output == "a\0b\x1b[31mc\r\n"


def test_many_threads_may_run_commands_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        began = time.monotonic()
        answers = list(pool.map(lambda n: shell(f"sleep 0.3; echo {n}").output, range(8)))

    assert answers == [f"{n}\n" for n in range(8)]
    assert time.monotonic() - began < 2


def test_a_fork_of_this_process_can_run_commands_too() -> None:
    shell("true")
    code = (
        "import os; from bot.adapters.runner import Start, run; from bot.ports import Limits\n"
        "ask = lambda: run(Start(argv=('/bin/echo', 'hello')), limits=Limits(timeout_s=5)).output\n"
        "ask(); child = os.fork(); print(ask(), end='', flush=True)\n"
        "child and os.waitpid(child, 0); os._exit(0)"
    )
    start = Start(
        argv=(sys.executable, "-W", "ignore", "-c", code), env={"PYTHONPATH": str(Path.cwd())}
    )

    assert run(start, limits=Limits(timeout_s=10)).output == "hello\nhello\n"
