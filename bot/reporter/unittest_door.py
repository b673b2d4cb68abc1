"""
Stands between ``unittest``'s runner and its tests. PYTEST_DONT_REWRITE

Waits until ``unittest`` is imported; from then on, what leaves a test is noted before its result
can be told otherwise. Decides only whose tests are told: those of the run that jam's command
started, not those that tests run.
"""

from __future__ import annotations

import functools
import os
import sys

from . import wire
from .order import chosen, ordered
from .tripwires import Tripwires
from .unittest_session import Session, flat, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

__unittest = True  # frames of this module are left out of the tracebacks that people see

SAYINGS = {
    "addSuccess": "passed",
    "addFailure": "failed",
    "addError": "errored",
    "addSkip": "skipped",
    "addExpectedFailure": "xfailed",
    "addUnexpectedSuccess": "xpassed",
}
#: the session that is live in this process
_live: Session | None = None
#: of a program that still loads its tests
_line: wire.Wire | None = None
#: taken before any test was loaded
_tripwires: Tripwires | None = None


def watch_for_unittest() -> None:
    """Costs nothing in a process that never imports ``unittest``."""
    if "unittest.main" in sys.modules:
        _stand_between()
    else:
        sys.meta_path.insert(0, _Waiter())


class _Waiter:
    """Finds nothing itself; sees ``unittest.main`` come, which is imported last."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "unittest.main":
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                _stand_between()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # this one only
        return spec


def _stand_between() -> None:
    global _tripwires
    main, runner = sys.modules["unittest.main"], sys.modules["unittest.runner"]
    main.TestProgram.__init__ = _of_loading(main.TestProgram.__init__)
    main.TestProgram.runTests = _of_program(main.TestProgram.runTests)
    runner.TextTestRunner.run = _of_runner(runner.TextTestRunner.run)
    result = sys.modules["unittest.result"].TestResult
    result.startTest = _telling(result.startTest, lambda session, test: session.begin(test))
    result.stopTest = _telling(result.stopTest, lambda session, test: session.end_of(test))
    for method, saying in SAYINGS.items():
        setattr(result, method, _saying(getattr(result, method), saying))
    result.addSubTest = _of_subtest(result.addSubTest)
    outcome = sys.modules["unittest.case"]._Outcome
    outcome.testPartExecutor = _noting(outcome.testPartExecutor)
    _tripwires = Tripwires()


def _connect() -> wire.Wire | None:
    wishes = wire.wishes()
    if _live is not None or wire.is_inside_another() or wishes.get("dialect") != "unittest":
        return None
    root = str(wishes.get("root") or os.getcwd())
    return wire.connect(root, kind="unittest", role="session", parent=None, framework="")


def _begin(suite: Any) -> tuple[Session, Any] | None:
    global _live, _line
    line, _line = _line or _connect(), None
    if line is None or _live is not None:
        return None
    wishes = wire.wishes()
    root = str(wishes.get("root") or os.getcwd())
    found = list(flat(suite))
    found += _absent({name_of(test, root) for test in found}, wishes)
    kept, _ = chosen(found, lambda test: name_of(test, root), wishes)
    tests = ordered(kept, lambda test: name_of(test, root), wishes)
    tests = [test for test in tests for _ in range((wishes.get("measure") or {}).get("repeat", 1))]
    _live = Session(line, wishes, tests, _tripwires or Tripwires())
    _live.tell_collected()
    return _live, type(suite)(tests) if hasattr(suite, "addTest") else suite


def _absent(present: set[str], wishes: dict[str, Any]) -> list[Any]:
    """Tests that jam wants, though the command does not name their module."""
    from unittest.loader import TestLoader

    tests: list[Any] = []
    for name in wishes.get("select") or ():
        if name not in present and "::" not in name:
            try:
                tests += flat(TestLoader().loadTestsFromName(name))
            except Exception:  # noqa: S112  # it will be missed from the report
                continue
    return tests


def _finish(session: Session, *, is_successful: bool) -> None:
    global _live
    _live = None
    session.end(is_successful=is_successful)


def _of_loading(init: Callable[..., None]) -> Callable[..., None]:
    """A program that ends while it loads its tests has at least begun."""

    @functools.wraps(init)
    def of_loading(self: Any, *args: Any, **named: Any) -> None:
        global _line
        _line = line = _connect()
        try:
            init(self, *args, **named)
        except BaseException as error:
            if line is not None and _line is line:
                line.send("abort", message=f"{type(error).__name__}: {error}", missing="")
            raise
        finally:
            if line is not None and _line is line:
                _line = None
                line.close()

    return of_loading


def _of_program(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A program's own runner may be of any kind; its suite and result are known here."""

    def runTests(self: Any) -> Any:  # noqa: N802  # unittest's own name
        begun = _begin(self.test)
        if begun is None:
            return run(self)
        session, self.test = begun
        try:
            return run(self)
        finally:
            result = getattr(self, "result", None)
            if result is not None:
                _finish(session, is_successful=bool(result.wasSuccessful()))

    return runTests


def _of_runner(run: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def of_runner(self: Any, test: Any) -> Any:
        begun = _begin(test)
        if begun is None:
            return run(self, test)
        session, suite = begun
        result = run(self, suite)
        _finish(session, is_successful=bool(result.wasSuccessful()))
        return result

    return of_runner


def _telling(method: Any, tell: Callable[[Session, Any], None]) -> Any:
    def telling(self: Any, test: Any) -> Any:
        if _live is not None and _live.owns(test):
            tell(_live, test)
        return method(self, test)

    return telling


def _saying(method: Any, saying: str) -> Any:
    def say(self: Any, test: Any, *rest: Any, **named: Any) -> Any:
        if _live is not None:
            owner = getattr(test, "test_case", test)  # a subtest belongs to its test
            if _live.owns(owner):
                _live.said(owner, saying, _message(self, owner, rest))
            elif type(test).__name__ == "_ErrorHolder":
                _live.said_of_group(test, saying, _message(self, test, rest))
        return method(self, test, *rest, **named)

    return say


def _of_subtest(method: Any) -> Any:
    def of_subtest(self: Any, test: Any, subtest: Any, error: Any) -> Any:
        if _live is not None and error is not None and _live.owns(test):
            _live.told(test, _message(self, test, (error,)))
        return method(self, test, subtest, error)

    return of_subtest


def _message(result: Any, test: Any, rest: tuple[Any, ...]) -> str:
    if not rest:
        return ""
    if isinstance(rest[0], str):
        return rest[0]
    try:
        return str(result._exc_info_to_string(rest[0], test))
    except Exception:
        return ""


def _noting(executor: Any) -> Any:
    """Set-up, test and tear-down each run inside one of these; what leaves it is the truth."""

    def testPartExecutor(self: Any, test: Any, *rest: Any, **named: Any) -> Any:  # noqa: N802
        return _Part(executor(self, test, *rest, **named), test)

    return testPartExecutor


class _Part:
    def __init__(self, inner: Any, test: Any) -> None:
        self._inner = inner
        self._test = test

    def __enter__(self) -> Any:
        return self._inner.__enter__()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        if _live is not None:
            owner = getattr(self._test, "test_case", None)
            if owner is not None:
                _live.sub_raised(owner, kind)
            else:
                _live.raised(self._test, kind)
        return self._inner.__exit__(kind, error, trace)
