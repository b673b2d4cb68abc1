"""
Tells what happens in one pytest session. PYTEST_DONT_REWRITE

What a test really raised is taken before any other plugin can touch it, and what was reported in
the end after all of them; both are told. Decides nothing about either.
"""

from __future__ import annotations

import os

import pytest

from .measuring import again
from .order import chosen, covered, files_of, ordered
from .origins import origins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Generator

    from .tripwires import Watch
    from .wire import Wire

MESSAGE = 4000  # characters of a failure's end
FULL_MESSAGES = 200  # after so many failures, they are told in short
SHORT_MESSAGE = 300
IDS_PER_LINE = 500
#: hooks whose implementations decide what a test's outcome is
DECIDING = (
    "pytest_runtest_protocol",
    "pytest_runtest_setup",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_runtest_makereport",
    "pytest_runtest_logreport",
    "pytest_pyfunc_call",
)


class _Case:
    __slots__ = ("message", "phases", "subs", "xfail")

    def __init__(self) -> None:
        self.phases: list[list[Any]] = []
        self.subs: list[str] = []
        self.message = ""
        self.xfail = False


class Recorder:
    def __init__(
        self,
        line: Wire,
        config: pytest.Config,
        wishes: dict[str, Any],
        watch: Watch,
        *,
        is_worker: bool,
    ) -> None:
        self._line = line
        self._config = config
        self._wishes = wishes
        self._watch = watch
        self._is_worker = is_worker
        self._prefix = prefix(str(config.rootpath), str(wishes.get("root") or ""))
        self._raw: dict[tuple[str, str], tuple[str, str]] = {}
        self._cases: dict[str, _Case] = {}
        self._failures = 0
        self._workers = 0
        self._told_collection = False
        self._deciders: set[int] = set()

    # which tests

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        self._watch.begin_tests()
        self._narrow(config)

    def _narrow(self, config: pytest.Config) -> None:
        """Other files than those of the tests that jam wants need not even be imported."""
        root = str(self._wishes.get("root") or os.getcwd())
        files = files_of(self._wishes, root)
        if files and not getattr(config.option, "pyargs", None):
            folder = str(config.invocation_params.dir)
            config.args = covered(files, config.args, folder) or config.args

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._deciders = set(self._hookimpls())

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        kept, dropped = chosen(items, self._name, self._wishes)
        items[:] = again(ordered(kept, self._name, self._wishes), self._wishes)
        if dropped:
            config.hook.pytest_deselected(items=dropped)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, None]:
        outcome = yield
        if outcome.excinfo is not None:
            return
        report: Any = outcome.get_result()
        call = getattr(report, "call", None)
        if call is not None and call.excinfo is not None and report.failed:
            missing = _missing_module(call.excinfo.value)
            self._line.send(
                "broken",
                id=self._prefix + report.nodeid,
                message=_text(report)[-MESSAGE:],
                missing=missing,
            )

    def pytest_collectreport(self, report: Any) -> None:
        # With xdist, a worker's; whatever made it, a failed one is told.
        if report.failed and not self._is_worker:
            name = self._prefix + report.nodeid
            self._line.send("broken", id=name, message=_text(report)[-MESSAGE:], missing="")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if not self._is_worker and self._config.getoption("dist", "no") == "no":
            self._tell_collected([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        if not self._told_collection:
            self._tell_collected(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["jam_session"] = os.getpid()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        self._workers += not error

    def _tell_collected(self, ids: list[str]) -> None:
        self._told_collection = True
        for at in range(0, len(ids), IDS_PER_LINE):
            part = [self._prefix + name for name in ids[at : at + IDS_PER_LINE]]
            self._line.send("collected", ids=part)

    # what they did

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if not self._is_worker:
            self._line.send("run", id=self._prefix + nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, None]:
        # Here no other wrapper has run yet. Tests of unittest keep what they raised elsewhere.
        kept = getattr(item, "_excinfo", None)
        excinfo = call.excinfo or (kept[0] if kept else None)
        self._raw[item.nodeid, call.when] = _raw(excinfo)
        yield

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        raw, raised = self._raw.pop((report.nodeid, report.when), ("", ""))
        case = self._cases.setdefault(report.nodeid, _Case())
        was_expected = hasattr(report, "wasxfail")
        if hasattr(report, "context"):  # one subtest of a test: it shares the test's id
            case.subs.append("xfailed" if was_expected and report.skipped else report.outcome)
        else:
            seconds = round(getattr(report, "duration", 0.0), 4)
            case.phases.append([report.when, report.outcome, raw, seconds])
            case.xfail = case.xfail or was_expected
        if report.outcome != "passed":
            case.message = case.message or self._bounded(_text(report))
        elif raw == "failed":
            case.message = "reported as passed, though it raised " + self._bounded(raised)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._tell(nodeid, self._cases.pop(nodeid, None))

    def _tell(self, nodeid: str, case: _Case | None) -> None:
        if case is None or (self._is_worker and not _is_rewritten(case)):
            return
        facts: dict[str, Any] = {"id": self._prefix + nodeid, "phases": case.phases}
        if case.xfail:
            facts["xfail"] = True
        if case.subs:
            facts["subs"] = case.subs
        if case.message:
            facts["message"] = case.message
        self._line.send("case", **facts)

    # how it ended

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: Any
    ) -> Generator[None, Any, None]:
        status = int(exitstatus)
        yield
        for nodeid in list(self._cases):  # with xdist, what a worker was doing when it died
            self._tell(nodeid, self._cases.pop(nodeid))
        self._line.send("origins", files=origins(self._wishes))
        self._line.send("tampered", names=self._watch.changed() + self._intruders())
        failed = int(session.testsfailed)
        self._line.send("end", status=status, failed=failed, workers=self._workers)

    def abort(self, error: BaseException) -> None:
        """The session is over before it began: a conftest could not be imported, say."""
        text = f"{type(error).__name__}: {error}"
        self._line.send("abort", message=text[-MESSAGE:], missing=_missing_module(error))

    def close(self) -> None:
        self._line.close()

    # small parts

    def _name(self, item: pytest.Item) -> str:
        return self._prefix + item.nodeid

    def _bounded(self, text: str) -> str:
        self._failures += 1
        return text[-(MESSAGE if self._failures <= FULL_MESSAGES else SHORT_MESSAGE) :]

    def _hookimpls(self) -> dict[int, tuple[str, Any]]:
        return {
            id(impl.function): (name, impl.plugin)
            for name in DECIDING
            for impl in getattr(self._config.hook, name).get_hookimpls()
        }

    def _intruders(self) -> list[str]:
        """Plugins that took a hand in the outcome of tests after the session had started."""
        return sorted(
            f"{name} of a plugin that came late"
            for key, (name, plugin) in self._hookimpls().items()
            if key not in self._deciders
            and os.path.basename(str(getattr(plugin, "__file__", ""))) != "conftest.py"
        )


def prefix(rootdir: str, root: str) -> str:
    """Ids are relative to pytest's root, which may be a folder of the checkout."""
    inner = os.path.relpath(os.path.realpath(rootdir), os.path.realpath(root)) if root else "."
    return "" if inner == "." or inner.startswith("..") else inner.replace(os.sep, "/") + "/"


def _raw(excinfo: Any) -> tuple[str, str]:
    if excinfo is None:
        return "passed", ""
    if isinstance(excinfo.value, pytest.xfail.Exception):
        return "xfailed", ""
    if isinstance(excinfo.value, pytest.skip.Exception) or _is_skip(type(excinfo.value)):
        return "skipped", ""
    return "failed", type(excinfo.value).__name__


def _is_skip(kind: type) -> bool:
    return any(f"{k.__module__}.{k.__name__}" == "unittest.case.SkipTest" for k in kind.__mro__)


def _is_rewritten(case: _Case) -> bool:
    return any(outcome == "passed" and raw == "failed" for _, outcome, raw, _ in case.phases)


def _text(report: Any) -> str:
    longrepr = report.longrepr
    if isinstance(longrepr, tuple):  # a skip: where, and why
        return str(longrepr[-1])
    return str(report.longreprtext) if longrepr else ""


def _missing_module(error: BaseException | None) -> str:
    """The top-level module that an import failed for want of."""
    for _ in range(20):
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        if error is None:
            break
        error = error.__cause__ or error.__context__
    return ""
