"""The guards of conftest.py, each broken on purpose in a suite of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NAUGHTY = """
import os, socket, subprocess, logging
from pathlib import Path
import pytest
from conftest import YouReachedTheNetwork

def test_network(): socket.create_connection(("192.0.2.1", 80), timeout=1)
def test_name(): socket.getaddrinfo("example.org", 80)
def test_datagram(): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9))
def test_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()[:2]).close()
def test_home(): assert "jam-test-home-" in str(Path.home())
def test_git(): assert {k for k in os.environ if k.startswith("GIT_")} == {
    "GIT_ALLOW_PROTOCOL", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"}
def test_environment(): os.environ["LEFT"] = "1"
def test_logging(): logging.getLogger().addHandler(logging.NullHandler())
def test_child(): globals().update(kept=subprocess.Popen(["sleep", "60"]))
def test_daemon(): subprocess.run(["sh", "-c", "setsid sleep 61 >/dev/null 2>&1 &"])
def test_tidy_child(): subprocess.run(["true"])
"""
EXPECTED = {
    "test_network": "FAILED",
    "test_name": "FAILED",
    "test_datagram": "FAILED",
    "test_loopback": "PASSED",
    "test_home": "PASSED",
    "test_git": "PASSED",
    "test_environment": "ERROR",
    "test_logging": "ERROR",
    "test_child": "ERROR",
    "test_daemon": "ERROR",
    "test_tidy_child": "PASSED",
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    here = tmp_path_factory.mktemp("naughty")
    shutil.copy(Path(__file__).parent / "conftest.py", here)
    (here / "test_naughty.py").write_text(NAUGHTY)
    (here / "pytest.ini").write_text("[pytest]\n")  # so that none further up is found
    argv = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "-p", "no:randomly"]
    return subprocess.run(
        argv,
        cwd=here,
        env={"GIT_DIR": "/elsewhere", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )


def test_each_guard_holds(outcome: subprocess.CompletedProcess[str]) -> None:
    summary = re.findall(r"^(PASSED|FAILED|ERROR) test_naughty.py::(\w+)", outcome.stdout, re.M)
    worst: dict[str, str] = {}
    for mark, name in summary:
        if worst.get(name) in (None, "PASSED"):
            worst[name] = mark

    assert worst == EXPECTED, outcome.stdout + outcome.stderr


def test_a_guard_says_what_was_left(outcome: subprocess.CompletedProcess[str]) -> None:
    told = [
        text
        for text in ("sleep 60", "sleep 61", "192.0.2.1", "example.org")
        if text in outcome.stdout
    ]

    assert told == ["sleep 60", "sleep 61", "192.0.2.1", "example.org"]
