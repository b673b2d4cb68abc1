"""
Guards around every test: the network ends at loopback, git and HOME are nobody's, and a test puts
back what it found. They are tested by tests/test_guards.py, which runs this very file.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

MARKER = "JAM_TEST_WORKER"
PATIENCE_S = 2.0  # for what was told to end and is about to


class YouReachedTheNetwork(RuntimeError):
    """A test tried to leave this machine."""


def _is_here(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return name == "localhost"


def _refuse_the_network(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo" and args[0] is not None and not _is_here(args[0]):
        raise YouReachedTheNetwork(str(args[0]))
    if event in {"socket.connect", "socket.sendto"}:
        address = args[1]
        # A unix socket's address is a path, not a pair.
        if isinstance(address, tuple) and not _is_here(address[0]):
            raise YouReachedTheNetwork(str(address))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever speaks with the small GitHub is held to GitHub's descriptions, which only the long
    suites install."""
    for item in items:
        module = vars(getattr(item, "module", None) or pytest)
        held = "hubs" in module or item.path.name.startswith("test_github_")
        if held or "[github" in item.name:
            item.add_marker(pytest.mark.slow)


def pytest_configure(config: pytest.Config) -> None:
    """Before collection, so that whatever a test module reads at import is guarded too."""
    sys.addaudithook(_refuse_the_network)
    # What decides about a change gives the same answer twice; `make adversary` looks further.
    settings.register_profile("settled", derandomize="JAM_TEST_ANEW" not in os.environ)
    settings.load_profile("settled")
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        del os.environ[name]
    home = tempfile.TemporaryDirectory(prefix="jam-test-home-")
    config.add_cleanup(home.cleanup)
    os.environ |= {
        "HOME": home.name,
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        MARKER: str(os.getpid()),
    }


@pytest.fixture(autouse=True)
def _environment_is_put_back() -> Iterator[None]:
    before, handlers = _environment(), list(logging.getLogger().handlers)
    yield
    assert _environment() == before
    assert list(logging.getLogger().handlers) == handlers


def _environment() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


@pytest.fixture(autouse=True)
def _nothing_is_left_running() -> Iterator[None]:
    before = _started_here()
    yield
    patience = time.monotonic() + PATIENCE_S
    while (left := _started_here() - before) and time.monotonic() < patience:
        time.sleep(0.02)
    names = [_name(pid) for pid in left]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert names == []


_foreign: set[str] = set()
"""Processes that were looked at once and are nobody of ours: they never become ours."""


def _started_here() -> frozenset[int]:
    """Living processes that this one began: its children, and what inherited its marker."""
    there = {path.name for path in Path("/proc").iterdir() if path.name.isdigit()}
    _foreign.intersection_update(there)  # a number may be given again
    ours = {name for name in there - _foreign if _is_ours(name)}
    _foreign.update(there - ours - {str(os.getpid())})
    return frozenset(int(name) for name in ours if _is_alive(name))


def _is_ours(pid: str) -> bool:
    mark = f"{MARKER}={os.getpid()}\0".encode()
    try:
        parent = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1]
        environment = Path(f"/proc/{pid}/environ").read_bytes() + b"\0"
    except OSError:  # it ended while it was looked at, or belongs to somebody else
        return False
    return int(pid) != os.getpid() and (int(parent) == os.getpid() or mark in environment)


def _is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def _name(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return str(pid)
