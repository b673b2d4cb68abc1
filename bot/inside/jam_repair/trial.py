"""
Runs one collected test here and now, and says how it ended. Reports nothing to pytest.

The hooks of setup, call and teardown run as pytest would run them, so fixtures, parametrisation,
marks and plugins work; what pytest would make of an exception afterwards (a report, a traceback)
is skipped, since it costs more than most tests.
"""

from __future__ import annotations

import contextlib
import copy
import os
import signal
import time
from typing import Any, Iterator, NamedTuple

import pytest

PATIENCE, DEAF = 20, 97  # a candidate that catches it so often will never hear it
PASSED, FAILED, SKIPPED, OVERDUE = "passed", "failed", "skipped", "overdue"


class Overdue(BaseException):
    """The test used up its processor time."""


class SubtestFailed(BaseException):
    """One is enough to know."""


class UnexpectedPass(Exception):
    """It is expected to fail, strictly."""


class Outcome(NamedTuple):
    mark: str
    seconds: float  # processor time
    error: BaseException | None = None


class Timer:
    """Processor time, since a busy machine makes wall time say nothing about a test."""

    def __init__(self) -> None:
        self._armed = False
        self._rings = 0
        signal.signal(signal.SIGPROF, self._ring)

    def _ring(self, *_: Any) -> None:
        if self._armed:
            self._rings += 1
            if self._rings > PATIENCE:
                os._exit(DEAF)
            raise Overdue

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        # It rings again and again: a candidate may catch BaseException.
        signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.001), 0.01)
        self._armed, self._rings = True, 0
        try:
            yield
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_PROF, 0)


class Trials:
    """Everything needed to run items again and again in one process or in its children."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.by_id: dict[str, Any] = {item.nodeid: item for item in session.items}
        self._params: dict[str, Any] = {}
        self._running = False
        self._strict_warnings = bool(
            session.config.getini("filterwarnings") or session.config.getoption("pythonwarnings")
        )
        session.config.pluginmanager.register(self, "jam-repair-trials")
        factory = getattr(session.config, "_tmp_path_factory", None)
        if factory is not None:
            factory._retention_policy = "failed"  # and none is told as failed: all are removed

    def pytest_runtest_logreport(self, report: Any) -> None:
        # Subtests report by themselves and leave the test around them passed.
        if report.failed and self._running:
            self._running = False
            raise SubtestFailed

    def remember_params(self) -> None:
        """Tests change their own parameters in place; each run gets a fresh copy."""
        for item in self.by_id.values():
            spec = getattr(item, "callspec", None)
            if spec is not None:
                kept = [dict(d) for d in _dicts(spec)]
                with contextlib.suppress(Exception):
                    self._params[item.nodeid] = copy.deepcopy(kept)

    def run(self, item: Any, *, seconds: float, timer: Timer, following: Any = None) -> Outcome:
        self._renew(item)
        began = time.process_time()
        self._running = True
        mark, error = self._protocol(item, seconds, timer, following)
        if mark == PASSED and not self._running:
            mark = FAILED
        return Outcome(mark, time.process_time() - began, error)

    def _protocol(
        self, item: Any, seconds: float, timer: Timer, following: Any
    ) -> tuple[str, BaseException | None]:
        mark, error = PASSED, None
        try:
            with _item_warnings(item, strict=self._strict_warnings), timer.limit(seconds):
                item.ihook.pytest_runtest_setup(item=item)
                _tell_passed(item, "setup")
                item.ihook.pytest_runtest_call(item=item)
                noted = getattr(item, "_excinfo", None)
                if noted:
                    raise noted.pop(0).value
                _tell_passed(item, "call")
        except BaseException as raised:
            mark, error = _read(raised), raised
        try:
            _let_go_of_folders(item)
            with timer.limit(max(seconds, 0.2)):
                item.ihook.pytest_runtest_teardown(item=item, nextitem=following)
        except BaseException as raised:
            mark, error = (FAILED, raised) if mark == PASSED else (mark, error)
            self._forget_setup()
        return mark, error

    def _forget_setup(self) -> None:
        stack = getattr(self.session._setupstate, "stack", None)
        if stack is not None:
            stack.clear()

    def _renew(self, item: Any) -> None:
        if hasattr(item, "_excinfo"):
            item._excinfo = None
        if hasattr(item, "_initrequest"):
            item._initrequest()
        kept = self._params.get(item.nodeid)
        if kept is not None:
            for into, pristine in zip(_dicts(item.callspec), copy.deepcopy(kept)):
                into.update(pristine)


def _dicts(spec: Any) -> list[dict[str, Any]]:
    return [d for d in (getattr(spec, "params", None), getattr(spec, "funcargs", None)) if d]


def _read(raised: BaseException) -> str:
    if isinstance(raised, Overdue):
        return OVERDUE
    return SKIPPED if type(raised).__name__ in ("Skipped", "SkipTest") else FAILED


def _tell_passed(item: Any, when: Any) -> None:
    """Fixtures may ask in their tear-down how the test went, and read it off its reports."""
    call: Any = pytest.CallInfo(
        result=None, excinfo=None, start=0.0, stop=0.0, duration=0.0, when=when, _ispytest=True
    )
    report = item.ihook.pytest_runtest_makereport(item=item, call=call)
    if report.failed:
        raise UnexpectedPass


def _let_go_of_folders(item: Any) -> None:
    try:
        from _pytest.tmpdir import tmppath_result_key
    except ImportError:
        return
    item.stash[tmppath_result_key] = {"call": True}


@contextlib.contextmanager
def _item_warnings(item: Any, *, strict: bool) -> Iterator[None]:
    """The project's warning filters, where it has any: they can turn a warning into a failure."""
    if not strict and item.get_closest_marker("filterwarnings") is None:
        yield
        return
    try:
        from _pytest.warnings import catch_warnings_for_item as around
    except ImportError:
        yield
        return
    with around(config=item.config, ihook=item.ihook, when="runtest", item=item):
        yield
