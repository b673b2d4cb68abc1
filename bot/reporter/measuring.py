"""
Runs tests as they are, while jam measures how often they fail. PYTEST_DONT_REWRITE

Silences the plugins that would run a failed test again or change the order, without taking away
the options that a repository gives them; repeats tests, starts random generators from a seed, and
tells what a test raised and left changed. Decides nothing about any of it.
"""

from __future__ import annotations

import copy
import linecache
import os

import pytest

from .pinning import pin
from .state import changes, snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generator

    from .wire import Wire

#: modules of plugins that hide flaky tests, or would add a chance that jam does not know
HIDING = (
    "flaky",
    "pytest_flakefinder",
    "pytest_ignore_flaky",
    "pytest_quarantine",
    "pytest_random_order",
    "pytest_randomly",
    "pytest_rerunfailures",
    "pytest_retry",
    "pytest_reverse",
    "pytest_unflakable",
    "random_order",
)
MARKERS = ("flaky", "random_order", "ignore_flaky")  # theirs, for those who are strict about them
MESSAGE, PLACE = 300, 200
MOST_CHANGES = 60


def silence(config: pytest.Config, wishes: dict[str, Any]) -> None:
    """Called before conftest files are loaded, when options are known and nothing is set up."""
    if not wishes.get("measure"):
        return
    manager = config.pluginmanager
    for name, plugin in list(manager.list_name_plugin()):
        module = getattr(plugin, "__name__", None) or type(plugin).__module__
        if plugin is not None and str(module).partition(".")[0] in HIDING:
            manager.unregister(name=name)


def again(items: list[Any], wishes: dict[str, Any]) -> list[Any]:
    """Each test as often as jam wants it. Copies, or pytest would not tear the first down."""
    times = (wishes.get("measure") or {}).get("repeat") or 1
    if times < 2:
        return items
    result = []
    for item in items:
        result.append(item)
        for _ in range(times - 1):
            twin = copy.copy(item)
            if hasattr(twin, "_initrequest"):
                twin._initrequest()
            result.append(twin)
    return result


class Measuring:
    def __init__(self, line: Wire, wishes: dict[str, Any], prefix: str) -> None:
        self._line = line
        self._wishes = wishes["measure"]
        self._root = os.path.realpath(str(wishes.get("root") or os.getcwd()))
        self._prefix = prefix

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """Before xdist reads its own option; a run that ends early would say little."""
        config.option.maxfail = 0
        if hasattr(config.option, "numprocesses"):
            config.option.numprocesses = self._wishes.get("workers") or 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        for name in MARKERS:
            config.addinivalue_line("markers", name + ": of a plugin that is silent now")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self._wishes.get("random_seed") is not None:
            pin(self._wishes["random_seed"])

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, None]:
        if not self._wishes.get("look"):
            yield
            return
        before = snapshot(self._root)
        yield
        for where, was, now in changes(before, snapshot(self._root))[:MOST_CHANGES]:
            name = self._prefix + item.nodeid
            self._line.send("left", id=name, where=where, before=was, after=now)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, None]:
        kept = getattr(item, "_excinfo", None)  # of unittest's own tests
        excinfo = call.excinfo or (kept[0] if kept else None)
        yield
        if excinfo is None or isinstance(excinfo.value, pytest.skip.Exception):
            return
        self._line.send(
            "raised",
            id=self._prefix + item.nodeid,
            kind=type(excinfo.value).__name__,
            message=_words(excinfo.value)[:MESSAGE],
            place=self._place(excinfo)[:PLACE],
        )

    def _place(self, excinfo: Any) -> str:
        """The deepest line of the checkout, by its text: numbers change with every commit."""
        found, trace = "", excinfo.tb
        while trace is not None:
            code = trace.tb_frame.f_code
            path = os.path.realpath(code.co_filename)
            if path.startswith(self._root + os.sep) and "site-packages" not in path:
                text = linecache.getline(path, trace.tb_lineno).strip()
                found = f"{os.path.relpath(path, self._root)}:{code.co_name}: {text}"
            trace = trace.tb_next
        return found


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""
