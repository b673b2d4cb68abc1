"""Signals, pipes and terminals, with real processes."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

#: `jam fix` with an engine that says one line, waits to be stopped, and answers as cancelled
WAITING = """
import sys, time
from bot.app.requests import Answer
from bot.cli import edge

class Engine:
    def fix(self, request, *, say, stop):
        say("turn 1 \\x1b[31m\\U0001f600")
        if {waits}:
            stop.wait(20)
            if {deaf}:
                time.sleep(20)
        return Answer(text="told \\x1b[0m\\U0001f600", exit_code=4)

words = ["--repo", "r", "--issue", "i"]
sys.exit(edge.run("fix", words, module="bot.cli.fix", load=Engine))
"""


def start(*, waits: bool, deaf: bool = False, **streams: int) -> subprocess.Popen[bytes]:
    script = WAITING.format(waits=waits, deaf=deaf)
    env = {"PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.Popen([sys.executable, "-c", script], env=env, **pipes)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_the_first_signal_asks_the_session_to_stop(number: int) -> None:
    child = start(waits=True)
    first = child.stderr.readline()
    child.send_signal(number)
    out, err = child.communicate(timeout=20)

    assert (first.startswith(b"turn 1 "), child.returncode) == (True, 4)
    assert err == b"jam: stopping; once more to leave at once.\n"
    assert out.startswith(b"told ")


def test_the_second_signal_leaves_at_once() -> None:
    child = start(waits=True, deaf=True)
    child.stderr.readline()
    child.send_signal(signal.SIGINT)
    told = child.stderr.readline()
    child.send_signal(signal.SIGINT)
    _, rest = child.communicate(timeout=10)

    assert (told + rest, child.returncode) == (
        b"jam: stopping; once more to leave at once.\njam: interrupted.\n",
        130,
    )


def test_what_a_stream_cannot_write_is_spelled_out() -> None:
    out, err = start(waits=False).communicate(timeout=20)

    assert (out, err) == (b"told \x1b[0m\\U0001f600\n", b"turn 1 \x1b[31m\\U0001f600\n")


def test_a_terminal_is_shown_no_escape_codes_of_others() -> None:
    """What jam draws itself (a spinner) it may; what came in a line or a body it may not."""
    ours, theirs = pty.openpty()
    child = start(waits=False, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:
        pass  # how a terminal says that its last writer is gone
    os.close(ours)

    assert child.wait(timeout=20) == 4
    assert (b"turn 1 [31m" in seen, b"told [0m" in seen, b"\x1b[31m" in seen) == (True, True, False)


@pytest.mark.parametrize("words", [["schema"], ["--help"], ["fix", "--help"]], ids=" ".join)
def test_a_reader_that_goes_away_is_no_mistake(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    script = "import sys; from bot.cli import main; sys.exit(main(sys.argv[1:]))"
    ran = subprocess.run(
        [sys.executable, "-c", script, *words],
        stdout=writer,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
    )
    os.close(writer)

    assert (ran.stderr, ran.returncode) == (b"", 141)


def test_streams_that_are_closed_are_no_mistake() -> None:
    script = WAITING.format(waits=False, deaf=False)
    ran = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, script],
        env={"PYTHONPATH": str(ROOT)},
    )

    assert ran.returncode == 4
